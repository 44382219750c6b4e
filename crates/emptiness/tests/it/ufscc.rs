//! UFSCC against Couvreur's check and the naive answer, with few and with many workers.

use crate::explicit::{Explicit, Limit, SMALL_GRAPHS, Stopped};
use crate::kit::check_against_couvreur;
use lariat_budget::Budget;
use lariat_corpora::{Random, each_case};
use lariat_emptiness::{Counts, Edge, Graph, LassoHint, Marks, NodeId, Outcome, ufscc};
use lariat_parallel::SharedHandle;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A graph whose workers yield the processor at random, so that they meet at different nodes.
struct Uneven<'g>(&'g Explicit);

struct Worker {
    limit: Limit,
    random: Random,
    /// Panics after this number of edges.
    fuse: Option<u64>,
}

fn workers(random: &mut Random, count: usize) -> Vec<Worker> {
    let worker = |_| Worker {
        limit: Limit::none(),
        random: Random::new(random.bits()),
        fuse: None,
    };
    (0..count).map(worker).collect()
}

impl Graph for Uneven<'_> {
    type Stop = Stopped;
    type Worker = Worker;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.0.marks
    }

    fn initial(&self, worker: &mut Worker, k: usize) -> Result<Option<NodeId>, Stopped> {
        self.0.initial(&mut worker.limit, k)
    }

    fn next_edge(
        &self,
        worker: &mut Worker,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stopped> {
        if worker.random.chance(1, 300) {
            std::thread::yield_now();
        }
        if let Some(fuse) = &mut worker.fuse {
            *fuse = fuse.checked_sub(1).expect("the fuse has expired");
        }
        self.0.next_edge(&mut worker.limit, node, cursor)
    }

    fn tick(&self, worker: &mut Worker, bytes: usize) -> Result<(), Stopped> {
        self.0.tick(&mut worker.limit, bytes)
    }
}

/// Small graphs as in other tests, and larger ones with few marks, so that most are empty and
/// workers meet.
fn random_graph(random: &mut Random) -> Explicit {
    if random.percent(50) {
        return Explicit::random(random);
    }
    let n = random.between(50, 400);
    let marks = 1 + random.below(3) as u32;
    let near = random.between(2, n);
    let edges = |v: usize, random: &mut Random| {
        let edge = |random: &mut Random| {
            // Backward edges are short, to obtain components of every size.
            let to = if random.percent(30) {
                v.saturating_sub(random.below(near))
            } else {
                (v + random.below(40)).min(n - 1)
            };
            let carried = if random.percent(3) {
                Marks::one(random.below(marks as usize) as u32)
            } else {
                Marks::NONE
            };
            (to, carried)
        };
        (0..random.between(0, 4)).map(|_| edge(random)).collect()
    };
    Explicit {
        marks: Marks::all(marks),
        initial: vec![0, random.below(n)],
        edges: (0..n).map(|v| edges(v, random)).collect(),
    }
}

fn check(graph: &Uneven<'_>, workers: &mut [Worker], found: &Outcome<LassoHint>) {
    let evidence = |hint: &LassoHint, worker: &mut Worker| hint.evidence(graph, worker).unwrap();
    check_against_couvreur(graph, &mut workers[0], found, evidence);
}

#[test]
fn agrees_with_couvreur() {
    let empty = AtomicUsize::new(0);
    each_case(1000, |random| {
        let explicit = random_graph(random);
        let graph = Uneven(&explicit);
        for count in [1, 2, 3, 8] {
            let mut workers = workers(random, count);
            let mut counts = Counts::default();
            let found = ufscc(&graph, &mut workers, &mut counts).unwrap();
            check(&graph, &mut workers, &found);
            if matches!(found, Outcome::Empty) {
                empty.fetch_add(1, Ordering::Relaxed);
                let reachable = explicit.reach(&explicit.initial, 0);
                let nodes = reachable.iter().filter(|r| **r).count();
                assert_eq!(counts.nodes, nodes as u64);
            }
        }
        if explicit.edges.len() < 30 {
            let mut workers = workers(random, 2);
            let found = ufscc(&graph, &mut workers, &mut Counts::default()).unwrap();
            assert_eq!(matches!(found, Outcome::Accepting(_)), explicit.accepts());
        }
    });
    println!("{} answers were `empty`", empty.into_inner());
}

/// Wherever a worker is stopped, the result is the correct answer or a stop, and all workers end.
#[test]
fn stopping_one_worker_stops_all() {
    each_case(600, |random| {
        let explicit = random_graph(random);
        let graph = Uneven(&explicit);
        let count = *random.one_of(&[2, 3, 8]);
        let mut workers = workers(random, count);
        let stopped = random.below(workers.len());
        workers[stopped].limit = Limit(random.below(400) as u64);
        match ufscc(&graph, &mut workers, &mut Counts::default()) {
            Err(Stopped) => {}
            Ok(found) => {
                workers[stopped].limit = Limit::none();
                check(&graph, &mut workers, &found);
            }
        }
    });
}

/// A panic of a worker reaches the caller, and no other worker waits for it.
#[test]
fn a_panic_reaches_the_caller_without_blocking_workers() {
    let mut panics = 0;
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    each_case(150, |random| {
        let explicit = random_graph(random);
        let graph = Uneven(&explicit);
        let mut workers = workers(random, 3);
        let lost = random.below(3);
        workers[lost].fuse = Some(random.below(200) as u64);
        let mut counts = Counts::default();
        let found = catch_unwind(AssertUnwindSafe(|| {
            ufscc(&graph, &mut workers, &mut counts)
        }));
        workers[lost].fuse = None;
        match found {
            Err(_) => panics += 1,
            Ok(found) => check(&graph, &mut workers, &found.unwrap()),
        }
    });
    std::panic::set_hook(quiet);
    assert!(panics > 0);
}

#[test]
fn self_loops_and_no_marks() {
    for (marks, initial, edges, accepts) in SMALL_GRAPHS {
        let graph = Explicit::new(marks, initial, edges);
        let mut workers = [Limit::none(), Limit::none()];
        let found = ufscc(&graph, &mut workers, &mut Counts::default()).unwrap();
        assert_eq!(matches!(found, Outcome::Accepting(_)), accepts, "{graph:?}");
    }
}

/// A graph whose worker state lies behind a gate, as the state table does: workers yield to writers
/// in `tick`, and some steps need exclusive access. Every node has edges to the next two nodes.
struct Gated {
    nodes: u32,
}

struct GatedWorker {
    pass: SharedHandle<u64>,
    random: Random,
}

impl Graph for Gated {
    type Stop = Infallible;
    type Worker = GatedWorker;
    type Cursor = u32;

    fn marks(&self) -> Marks {
        Marks::one(0)
    }

    fn initial(&self, worker: &mut GatedWorker, k: usize) -> Result<Option<NodeId>, Infallible> {
        worker.pass.enter();
        Ok((k == 0).then_some(NodeId(0)))
    }

    fn next_edge(
        &self,
        worker: &mut GatedWorker,
        node: NodeId,
        cursor: &mut u32,
    ) -> Result<Option<Edge>, Infallible> {
        if worker.random.chance(1, 50) {
            let more = |count: &mut u64| *count += 1;
            worker
                .pass
                .with_exclusive(&Budget::unlimited(), more)
                .unwrap();
        }
        *cursor += 1;
        // Different workers begin at different ends, so they need new segments at different times.
        let step = if worker.random.chance(1, 2) {
            *cursor
        } else {
            3 - (*cursor).min(2)
        };
        let to = NodeId((node.0 + step * 577) % self.nodes);
        let edge = Edge {
            to,
            marks: Marks::NONE,
        };
        Ok((*cursor <= 2).then_some(edge))
    }

    fn tick(&self, worker: &mut GatedWorker, _: usize) -> Result<(), Infallible> {
        worker.pass.yield_to_writer();
        Ok(())
    }

    fn rest(&self, worker: &mut GatedWorker) {
        worker.pass.leave();
    }
}

/// Shared arrays grow while other workers wait for exclusive access to the states: a worker that
/// allocates a segment must not wait at the gate, because workers inside it wait for the segment.
#[test]
fn arrays_grow_while_workers_wait_for_exclusive_access() {
    let (done, finished) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for seed in 0..40 {
            let first = SharedHandle::new(0u64, 0u64);
            let worker = |k: u64| GatedWorker {
                pass: first.another(),
                random: Random::new(seed * 100 + k),
            };
            let mut workers: Vec<GatedWorker> = (0..8).map(worker).collect();
            // The handle would keep writers waiting.
            drop(first);
            let graph = Gated { nodes: 30_011 };
            let found = ufscc(&graph, &mut workers, &mut Counts::default());
            assert!(matches!(found, Ok(Outcome::Empty)));
        }
        done.send(()).unwrap();
    });
    let time = std::time::Duration::from_secs(120);
    assert_eq!(
        finished.recv_timeout(time),
        Ok(()),
        "the workers wait for each other"
    );
}
