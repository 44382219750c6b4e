//! What the workers of UFSCC share, tried by loom in every order of events with up to two preemptions a thread: the same file that the crate is made of, on
//! loom's atomics.

use crate::union_find::{Claim, MOST_WORKERS, UnionFind};
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

/// The search of one worker on the cycle of the nodes 0 and 1, from the one to the other and back; see `ufscc.rs`.
fn search(sets: &UnionFind, start: NodeId, bit: u64) {
    let other = |node: NodeId| NODES[1 - node.index()];
    let follow = |node: NodeId| {
        if sets.claim(other(node), bit) != Claim::Dead {
            sets.unite(node, other(node), marks_from(node));
        }
        sets.finish(node);
    };
    if sets.claim(start, bit) == Claim::Dead {
        return;
    }
    let second = other(start);
    if let Claim::New { .. } = sets.claim(second, bit) {
        // The edge back closes the cycle.
        assert_ne!(sets.claim(start, bit), Claim::New { first: true });
        sets.unite(second, start, marks_from(second));
        sets.finish(second);
    }
    while let Some(node) = sets.pick(start) {
        follow(node);
    }
    assert!(sets.is_dead(start) && sets.is_finished(start));
}

#[test]
fn two_workers_bury_one_cycle_with_all_its_marks() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        assert!(!sets.is_seen(NODES[0]));
        let theirs = sets.clone();
        let thread = thread::spawn(move || search(&theirs, NODES[1], 2));
        search(&sets, NODES[0], 1);
        thread.join().unwrap();
        assert!(sets.same(NODES[0], NODES[1]) && !sets.same(NODES[0], NODES[2]));
        assert!(sets.is_dead(NODES[0]) && sets.is_dead(NODES[1]));
        let all = sets.mark(NODES[0], Marks::NONE);
        assert_eq!(all, Marks(3), "a mark was lost");
    });
}

#[test]
fn marks_and_workers_reach_the_root_that_is_being_united() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        for node in NODES {
            assert_eq!(sets.claim(node, 1), Claim::New { first: true });
            assert_eq!(sets.reserve(0, node, |_| Err(())), Ok(()));
        }
        let theirs = sets.clone();
        let thread = thread::spawn(move || {
            theirs.mark(NODES[0], Marks(4));
            theirs.claim(NODES[0], 2)
        });
        sets.unite(NODES[0], NODES[1], Marks(1));
        sets.unite(NODES[1], NODES[2], Marks(2));
        assert_ne!(thread.join().unwrap(), Claim::Dead);
        assert!(sets.same(NODES[0], NODES[2]));
        assert_eq!(sets.mark(NODES[2], Marks::NONE), Marks(7));
        // Both have a node of the set on their paths.
        assert_eq!(
            [1, 2].map(|bit| sets.claim(NODES[1], bit)),
            [Claim::Found; 2]
        );
    });
}

/// Two unite the same sets in opposite directions: neither waits for the other for ever.
#[test]
fn uniting_from_both_sides_ends() {
    model(|| {
        let sets = Arc::new(UnionFind::new());
        for node in NODES {
            sets.claim(node, 3);
        }
        let theirs = sets.clone();
        let thread = thread::spawn(move || theirs.unite(NODES[1], NODES[0], Marks(1)));
        let mine = sets.unite(NODES[0], NODES[1], Marks(2));
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
        for node in NODES {
            sets.claim(node, 1);
        }
        sets.unite(NODES[0], NODES[1], Marks::NONE);
        let theirs = sets.clone();
        let thread = thread::spawn(move || theirs.same(NODES[0], NODES[1]));
        sets.unite(NODES[1], NODES[2], Marks::NONE);
        assert!(thread.join().unwrap());
    });
}
