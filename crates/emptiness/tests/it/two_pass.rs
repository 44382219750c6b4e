//! The two-pass check against the naive answer.

use crate::explicit::{Explicit, Limit, Stopped};
use lariat_corpora::{Random, each_case};
use lariat_emptiness::{
    Counts, Edge, FirstPass, Graph, LivelockGraph, Marks, NodeId, Outcome, TwoPassEvidence,
    two_pass,
};

const CHANGE: Marks = Marks(1 << 8);

/// A random graph whose nodes have observations; an edge between different ones is a change. Either
/// all nodes of one observation are livelock nodes or none is.
struct Observed {
    graph: Explicit,
    livelock: Vec<bool>,
}

impl Observed {
    fn random(random: &mut Random) -> Observed {
        let mut graph = Explicit::random(random);
        let n = graph.edges.len();
        // The check requires at least one mark: without marks every cycle would accept.
        graph.marks = graph.marks.union(Marks::one(0));
        let observations = random.between(1, 5);
        let observed: Vec<usize> = (0..n).map(|_| random.below(observations)).collect();
        let chance = random.between(5, 60);
        let accepts: Vec<bool> = (0..observations).map(|_| random.percent(chance)).collect();
        for (node, edges) in graph.edges.iter_mut().enumerate() {
            for (to, marks) in edges {
                *marks = if observed[node] == observed[*to] {
                    Marks::NONE
                } else {
                    marks.union(CHANGE)
                };
            }
        }
        let livelock = observed.into_iter().map(|o| accepts[o]).collect();
        Observed { graph, livelock }
    }

    /// Returns whether a livelock is reachable.
    fn has_livelock(&self) -> bool {
        let mut still = self.graph.clone();
        for edges in &mut still.edges {
            edges.retain(|e| !e.1.contains(CHANGE));
        }
        let reachable = self.graph.reach(&self.graph.initial, 0);
        (0..self.livelock.len())
            .any(|n| reachable[n] && self.livelock[n] && still.reach(&[n], 1)[n])
    }

    fn accepts(&self) -> bool {
        let mut graph = self.graph.clone();
        for e in graph.edges.iter_mut().flatten() {
            e.1 = e.1.minus(CHANGE);
        }
        graph.accepts() || self.has_livelock()
    }
}

impl Graph for Observed {
    type Stop = Stopped;
    type Worker = Limit;
    type Cursor = <Explicit as Graph>::Cursor;

    fn marks(&self) -> Marks {
        self.graph.marks
    }

    fn initial(&self, worker: &mut Limit, k: usize) -> Result<Option<NodeId>, Stopped> {
        self.graph.initial(worker, k)
    }

    fn next_edge(
        &self,
        worker: &mut Limit,
        node: NodeId,
        cursor: &mut Self::Cursor,
    ) -> Result<Option<Edge>, Stopped> {
        self.graph.next_edge(worker, node, cursor)
    }
}

impl LivelockGraph for Observed {
    fn change(&self) -> Marks {
        CHANGE
    }

    fn is_livelock(&self, _: &Limit, node: NodeId) -> bool {
        self.livelock[node.index()]
    }
}

#[test]
fn agrees_with_the_naive_answer() {
    each_case(20_000, |random| {
        let graph = Observed::random(random);
        for first in [FirstPass::Livelocks, FirstPass::CyclesOnly] {
            let worker = &mut Limit::none();
            let mut counts = Counts::default();
            let found = match two_pass(&graph, worker, first, &mut counts).unwrap() {
                Outcome::Empty => {
                    assert!(!graph.accepts());
                    continue;
                }
                Outcome::Accepting(found) => found,
                Outcome::Undecided(_) => panic!("the check decides"),
            };
            assert!(graph.accepts());
            let lasso = found.lasso(&graph, worker).unwrap();
            let lasso = lasso.expect("the evidence has a lasso");
            assert!(graph.graph.initial.contains(&lasso.initial.index()));
            let mut at = lasso.initial;
            let mut marks = Marks::NONE;
            for (k, edge) in lasso.prefix.iter().chain(&lasso.cycle).enumerate() {
                let step = (edge.to.index(), edge.marks);
                assert!(graph.graph.edges[at.index()].contains(&step));
                at = edge.to;
                if k >= lasso.prefix.len() {
                    marks = marks.union(edge.marks);
                }
            }
            assert_eq!(at, lasso.entry());
            assert!(!lasso.cycle.is_empty());
            match found {
                TwoPassEvidence::Cycle(_) => assert!(marks.contains(graph.graph.marks)),
                TwoPassEvidence::Livelock { .. } => {
                    assert!(!marks.contains(CHANGE) && graph.livelock[at.index()]);
                }
            }
        }
    });
}

#[test]
fn stopping_is_never_an_answer() {
    each_case(300, |random| {
        let graph = Observed::random(random);
        let right = graph.accepts();
        for steps in 0.. {
            let limit = &mut Limit(steps);
            let mut counts = Counts::default();
            if let Ok(answer) = two_pass(&graph, limit, FirstPass::default(), &mut counts) {
                assert_eq!(answer != Outcome::Empty, right);
                break;
            }
        }
    });
}
