//! Explicit graphs, random ones among them, and the naive answer.

use crate::graph::{Edge, Graph, Marks, NodeId};
use lariat_corpora::Random;

/// A subset of the marks `0..n`.
pub fn marks(random: &mut Random, n: u32, percent: usize) -> Marks {
    (0..n)
        .filter(|_| random.percent(percent))
        .fold(Marks::NONE, |m, i| m.union(Marks::one(i)))
}

/// An explicitly stored graph.
#[derive(Clone, Debug)]
pub struct Explicit {
    pub marks: Marks,
    pub initial: Vec<usize>,
    pub edges: Vec<Vec<(usize, Marks)>>,
}

/// Graphs with few nodes, as numbers of marks, initial nodes and edges, and whether they accept.
type SmallGraph = (
    u32,
    &'static [usize],
    &'static [&'static [(usize, u64)]],
    bool,
);

pub const SMALL_GRAPHS: [SmallGraph; 8] = [
    // No initial node, no edge, no cycle.
    (0, &[], &[&[(0, 0)]], false),
    (0, &[0], &[&[]], false),
    (0, &[0], &[&[(1, 0)], &[]], false),
    // Without marks, a self-loop is enough.
    (0, &[0], &[&[(0, 0)]], true),
    // Two self-loops that only together carry both marks.
    (2, &[0], &[&[(0, 1), (0, 2)]], true),
    // A mark on the way into the component does not count; one on an inner edge does.
    (1, &[0], &[&[(1, 1)], &[(1, 0)]], false),
    (1, &[0], &[&[(1, 1)], &[(0, 0)]], true),
    // The second initial node was visited from the first; the third was not.
    (1, &[0, 1, 2], &[&[(1, 0)], &[], &[(2, 1)]], true),
];

impl Explicit {
    /// The graph with this number of marks and these edges by source.
    pub fn new(marks: u32, initial: &[usize], edges: &[&[(usize, u64)]]) -> Explicit {
        let edge = |(to, marks): &(usize, u64)| (*to, Marks(*marks));
        let edges = edges.iter().map(|of_one| of_one.iter().map(edge).collect());
        Explicit {
            marks: Marks::all(marks),
            initial: initial.to_vec(),
            edges: edges.collect(),
        }
    }

    /// A random graph: few nodes, several initial ones, self-loops, parallel edges, sinks.
    pub fn random(random: &mut Random) -> Explicit {
        let n = random.between(1, 24);
        let marks = random.below(4) as u32;
        let (out, chance) = (random.between(0, 3), random.between(5, 50));
        Explicit {
            marks: Marks::all(marks),
            initial: (0..random.between(0, 3)).map(|_| random.below(n)).collect(),
            edges: (0..n)
                .map(|_| {
                    (0..random.between(0, out))
                        .map(|_| (random.below(n), self::marks(random, marks, chance)))
                        .collect()
                })
                .collect(),
        }
    }

    /// The nodes reachable from `from` by at least `least` (0 or 1) edges.
    pub fn reach(&self, from: &[usize], least: usize) -> Vec<bool> {
        let mut seen = vec![false; self.edges.len()];
        let targets = |n: usize| self.edges[n].iter().map(|e| e.0);
        let mut todo: Vec<usize> = match least {
            0 => from.to_vec(),
            _ => from.iter().flat_map(|n| targets(*n)).collect(),
        };
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                todo.extend(targets(n));
            }
        }
        seen
    }

    /// The naive answer: whether a reachable node lies on an accepting cycle.
    pub fn accepts(&self) -> bool {
        let reachable = self.reach(&self.initial, 0);
        let on_cycle = self.on_accepting_cycles().into_iter();
        on_cycle.zip(reachable).any(|(on, reached)| on && reached)
    }

    /// Whether each node lies on an accepting cycle: by the marks on all edges between nodes that
    /// it reaches and that reach it.
    pub fn on_accepting_cycles(&self) -> Vec<bool> {
        let from: Vec<Vec<bool>> = (0..self.edges.len()).map(|n| self.reach(&[n], 1)).collect();
        let on_cycle = |n: usize| {
            let with = |m: usize| from[n][m] && from[m][n];
            from[n][n]
                && (0..self.edges.len())
                    .filter(|&m| with(m))
                    .flat_map(|m| &self.edges[m])
                    .filter(|e| with(e.0))
                    .fold(Marks::NONE, |marks, e| marks.union(e.1))
                    .contains(self.marks)
        };
        (0..self.edges.len()).map(on_cycle).collect()
    }
}

/// A budget that ends after a number of queries.
pub struct Limit(pub u64);

impl Limit {
    pub fn none() -> Limit {
        Limit(u64::MAX)
    }

    pub fn spend(&mut self) -> Result<(), Stopped> {
        self.0 = self.0.checked_sub(1).ok_or(Stopped)?;
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped;

impl Graph for Explicit {
    type Stop = Stopped;
    type Worker = Limit;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.marks
    }

    fn initial(&self, worker: &mut Limit, k: usize) -> Result<Option<NodeId>, Stopped> {
        worker.spend()?;
        Ok(self.initial.get(k).map(|&n| NodeId(n as u32)))
    }

    fn next_edge(
        &self,
        worker: &mut Limit,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stopped> {
        worker.spend()?;
        let edge = self.edges[node.index()].get(*cursor);
        *cursor += 1;
        Ok(edge.map(|&(to, marks)| Edge {
            to: NodeId(to as u32),
            marks,
        }))
    }

    fn tick(&self, worker: &mut Limit, _: usize) -> Result<(), Stopped> {
        worker.spend()
    }
}
