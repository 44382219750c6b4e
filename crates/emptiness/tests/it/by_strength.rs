//! UFSCC by strength against Couvreur's check, with few and with many workers.

use crate::explicit::{Explicit, Limit};
use crate::kit::check_against_couvreur;
use lariat_budget::{Budget, Stop};
use lariat_corpora::{Random, each_case};
use lariat_emptiness::{
    Counts, Edge, Graph, Marks, NodeId, Outcome, StrengthHint, Transient, ufscc_by_strength,
};
use lariat_parallel::Outside;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A graph some of whose nodes are declared transient.
struct Graded {
    graph: Explicit,
    transient: Vec<bool>,
    budget: Budget,
}

struct Worker {
    limit: Limit,
    random: Random,
    /// Panics after this number of edges.
    fuse: Option<u64>,
}

impl Graph for Graded {
    type Stop = Stop;
    type Worker = Worker;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.graph.marks
    }

    fn initial(&self, worker: &mut Worker, k: usize) -> Result<Option<NodeId>, Stop> {
        let found = self.graph.initial(&mut worker.limit, k);
        found.map_err(|_| Stop::Interrupted)
    }

    fn next_edge(
        &self,
        worker: &mut Worker,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stop> {
        if worker.random.chance(1, 300) {
            std::thread::yield_now();
        }
        if let Some(fuse) = &mut worker.fuse {
            *fuse = fuse.checked_sub(1).expect("the fuse has expired");
        }
        let found = self.graph.next_edge(&mut worker.limit, node, cursor);
        found.map_err(|_| Stop::Interrupted)
    }
}

impl Transient for Graded {
    fn is_transient(&self, _: &Worker, node: NodeId) -> bool {
        self.transient[node.index()]
    }

    fn outside<'w>(&self, worker: &'w mut Worker) -> Outside<'w> {
        let _ = worker;
        // The budget of a test outlives all workers.
        Outside::of_thread(Box::leak(Box::new(self.budget.clone())))
    }

    fn inside(&self, _: &mut Worker) -> Result<(), Stop> {
        Ok(())
    }
}

fn workers(random: &mut Random, count: usize) -> Vec<Worker> {
    let worker = |_| Worker {
        limit: Limit::none(),
        random: Random::new(random.bits()),
        fuse: None,
    };
    (0..count).map(worker).collect()
}

/// Small graphs as in other tests, and wide ones, whose lists are divided. Of the nodes on no
/// accepting cycle a random part is transient.
fn random_graph(random: &mut Random) -> Graded {
    let graph = if random.percent(70) {
        Explicit::random(random)
    } else {
        let n = random.between(100, 700);
        let edge = |random: &mut Random, v: usize| {
            let to = if random.percent(10) {
                v.saturating_sub(random.below(5))
            } else {
                (v + random.below(300)).min(n - 1)
            };
            let marks = if random.percent(2) {
                Marks::one(0)
            } else {
                Marks::NONE
            };
            (to, marks)
        };
        let edges = |v, random: &mut Random| {
            let count = random.between(0, 6);
            (0..count).map(|_| edge(random, v)).collect()
        };
        Explicit {
            marks: Marks::all(1),
            initial: vec![0, random.below(n)],
            edges: (0..n).map(|v| edges(v, random)).collect(),
        }
    };
    let percent = *random.one_of(&[0, 30, 80, 100]);
    let on_cycles = graph.on_accepting_cycles().into_iter();
    Graded {
        transient: on_cycles.map(|on| !on && random.percent(percent)).collect(),
        graph,
        budget: Budget::unlimited(),
    }
}

fn check(graph: &Graded, workers: &mut [Worker], found: &Outcome<StrengthHint>) {
    let evidence = |hint: &StrengthHint, worker: &mut Worker| hint.evidence(graph, worker).unwrap();
    check_against_couvreur(graph, &mut workers[0], found, evidence);
}

#[test]
fn agrees_with_couvreur() {
    let mut answers = [0, 0];
    each_case(400, |random| {
        let graph = random_graph(random);
        for count in [1, 2, 3, 8] {
            let mut workers = workers(random, count);
            let mut counts = Counts::default();
            let found = ufscc_by_strength(&graph, &mut workers, &mut counts).unwrap();
            check(&graph, &mut workers, &found);
            let is_empty = matches!(found, Outcome::Empty);
            answers[usize::from(is_empty)] += 1;
            if is_empty {
                let reachable = graph.graph.reach(&graph.graph.initial, 0);
                let nodes = reachable.iter().filter(|reached| **reached).count();
                assert_eq!(counts.nodes, nodes as u64);
            }
        }
    });
    assert!(answers.iter().all(|count| *count > 0), "{answers:?}");
}

/// Wherever a worker is stopped, the result is the correct answer or a stop, and all workers end.
#[test]
fn stopping_one_worker_stops_all() {
    each_case(300, |random| {
        let graph = random_graph(random);
        let count = *random.one_of(&[2, 3, 8]);
        let mut workers = workers(random, count);
        let stopped = random.below(workers.len());
        workers[stopped].limit = Limit(random.below(400) as u64);
        if let Ok(found) = ufscc_by_strength(&graph, &mut workers, &mut Counts::default()) {
            workers[stopped].limit = Limit::none();
            check(&graph, &mut workers, &found);
        }
    });
}

/// A panic of a worker reaches the caller, and no other worker waits for it.
#[test]
fn a_panic_reaches_the_caller_without_blocking_workers() {
    let mut panics = 0;
    each_case(100, |random| {
        let graph = random_graph(random);
        let mut workers = workers(random, 3);
        let lost = random.below(3);
        workers[lost].fuse = Some(random.below(200) as u64);
        let mut counts = Counts::default();
        let found = catch_unwind(AssertUnwindSafe(|| {
            ufscc_by_strength(&graph, &mut workers, &mut counts)
        }));
        workers[lost].fuse = None;
        match found {
            Err(_) => panics += 1,
            Ok(found) => check(&graph, &mut workers, &found.unwrap()),
        }
    });
    assert!(panics > 0);
}

/// The lists of wide graphs are divided, and a search may be performed by several workers.
#[test]
fn large_graphs_are_divided() {
    let n = 20_000;
    for transient in [true, false] {
        // A tree whose leaves lead to one cycle without the mark.
        let edges = |v: usize| match 3 * v + 3 < n {
            true => (1..=3).map(|k| (3 * v + k, Marks::NONE)).collect(),
            false => vec![((v + 1).min(n - 1), Marks::NONE)],
        };
        let graph = Graded {
            graph: Explicit {
                marks: Marks::all(1),
                initial: vec![0],
                edges: (0..n).map(edges).collect(),
            },
            transient: (0..n).map(|v| transient || v == 0).collect(),
            budget: Budget::unlimited(),
        };
        let mut workers = workers(&mut Random::new(7), 8);
        let mut counts = Counts::default();
        let found = ufscc_by_strength(&graph, &mut workers, &mut counts).unwrap();
        assert!(matches!(found, Outcome::Empty));
        assert_eq!(counts.nodes, n as u64);
    }
}
