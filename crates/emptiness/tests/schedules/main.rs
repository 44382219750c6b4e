//! Complete searches of UFSCC on small graphs with shuttle's atomics and threads under random
//! schedules: longer runs than loom can explore exhaustively.

#![allow(dead_code, reason = "the included files also serve other checks")]

#[path = "../it/explicit.rs"]
mod explicit;
#[path = "../../src/graph.rs"]
mod graph;
#[path = "../../src/lasso_hint.rs"]
mod lasso_hint;
#[path = "../../src/outcome.rs"]
mod outcome;
#[path = "../../src/pending_edges.rs"]
mod pending_edges;
#[path = "../../src/scc_stack.rs"]
mod scc_stack;
mod sync;
#[path = "../../src/threads.rs"]
mod threads;
#[path = "../../src/ufscc.rs"]
mod ufscc;
#[path = "../../src/union_find.rs"]
mod union_find;

use explicit::{Explicit, Limit, Stopped};
use graph::Marks;
use lariat_corpora::{Random, each_case};
use outcome::{Counts, Outcome};
use sync::MAX_NODES;
use ufscc::ufscc;

/// Schedules of each graph.
const SCHEDULES: usize = 8;

/// A random graph with initial node 0.
fn random_graph(random: &mut Random) -> Explicit {
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
    let edges = |random: &mut Random| (0..random.below(4_usize)).map(|_| edge(random)).collect();
    Explicit {
        marks: Marks::all(marks),
        initial: vec![0],
        edges: (0..nodes).map(|_| edges(random)).collect(),
    }
}

/// The answer of the given number of workers, the first with a limit; also computes the evidence.
fn answer(graph: &Explicit, workers: usize, limit: Limit) -> Result<bool, Stopped> {
    let mut workers: Vec<Limit> = (0..workers).map(|_| Limit::none()).collect();
    workers[0] = limit;
    match ufscc(graph, &mut workers, &mut Counts::default())? {
        Outcome::Empty => Ok(false),
        Outcome::Accepting(clue) => {
            let evidence = clue.evidence(graph, &mut Limit::none());
            assert!(evidence.is_ok());
            Ok(true)
        }
        Outcome::Undecided(_) => panic!("UFSCC decides"),
    }
}

#[test]
fn every_schedule_gives_the_right_answer() {
    each_case(60, |random| {
        let graph = random_graph(random);
        let workers = random.between(2, 3);
        let expected = graph.accepts();
        let model = move || assert_eq!(answer(&graph, workers, Limit::none()), Ok(expected));
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}

/// A worker stopped at any point ends the search: the result is the correct answer or a stop.
#[test]
fn stopping_one_worker_stops_all() {
    each_case(40, |random| {
        let graph = random_graph(random);
        let workers = random.between(2, 3);
        let limit = random.below(24_u64);
        let expected = graph.accepts();
        let model = move || {
            let found = answer(&graph, workers, Limit(limit));
            assert!(found == Err(Stopped) || found == Ok(expected));
        };
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}
