//! Complete searches of UFSCC on small graphs with shuttle's atomics and threads under random
//! schedules: longer runs than loom can explore exhaustively.

#![allow(dead_code, reason = "the included files also serve other checks")]

#[path = "../../src/graph.rs"]
mod graph;
#[path = "../../src/outcome.rs"]
mod outcome;
#[path = "../../src/pending_edges.rs"]
mod pending_edges;
#[path = "../../src/scc_stack.rs"]
mod scc_stack;
mod sync;
#[path = "../../src/ufscc.rs"]
mod ufscc;
#[path = "../../src/union_find.rs"]
mod union_find;

use graph::{Edge, Graph, Marks, NodeId};
use lariat_corpora::{Random, each_case};
use outcome::{Counts, Outcome};
use sync::MAX_NODES;
use ufscc::ufscc;

/// Schedules of each graph.
const SCHEDULES: usize = 8;

/// An explicit graph with initial node 0.
#[derive(Clone)]
struct Small {
    marks: Marks,
    edges: Vec<Vec<(usize, Marks)>>,
}

/// Number of edges that a worker may still compute; `None` is unlimited.
struct Limit(Option<u32>);

#[derive(Debug, PartialEq)]
struct Stopped;

impl Graph for Small {
    type Stop = Stopped;
    type Worker = Limit;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.marks
    }

    fn initial(&self, _: &mut Limit, k: usize) -> Result<Option<NodeId>, Stopped> {
        Ok((k == 0).then_some(NodeId(0)))
    }

    fn next_edge(
        &self,
        worker: &mut Limit,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stopped> {
        if let Some(left) = &mut worker.0 {
            *left = left.checked_sub(1).ok_or(Stopped)?;
        }
        let edge = self.edges[node.index()].get(*cursor);
        *cursor += 1;
        Ok(edge.map(|&(to, marks)| Edge {
            to: NodeId(to as u32),
            marks,
        }))
    }
}

impl Small {
    fn random(random: &mut Random) -> Small {
        let nodes = random.between(2, MAX_NODES - 1);
        let marks = 1 + random.below(2_u32);
        let edge = |random: &mut Random| {
            let carried = if random.percent(25) {
                Marks::one(random.below(marks))
            } else {
                Marks::NONE
            };
            (random.below(nodes), carried)
        };
        let edges =
            |random: &mut Random| (0..random.below(4_usize)).map(|_| edge(random)).collect();
        Small {
            marks: Marks::all(marks),
            edges: (0..nodes).map(|_| edges(random)).collect(),
        }
    }

    /// The nodes reachable from one by at least one edge.
    fn reach(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut list = vec![from];
        while let Some(node) = list.pop() {
            for (to, _) in &self.edges[node] {
                if !std::mem::replace(&mut reached[*to], true) {
                    list.push(*to);
                }
            }
        }
        reached
    }

    /// Returns whether a component with all marks is reachable.
    fn accepts(&self) -> bool {
        let reach: Vec<Vec<bool>> = (0..self.edges.len()).map(|node| self.reach(node)).collect();
        let is_reached = |node: usize| node == 0 || reach[0][node];
        let accepts = |node: usize| {
            let inside = |other: usize| reach[node][other] && reach[other][node];
            let mut marks = Marks::NONE;
            for from in (0..self.edges.len()).filter(|from| inside(*from)) {
                let edges = self.edges[from].iter().filter(|(to, _)| inside(*to));
                edges.for_each(|(_, carried)| marks = marks.union(*carried));
            }
            inside(node) && marks.contains(self.marks)
        };
        (0..self.edges.len()).any(|node| is_reached(node) && accepts(node))
    }
}

/// The answer of the given number of workers, the first with a limit; also computes the evidence.
fn answer(graph: &Small, workers: usize, limit: Option<u32>) -> Result<bool, Stopped> {
    let mut workers: Vec<Limit> = (0..workers).map(|_| Limit(None)).collect();
    workers[0] = Limit(limit);
    match ufscc(graph, &mut workers, &mut Counts::default())? {
        Outcome::Empty => Ok(false),
        Outcome::Accepting(clue) => {
            let evidence = clue.evidence(graph, &mut Limit(None));
            assert!(evidence.is_ok());
            Ok(true)
        }
        Outcome::Undecided(_) => panic!("UFSCC decides"),
    }
}

#[test]
fn every_schedule_gives_the_right_answer() {
    each_case(60, |random| {
        let graph = Small::random(random);
        let workers = random.between(2, 3);
        let expected = graph.accepts();
        let model = move || assert_eq!(answer(&graph, workers, None), Ok(expected));
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}

/// A worker stopped at any point ends the search: the result is the correct answer or a stop.
#[test]
fn stopping_one_worker_stops_all() {
    each_case(40, |random| {
        let graph = Small::random(random);
        let workers = random.between(2, 3);
        let limit = random.below(12_u32);
        let expected = graph.accepts();
        let model = move || {
            let found = answer(&graph, workers, Some(limit));
            assert!(found == Err(Stopped) || found == Ok(expected));
        };
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}
