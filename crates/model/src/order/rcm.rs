//! Reverse Cuthill–McKee: breadth-first numbering from the periphery of the graph.
//!
//! Two variables are adjacent if they share an event. Starting at a variable of (nearly) maximal
//! eccentricity, found by repeated breadth-first searches, the graph is numbered in layers, the
//! neighbours of each variable by increasing degree, and the numbering is reversed. Cuthill and
//! McKee, ACM 1969; starting points after George and Liu. Alone it is poor for saturation, but a
//! good start for FORCE.
//!
//! The adjacency relation, quadratic in the size of an event, is not built: a search alternates
//! between variables and events and enters each event once. The degree is the sum of the sizes of a
//! variable's events. Cost: the arcs, and sorting the layers.

use super::hypergraph::Hypergraph;
use crate::system::VarId;

/// Limit on the searches for a better starting point.
const SEARCHES: u32 = 5;

pub(super) fn reverse_cuthill_mckee(graph: &Hypergraph) -> Vec<VarId> {
    let n = graph.variables();
    let degree = |v| {
        let edges = graph.incident(v).iter();
        edges.map(|e| graph.edge(*e).len() as u32 - 1).sum()
    };
    let degree: Vec<u32> = (0..n as u32).map(degree).collect();
    let mut by_degree: Vec<u32> = (0..n as u32).collect();
    by_degree.sort_by_key(|v| degree[*v as usize]);
    let mut search = Search {
        var_seen: vec![0; n],
        edge_seen: vec![0; graph.edge_count()],
        round: 0,
    };
    let mut numbered = vec![false; n];
    let mut sequence = Vec::with_capacity(n);
    for &seed in &by_degree {
        if numbered[seed as usize] {
            continue;
        }
        let (mut start, mut depth) = (seed, 0);
        for _ in 0..SEARCHES {
            let (layers, component) = search.breadth_first(graph, &degree, start);
            if layers <= depth && depth > 0 {
                break;
            }
            depth = layers;
            // The last vertex numbered is in the outermost layer.
            start = *component.last().unwrap_or(&start);
        }
        let (_, component) = search.breadth_first(graph, &degree, start);
        for &v in &component {
            numbered[v as usize] = true;
        }
        sequence.extend(component);
    }
    sequence.into_iter().rev().map(VarId).collect()
}

struct Search {
    var_seen: Vec<u32>,
    edge_seen: Vec<u32>,
    round: u32,
}

impl Search {
    /// The number of layers after the first, and the component in breadth-first order.
    fn breadth_first(&mut self, graph: &Hypergraph, degree: &[u32], start: u32) -> (u32, Vec<u32>) {
        self.round += 1;
        let round = self.round;
        self.var_seen[start as usize] = round;
        let mut queue = vec![start];
        let (mut next, mut layer_end, mut layers) = (0, 1, 0);
        while next < queue.len() {
            if next == layer_end {
                layer_end = queue.len();
                layers += 1;
            }
            let first = queue.len();
            for &edge in graph.incident(queue[next]) {
                if std::mem::replace(&mut self.edge_seen[edge as usize], round) == round {
                    continue;
                }
                for &v in graph.edge(edge) {
                    if std::mem::replace(&mut self.var_seen[v as usize], round) != round {
                        queue.push(v);
                    }
                }
            }
            queue[first..].sort_by_key(|v| degree[*v as usize]);
            next += 1;
        }
        (layers, queue)
    }
}
