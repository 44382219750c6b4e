//! OWCTY against Couvreur's check and the naive answer, with few and with many workers.

use crate::explicit::{Explicit, SMALL_GRAPHS};
use crate::kit::check_lasso;
use lariat_budget::{Budget, Cancel, Stop};
use lariat_corpora::{Random, each_case};
use lariat_emptiness::{
    Counts, Edge, Graph, Layered, Marks, NodeId, Outcome, Remaining, couvreur, owcty,
};
use lariat_parallel::SharedHandle;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A graph with layers, whose workers yield the processor at random and use a gate.
struct Uneven<'g> {
    explicit: &'g Explicit,
    layers: Vec<Option<u32>>,
}

struct Worker {
    handle: SharedHandle<u64>,
    random: Random,
    /// Stops after this number of edges, or panics.
    fuse: u64,
    panics: bool,
}

fn workers(random: &mut Random, count: usize) -> Vec<Worker> {
    let first = SharedHandle::new(0, 0);
    let worker = |_| Worker {
        handle: first.another(),
        random: Random::new(random.bits()),
        fuse: u64::MAX,
        panics: false,
    };
    (0..count).map(worker).collect()
}

impl Graph for Uneven<'_> {
    type Stop = Stop;
    type Worker = Worker;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.explicit.marks
    }

    fn initial(&self, worker: &mut Worker, k: usize) -> Result<Option<NodeId>, Stop> {
        assert!(worker.handle.is_inside());
        Ok(self.explicit.initial.get(k).map(|n| NodeId(*n as u32)))
    }

    fn next_edge(
        &self,
        worker: &mut Worker,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stop> {
        assert!(worker.handle.is_inside());
        if worker.random.chance(1, 300) {
            std::thread::yield_now();
        }
        if worker.random.chance(1, 500) {
            let more = |count: &mut u64| *count += 1;
            worker.handle.with_exclusive(&Budget::unlimited(), more)?;
        }
        if worker.handle.is_wanted() {
            worker.handle.yield_to_writer();
        }
        match worker.fuse.checked_sub(1) {
            Some(left) => worker.fuse = left,
            None if worker.panics => panic!("the fuse has expired"),
            None => return Err(Stop::Memory),
        }
        let edge = self.explicit.edges[node.index()].get(*cursor);
        *cursor += 1;
        Ok(edge.map(|&(to, marks)| Edge {
            to: NodeId(to as u32),
            marks,
        }))
    }

    fn rest(&self, worker: &mut Worker) {
        worker.handle.leave();
    }

    fn wake(&self, worker: &mut Worker) -> Result<(), Stop> {
        worker.handle.enter();
        Ok(())
    }
}

impl Layered for Uneven<'_> {
    fn layer(&self, _: &Worker, node: NodeId) -> Option<u32> {
        self.layers[node.index()]
    }
}

/// One layer for all nodes; or one per component, of which those that do not accept may be omitted.
fn with_layers<'g>(explicit: &'g Explicit, random: &mut Random) -> Uneven<'g> {
    let nodes = explicit.edges.len();
    if nodes > 60 || random.percent(30) {
        let layers = vec![Some(7); nodes];
        return Uneven { explicit, layers };
    }
    let from: Vec<Vec<bool>> = (0..nodes).map(|n| explicit.reach(&[n], 0)).collect();
    let omits = random.percent(50);
    let layer = |n: usize| {
        let with = |m: usize| from[n][m] && from[m][n];
        let edges = (0..nodes)
            .filter(|m| with(*m))
            .flat_map(|m| &explicit.edges[m]);
        let marks: Vec<Marks> = edges.filter(|e| with(e.0)).map(|e| e.1).collect();
        let union = marks.iter().fold(Marks::NONE, |all, m| all.union(*m));
        let accepts = !marks.is_empty() && union.contains(explicit.marks);
        let first = (0..nodes).find(|m| with(*m)).map(|m| m as u32);
        first.filter(|_| accepts || !omits)
    };
    let layers = (0..nodes).map(layer).collect();
    Uneven { explicit, layers }
}

/// Small graphs as in other tests, and larger ones with few marks, so that most are empty and
/// workers meet.
fn random_graph(random: &mut Random) -> Explicit {
    if random.percent(50) {
        return Explicit::random(random);
    }
    let n = random.between(30, 400);
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

fn check(graph: &Uneven<'_>, worker: &mut Worker, found: &Outcome<Remaining>) {
    worker.handle.enter();
    let right = couvreur(graph, worker, &mut Counts::default()).unwrap();
    match found {
        Outcome::Empty => assert_eq!(right, Outcome::Empty),
        Outcome::Accepting(remaining) => {
            assert!(matches!(right, Outcome::Accepting(_)));
            let lasso = remaining.lasso(graph, worker).unwrap().unwrap();
            check_lasso(graph, worker, &lasso);
        }
        Outcome::Undecided(_) => panic!("the graph is small"),
    }
    worker.handle.leave();
}

#[test]
fn agrees_with_couvreur() {
    let empty = AtomicUsize::new(0);
    each_case(1000, |random| {
        let explicit = random_graph(random);
        let graph = with_layers(&explicit, random);
        for count in [1, 2, 3, 8] {
            let mut workers = workers(random, count);
            let mut counts = Counts::default();
            let budget = Budget::bytes(50_000_000);
            let found = owcty(&graph, &mut workers, &budget, &mut counts).unwrap();
            check(&graph, &mut workers[0], &found);
            if matches!(found, Outcome::Empty) {
                empty.fetch_add(1, Ordering::Relaxed);
                let reachable = explicit.reach(&explicit.initial, 0);
                let nodes = reachable.iter().filter(|r| **r).count();
                assert_eq!(counts.nodes, nodes as u64);
            }
            assert_eq!(budget.bytes_used(), 0);
        }
    });
    println!("{} answers were `empty`", empty.into_inner());
}

/// Wherever a worker is stopped, the result is the correct answer or a stop, and all workers end.
#[test]
fn stopping_one_worker_stops_all() {
    each_case(600, |random| {
        let explicit = random_graph(random);
        let graph = with_layers(&explicit, random);
        let count = *random.one_of(&[2, 3, 8]);
        let mut workers = workers(random, count);
        let stopped = random.below(workers.len());
        workers[stopped].fuse = random.below(400) as u64;
        let cancel = Cancel::default();
        let budget = Budget::bytes(50_000_000).with_cancel(cancel.clone());
        if random.percent(20) {
            cancel.press();
        }
        match owcty(&graph, &mut workers, &budget, &mut Counts::default()) {
            Err(stop) => assert!(stop == Stop::Memory || stop == Stop::Interrupted),
            Ok(found) => {
                workers[stopped].fuse = u64::MAX;
                check(&graph, &mut workers[stopped], &found);
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
        let graph = with_layers(&explicit, random);
        let mut workers = workers(random, 3);
        let lost = random.below(3);
        workers[lost].fuse = random.below(200) as u64;
        workers[lost].panics = true;
        let budget = Budget::unlimited();
        let mut counts = Counts::default();
        let found = catch_unwind(AssertUnwindSafe(|| {
            owcty(&graph, &mut workers, &budget, &mut counts)
        }));
        workers[lost].fuse = u64::MAX;
        match found {
            Err(_) => panics += 1,
            Ok(found) => check(&graph, &mut workers[lost], &found.unwrap()),
        }
    });
    std::panic::set_hook(quiet);
    assert!(panics > 0);
}

#[test]
fn self_loops_and_no_marks() {
    for (marks, initial, edges, accepts) in SMALL_GRAPHS {
        let explicit = Explicit::new(marks, initial, edges);
        let layers = vec![Some(0); explicit.edges.len()];
        let graph = Uneven {
            explicit: &explicit,
            layers,
        };
        let mut workers = workers(&mut Random::new(1), 2);
        let budget = Budget::unlimited();
        let found = owcty(&graph, &mut workers, &budget, &mut Counts::default()).unwrap();
        assert_eq!(
            matches!(found, Outcome::Accepting(_)),
            accepts,
            "{explicit:?}"
        );
    }
}

/// A graph of several segments and blocks of edge lists, without cycles and with a single one.
#[test]
fn large_graphs_are_trimmed() {
    const NODES: usize = 5_000;
    for closes in [false, true] {
        let step = |n: usize, by: usize| ((n + by).min(NODES - 1), Marks::NONE);
        let edges = |n: usize| match n {
            _ if n + 1 < NODES => vec![step(n, 1), step(n, 577), step(n, 3)],
            _ if closes => vec![(NODES - 300, Marks::NONE)],
            _ => Vec::new(),
        };
        let explicit = Explicit {
            marks: Marks::NONE,
            initial: vec![0],
            edges: (0..NODES).map(edges).collect(),
        };
        for count in [1, 2, 4] {
            let graph = Uneven {
                explicit: &explicit,
                layers: vec![Some(0); NODES],
            };
            let mut workers = workers(&mut Random::new(1), count);
            let budget = Budget::unlimited();
            let found = owcty(&graph, &mut workers, &budget, &mut Counts::default()).unwrap();
            check(&graph, &mut workers[0], &found);
        }
    }
}

/// Nodes outside of all layers lead into one without a cycle.
#[test]
fn edges_into_a_layer_do_not_count() {
    let mark = Marks::one(0);
    let edges: [&[(usize, u64)]; 5] = [&[(2, 0), (3, 0)], &[(3, 1)], &[(4, 0)], &[], &[(0, 0), (1, 0)]];
    let explicit = Explicit::new(1, &[0], &edges);
    let graph = Uneven {
        explicit: &explicit,
        layers: vec![None, Some(0), None, Some(0), None],
    };
    assert_eq!(graph.marks(), mark);
    for count in [1, 2, 3] {
        let mut workers = workers(&mut Random::new(1), count);
        let budget = Budget::unlimited();
        let found = owcty(&graph, &mut workers, &budget, &mut Counts::default()).unwrap();
        check(&graph, &mut workers[0], &found);
    }
}
