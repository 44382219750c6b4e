//! Noack's greedy order: the next variable is the one whose events are most complete.
//!
//! With `c(e)` the number of variables of event `e` chosen so far, the variable with the largest
//!
//! ```text
//! f(v) = mean over e ∋ v of  (c(e) > 0 ? 1 + 2·c(e) : 0.1) / |e|
//! ```
//!
//! is chosen next; ties go to the earlier variable. Places that share transitions become
//! neighbours, and an event once begun is completed soon. After Noack (BDD-based analysis of Petri
//! nets, Cottbus 1999) and Tovchigrechko; deviation: they weigh input and output places
//! differently, whereas the variables that an event reads or writes are treated alike here, so that
//! programs can be ordered too.
//!
//! `f` only grows, so a heap with stale entries serves as priority queue. When an event gains a
//! variable, all its others change, which is quadratic in the size of the event; a large event
//! therefore propagates its gain only when `c` has grown by an eighth. Cost: `O(arcs · log² )`.

use super::hypergraph::Hypergraph;
use crate::system::VarId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events up to this size propagate every gain.
const SMALL: usize = 32;

/// The sequence in which the variables are chosen.
pub(super) fn noack(graph: &Hypergraph) -> Vec<VarId> {
    let n = graph.variables();
    let weight = |taken: u32, size: usize| {
        let gain = if taken == 0 {
            0.1
        } else {
            1.0 + 2.0 * f64::from(taken)
        };
        gain / size as f64
    };
    let mut taken = vec![0u32; graph.edge_count()];
    // By event: the value of `c` that its variables have accounted for.
    let mut propagated = vec![0u32; graph.edge_count()];
    let mut sum: Vec<f64> = (0..n as u32)
        .map(|v| {
            let edges = graph.incident(v).iter();
            edges.map(|e| weight(0, graph.edge(*e).len())).sum()
        })
        .collect();
    let value = |sum: f64, v: u32| sum / graph.incident(v).len().max(1) as f64;
    // The bit patterns of non-negative floats compare like the floats.
    let key = |sum: f64, v: u32| (value(sum, v).to_bits(), Reverse(v));
    let mut heap: BinaryHeap<(u64, Reverse<u32>)> =
        (0..n as u32).map(|v| key(sum[v as usize], v)).collect();
    let mut done = vec![false; n];
    let mut sequence = Vec::with_capacity(n);
    let mut changed: Vec<u32> = Vec::new();
    let mut is_changed = vec![false; n];
    while let Some((bits, Reverse(v))) = heap.pop() {
        if done[v as usize] || key(sum[v as usize], v).0 != bits {
            continue;
        }
        done[v as usize] = true;
        sequence.push(VarId(v));
        for &edge in graph.incident(v) {
            let e = edge as usize;
            taken[e] += 1;
            let vars = graph.edge(edge);
            if vars.len() > SMALL && taken[e] > 1 && (taken[e] - propagated[e]) * 8 < propagated[e]
            {
                continue;
            }
            let gain = weight(taken[e], vars.len()) - weight(propagated[e], vars.len());
            propagated[e] = taken[e];
            for &other in vars {
                if !done[other as usize] {
                    sum[other as usize] += gain;
                    if !std::mem::replace(&mut is_changed[other as usize], true) {
                        changed.push(other);
                    }
                }
            }
        }
        for other in changed.drain(..) {
            is_changed[other as usize] = false;
            heap.push(key(sum[other as usize], other));
        }
    }
    sequence
}
