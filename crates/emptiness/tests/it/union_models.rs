//! What the workers of UFSCC share, tried by loom in every order of events with up to two preemptions a thread: the same file that the crate is made of, on
//! loom's atomics.

use crate::union_find::{Claim, MOST_WORKERS, Place, UnionFind};
use lariat_emptiness::{Marks, NodeId};
use loom::sync::Arc;
use loom::thread;

fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = model.preemption_bound.or(Some(2));
    model.check(run);
}

const NODES: [NodeId; 3] = [NodeId(0), NodeId(1), NodeId(2)];

/// What an edge of the cycle of two nodes is marked with.
fn marks_from(node: NodeId) -> Marks {
    Marks(1 << node.0)
}

/// A worker: its bit, and the place of the next node that it is the first to see.
struct Worker {
    bit: u64,
    free: u32,
}

impl Worker {
    /// The worker with this number; models have one node that it sees first, or three that the first sees.
    fn new(number: u32) -> Worker {
        Worker {
            bit: 1 << number,
            free: 2 * number,
        }
    }

    fn claim(&mut self, sets: &UnionFind, node: NodeId) -> Claim<Place> {
        let free = Place(self.free);
        let claim = sets.claim(node, self.bit, free);
        self.free += u32::from(claim == Claim::New(free));
        claim
    }

    /// The place of a node that no other worker has seen.
    fn first(&mut self, sets: &UnionFind, node: NodeId) -> Place {
        match self.claim(sets, node) {
            Claim::New(place) => place,
            other => panic!("{other:?}"),
        }
    }
}

/// Two come to a node that nobody has seen: one of them is the first, and the set has both.
#[test]
fn one_of_two_is_the_first_to_claim_a_node() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        assert_eq!(sets.look(NODES[0], 1), Claim::New(None));
        let theirs = sets.clone();
        let thread = thread::spawn(move || Worker::new(1).claim(&theirs, NODES[0]));
        let claims = [
            Worker::new(0).claim(&sets, NODES[0]),
            thread.join().unwrap(),
        ];
        let places = [Worker::new(0), Worker::new(1)].map(|worker| Place(worker.free));
        let first = |place| claims == [Claim::New(place); 2];
        assert!(places.into_iter().any(first), "{claims:?}");
        for bit in [1, 2] {
            assert!(matches!(sets.look(NODES[0], bit), Claim::Found(_)));
        }
    });
}

/// What is left of the search of one worker on the cycle of the nodes 0 and 1 when it has come from `start` to the other one, each at its place; see `ufscc.rs`.
fn search(sets: &UnionFind, places: [Place; 2], start: usize, bit: u64) {
    let (begin, second) = (places[start], places[1 - start]);
    // The edge back closes the cycle.
    sets.unite(second, begin, marks_from(NODES[1 - start]));
    sets.finish(second);
    while let Some(place) = sets.pick(begin) {
        let node = sets.node(place);
        let edge = NODES[1 - node.index()];
        if let Claim::Found(at) = sets.look(edge, bit) {
            sets.unite(place, at, marks_from(node));
        }
        sets.finish(place);
    }
    assert!(sets.is_dead(begin) && sets.is_finished(begin));
}

#[test]
fn two_workers_bury_one_cycle_with_all_its_marks() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let places = [NODES[0], NODES[1]].map(|node| worker.first(&sets, node));
        for node in &NODES[..2] {
            Worker::new(1).claim(&sets, *node);
        }
        let theirs = sets.clone();
        let thread = thread::spawn(move || search(&theirs, places, 1, 2));
        search(&sets, places, 0, 1);
        thread.join().unwrap();
        assert!(sets.same(places[0], places[1]));
        let known = NODES.map(|node| sets.look(node, 1));
        assert_eq!(known, [Claim::Dead, Claim::Dead, Claim::New(None)]);
        let all = sets.mark(places[0], Marks::NONE);
        assert_eq!(all, Marks(3), "a mark was lost");
    });
}

#[test]
fn marks_and_workers_reach_the_root_that_is_being_united() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let places = NODES.map(|node| worker.first(&sets, node));
        assert_eq!(sets.reserve(0, NODES[2], |_| Err(())), Ok(()));
        let theirs = sets.clone();
        let thread = thread::spawn(move || {
            theirs.mark(places[0], Marks(4));
            Worker::new(1).claim(&theirs, NODES[0])
        });
        sets.unite(places[0], places[1], Marks(1));
        sets.unite(places[1], places[2], Marks(2));
        assert_ne!(thread.join().unwrap(), Claim::Dead);
        assert!(sets.same(places[0], places[2]));
        assert_eq!(sets.mark(places[2], Marks::NONE), Marks(7));
        // Both have a node of the set on their paths.
        let claims = [1, 2].map(|bit| sets.look(NODES[1], bit));
        assert!(claims.iter().all(|claim| matches!(claim, Claim::Found(_))));
    });
}

/// Bits that are there already are not written: who reads them while the root gets a parent goes on to the parent, whatever becomes of who wrote them.
#[test]
fn bits_that_are_there_reach_the_root_all_the_same() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let places = NODES.map(|node| worker.first(&sets, node));
        let [first, second] = [sets.clone(), sets.clone()].map(|sets| {
            thread::spawn(move || {
                sets.mark(places[1], Marks(1));
            })
        });
        sets.unite(places[1], places[0], Marks::NONE);
        second.join().unwrap();
        assert_eq!(sets.mark(places[0], Marks::NONE), Marks(1));
        first.join().unwrap();
    });
}

/// Edges that are kept stay so while the node is locked on its list, unlocked and taken off.
#[test]
fn what_is_kept_stays() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let places = NODES.map(|node| worker.first(&sets, node));
        let theirs = sets.clone();
        let thread = thread::spawn(move || {
            theirs.keep(places[0], 7);
        });
        sets.unite(places[0], places[1], Marks::NONE);
        sets.keep(places[0], 7);
        thread.join().unwrap();
        sets.finish(places[0]);
        assert_eq!(sets.kept(places[0]), Some(7));
        assert!(sets.is_finished(places[0]) && !sets.is_finished(places[1]));
        assert_eq!(sets.pick(places[0]), Some(places[1]));
    });
}

/// Two unite the same sets in opposite directions: neither waits for the other for ever.
#[test]
fn uniting_from_both_sides_ends() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let [a, b, _] = NODES.map(|node| worker.first(&sets, node));
        let theirs = sets.clone();
        let thread = thread::spawn(move || theirs.unite(b, a, Marks(1)));
        let mine = sets.unite(a, b, Marks(2));
        let other = thread.join().unwrap();
        // Whoever adds the last mark sees all.
        assert!(mine == Marks(3) || other == Marks(3));
        assert!(!sets.is_over() && MOST_WORKERS == 64);
        sets.end();
        assert!(sets.is_over());
    });
}

/// Nodes of one set stay in one while its root gets a parent: who has found the old root for one of them and the new one for the other looks again.
#[test]
fn nodes_of_one_set_are_so_while_it_is_united() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let [a, b, c] = NODES.map(|node| worker.first(&sets, node));
        sets.unite(a, b, Marks::NONE);
        let theirs = sets.clone();
        let thread = thread::spawn(move || theirs.same(a, b));
        sets.unite(b, c, Marks::NONE);
        assert!(thread.join().unwrap());
    });
}
