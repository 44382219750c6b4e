//! Loom models of the union-find that UFSCC workers share: `union_find.rs` is compiled with loom's
//! atomics and explored under all schedules with at most two preemptions per thread.

use crate::union_find::{Claim, EntryIndex, MAX_WORKERS, UnionFind};
use lariat_emptiness::{Marks, NodeId};
use loom::sync::Arc;
use loom::thread;

fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = model.preemption_bound.or(Some(2));
    model.check(run);
}

const NODES: [NodeId; 3] = [NodeId(0), NodeId(1), NodeId(2)];

/// The mark of the edge from `node` on the cycle of two nodes.
fn marks_from(node: NodeId) -> Marks {
    Marks(1 << node.0)
}

/// A worker: its bit, and the entry for the next node that it is the first to claim.
struct Worker {
    bit: u64,
    free: u32,
}

impl Worker {
    /// The worker with this number. Either each worker claims one node first, or the first claims
    /// three.
    fn new(number: u32) -> Worker {
        Worker {
            bit: 1 << number,
            free: 2 * number,
        }
    }

    fn claim(&mut self, sets: &UnionFind, node: NodeId) -> Claim<EntryIndex> {
        let free = EntryIndex(self.free);
        let claim = sets.claim(node, self.bit, free);
        self.free += u32::from(claim == Claim::New(free));
        claim
    }

    /// Claims a node that no other worker has claimed.
    fn first(&mut self, sets: &UnionFind, node: NodeId) -> EntryIndex {
        match self.claim(sets, node) {
            Claim::New(entry) => entry,
            other => panic!("{other:?}"),
        }
    }
}

/// Two workers claim a new node: one of them is the first, and the set contains both.
#[test]
fn one_of_two_workers_is_the_first_to_claim_a_node() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        assert_eq!(sets.peek(NODES[0], 1), Claim::New(None));
        let theirs = sets.clone();
        let thread = thread::spawn(move || Worker::new(1).claim(&theirs, NODES[0]));
        let claims = [
            Worker::new(0).claim(&sets, NODES[0]),
            thread.join().unwrap(),
        ];
        let entries = [Worker::new(0), Worker::new(1)].map(|worker| EntryIndex(worker.free));
        let first = |entry| claims == [Claim::New(entry); 2];
        assert!(entries.into_iter().any(first), "{claims:?}");
        for bit in [1, 2] {
            assert!(matches!(sets.peek(NODES[0], bit), Claim::Found(_)));
        }
    });
}

/// The remaining search of one worker on the cycle of the nodes 0 and 1, after it has gone from
/// `start` to the other node; see `ufscc.rs`.
fn search(sets: &UnionFind, entries: [EntryIndex; 2], start: usize, bit: u64) {
    let (begin, second) = (entries[start], entries[1 - start]);
    // The edge back closes the cycle.
    sets.unite(second, begin, marks_from(NODES[1 - start]));
    sets.finish(second);
    while let Some(entry) = sets.pick(begin) {
        let node = sets.node(entry);
        let edge = NODES[1 - node.index()];
        if let Claim::Found(at) = sets.peek(edge, bit) {
            sets.unite(entry, at, marks_from(node));
        }
        sets.finish(entry);
    }
    assert!(sets.is_dead(begin) && sets.is_finished(begin));
}

#[test]
fn two_workers_complete_one_cycle_with_all_marks() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let entries = [NODES[0], NODES[1]].map(|node| worker.first(&sets, node));
        for node in &NODES[..2] {
            Worker::new(1).claim(&sets, *node);
        }
        let theirs = sets.clone();
        let thread = thread::spawn(move || search(&theirs, entries, 1, 2));
        search(&sets, entries, 0, 1);
        thread.join().unwrap();
        assert!(sets.same(entries[0], entries[1]));
        let known = NODES.map(|node| sets.peek(node, 1));
        assert_eq!(known, [Claim::Dead, Claim::Dead, Claim::New(None)]);
        let all = sets.mark(entries[0], Marks::NONE);
        assert_eq!(all, Marks(3), "a mark was lost");
    });
}

#[test]
fn marks_and_workers_reach_the_new_root() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let entries = NODES.map(|node| worker.first(&sets, node));
        assert_eq!(sets.reserve(0, NODES[2], |_| Err(())), Ok(()));
        let theirs = sets.clone();
        let thread = thread::spawn(move || {
            theirs.mark(entries[0], Marks(4));
            Worker::new(1).claim(&theirs, NODES[0])
        });
        sets.unite(entries[0], entries[1], Marks(1));
        sets.unite(entries[1], entries[2], Marks(2));
        assert_ne!(thread.join().unwrap(), Claim::Dead);
        assert!(sets.same(entries[0], entries[2]));
        assert_eq!(sets.mark(entries[2], Marks::NONE), Marks(7));
        // Both workers have a node of the set on their paths.
        let claims = [1, 2].map(|bit| sets.peek(NODES[1], bit));
        assert!(claims.iter().all(|claim| matches!(claim, Claim::Found(_))));
    });
}

/// Bits that are already present are not written: a thread that reads them while the root obtains a
/// parent continues to the parent, independently of the thread that wrote them.
#[test]
fn present_bits_reach_the_new_root() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let entries = NODES.map(|node| worker.first(&sets, node));
        let [first, second] = [sets.clone(), sets.clone()].map(|sets| {
            thread::spawn(move || {
                sets.mark(entries[1], Marks(1));
            })
        });
        sets.unite(entries[1], entries[0], Marks::NONE);
        second.join().unwrap();
        assert_eq!(sets.mark(entries[0], Marks::NONE), Marks(1));
        first.join().unwrap();
    });
}

/// A recorded edge list persists while the node is locked on its list, unlocked and removed.
#[test]
fn recorded_lists_persist() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let entries = NODES.map(|node| worker.first(&sets, node));
        let theirs = sets.clone();
        let thread = thread::spawn(move || {
            theirs.set_edge_list(entries[0], 7);
        });
        sets.unite(entries[0], entries[1], Marks::NONE);
        sets.set_edge_list(entries[0], 7);
        thread.join().unwrap();
        sets.finish(entries[0]);
        assert_eq!(sets.edge_list(entries[0]), Some(7));
        assert!(sets.is_finished(entries[0]) && !sets.is_finished(entries[1]));
        assert_eq!(sets.pick(entries[0]), Some(entries[1]));
    });
}

/// Two threads unite the same sets in opposite directions without deadlock.
#[test]
fn uniting_in_both_directions_terminates() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        let mut worker = Worker::new(0);
        let [a, b, _] = NODES.map(|node| worker.first(&sets, node));
        let theirs = sets.clone();
        let thread = thread::spawn(move || theirs.unite(b, a, Marks(1)));
        let mine = sets.unite(a, b, Marks(2));
        let other = thread.join().unwrap();
        // The thread that adds the last mark sees all.
        assert!(mine == Marks(3) || other == Marks(3));
        assert!(!sets.is_cancelled() && MAX_WORKERS == 64);
        sets.cancel();
        assert!(sets.is_cancelled());
    });
}

/// `same` is stable while the root obtains a parent: a thread that has found the old root for one
/// node and the new root for the other retries.
#[test]
fn same_holds_while_sets_are_united() {
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
