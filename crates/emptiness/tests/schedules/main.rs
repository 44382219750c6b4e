//! Whole searches of UFSCC on small graphs, on shuttle's atomics and threads, under random schedules: more steps than loom can try in every order.

#![allow(dead_code, reason = "files of the crate have parts for other checks")]

#[path = "../../src/graph.rs"]
mod graph;
#[path = "../../src/kept.rs"]
mod kept;
#[path = "../../src/outcome.rs"]
mod outcome;
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
use sync::ROOM;
use ufscc::ufscc;

/// Schedules of each graph.
const SCHEDULES: usize = 8;

/// A graph by its edges; it begins in node 0.
#[derive(Clone)]
struct Small {
    marks: Marks,
    edges: Vec<Vec<(usize, Marks)>>,
}

/// How many edges a worker may still ask for.
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
        let nodes = random.between(2, ROOM - 1);
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

    /// The nodes that are reached from one, by at least one step.
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

    /// Is there a component with all marks that is reached?
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

/// The answer of so many workers, of which one may have a limit; and the evidence if there is some.
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

/// A worker that is stopped at any point ends the work of all: the answer is the right one or none.
#[test]
fn a_stop_of_one_is_a_stop_of_all() {
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
