//! Order along the units of a nested-unit Petri net, or the processes of a program.
//!
//! Places of one unit are mutually exclusive and therefore placed next to each other. The unit tree
//! is traversed depth first; each unit contributes its local places and then its subunits.
//! Siblings, and the places of a unit, are sorted by their (mean) position in a given sequence
//! (FORCE), so that interacting units are close too.

use crate::system::{System, VarId};

pub(super) fn units(system: &System, near: &[VarId]) -> Vec<VarId> {
    let n = system.variables.len();
    let mut rank = vec![0usize; n];
    for (i, v) in near.iter().enumerate() {
        rank[v.index()] = i;
    }
    // Each unit once, parents first, even if the references form no tree.
    let mut seen = vec![false; system.units.len()];
    let mut parents_first = Vec::new();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); system.units.len()];
    let mut roots = Vec::new();
    for root in 0..system.units.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        roots.push(root);
        let mut stack = vec![root];
        while let Some(u) = stack.pop() {
            parents_first.push(u);
            for &sub in &system.units[u].subunits {
                if sub < seen.len() && !std::mem::replace(&mut seen[sub], true) {
                    children[u].push(sub);
                    stack.push(sub);
                }
            }
        }
    }
    // (sum of ranks, number of places) of each subtree.
    let mut weight = vec![(0usize, 0usize); system.units.len()];
    for &u in parents_first.iter().rev() {
        for place in system.units[u].places.iter().filter(|p| p.index() < n) {
            weight[u].0 += rank[place.index()];
            weight[u].1 += 1;
        }
        for &sub in &children[u] {
            weight[u].0 += weight[sub].0;
            weight[u].1 += weight[sub].1;
        }
    }
    let centre = |u: &usize| match weight[*u] {
        (_, 0) => 0.0,
        (sum, count) => sum as f64 / count as f64,
    };
    let by_centre = |us: &mut Vec<usize>| us.sort_by(|a, b| centre(a).total_cmp(&centre(b)));
    by_centre(&mut roots);
    children.iter_mut().for_each(by_centre);

    let mut listed = vec![false; n];
    let mut sequence = Vec::with_capacity(n);
    let mut stack: Vec<usize> = roots.into_iter().rev().collect();
    while let Some(u) = stack.pop() {
        let first = sequence.len();
        for &place in system.units[u].places.iter().filter(|p| p.index() < n) {
            if !std::mem::replace(&mut listed[place.index()], true) {
                sequence.push(place);
            }
        }
        sequence[first..].sort_by_key(|v: &VarId| rank[v.index()]);
        stack.extend(children[u].iter().rev());
    }
    sequence.extend(near.iter().filter(|v| !listed[v.index()]));
    sequence
}
