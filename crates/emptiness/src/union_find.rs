//! Components that several workers build together: the shared part of UFSCC.
//!
//! Every node belongs to a set, which is a part of one strongly connected component. Sets are trees of parents, each known by its
//! root, and three things are kept of a set:
//!
//! - at its root the *workers* that have a node of it on their path, one bit each, and the *marks* on edges inside of it;
//! - a cyclic *list* through its nodes. A node that a worker has looked at whole is [taken off](UnionFind::finish): each
//!   of its successors is in the same set or in a dead one;
//! - whether it is *dead*. A set without a node on its list leads nowhere but to dead ones: it is a whole component, and over.
//!
//! Nobody waits for a search. The root with the larger number is locked while it gets a parent: numbers grow as nodes are found, so that what is new hangs
//! from what is old and large, and paths stay short. One node of each list is locked while the lists are
//! joined; whoever holds a lock does nothing else meanwhile, and who waits for one looks at the switch that [ends](UnionFind::end) everything,
//! so that a worker that is lost keeps nobody.
//!
//! V. Bloemen, A. Laarman, J. van de Pol, *Multi-core on-the-fly SCC decomposition*, PPoPP 2016, figures 4 to 6. What is written to a root is written again to its
//! parent if it has got one meanwhile. The writer changes the word and then reads the parent; who sets the parent then reads the word by an operation that
//! changes it, too. One of the two comes second, and sees what the first has done.

use crate::graph::{Marks, NodeId};
use crate::sync::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Segments, pause};
use std::hint::black_box;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// How many workers there can be.
pub(crate) const MOST_WORKERS: usize = 64;

/// A set or a place on a list as it is at first.
const LIVE: u8 = 0;
const LOCKED: u8 = 1;
/// A set that is dead, or a node that was taken off its list.
const OVER: u8 = 2;

/// What is kept of a node. All zeros is a node that nobody has seen. It is aligned so that it lies in one line of the cache.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Entry {
    workers: AtomicU64,
    marks: AtomicU64,
    /// A node of the same set with a smaller number, plus one; 0 at the root.
    parent: AtomicU32,
    /// The next node on the list, plus one; 0 for the node itself.
    next: AtomicU32,
    /// Where its edges are kept that remain to be followed, plus one; 0 if nobody has written them down.
    kept: AtomicU32,
    set: AtomicU8,
    list: AtomicU8,
}

/// What a worker finds where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// Nothing new begins there.
    Dead,
    /// It has a node of that set on its path.
    Found,
    /// It has not, until now.
    New {
        /// Is it the first of all workers to see the node?
        first: bool,
    },
}

/// Sets of nodes.
#[derive(Debug)]
pub(crate) struct UnionFind {
    entries: Segments<Entry>,
    is_over: AtomicBool,
}

impl UnionFind {
    pub fn new() -> UnionFind {
        UnionFind {
            entries: Segments::new(),
            is_over: AtomicBool::new(false),
        }
    }

    /// Makes room for nodes from number `from` on and as far as `last`, which has at least that number; `ask` is told the bytes that this takes.
    pub fn reserve<E>(
        &self,
        from: usize,
        last: NodeId,
        ask: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        self.entries.reserve_all(from..last.index() + 1, ask)
    }

    /// Brings what is known of some nodes into the cache.
    #[inline]
    pub fn touch(&self, nodes: impl Iterator<Item = NodeId>) {
        let parent = |node: NodeId| self.entry(node.0).parent.load(Relaxed);
        black_box(nodes.fold(0, |sum, node| sum ^ parent(node)));
    }

    /// Everybody is to stop.
    pub fn end(&self) {
        self.is_over.store(true, Release);
    }

    /// Is everybody to stop?
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.load(Acquire)
    }

    #[inline]
    fn entry(&self, node: u32) -> &Entry {
        self.entries.at(node as usize)
    }

    #[inline]
    fn parent(&self, node: u32) -> Option<u32> {
        self.entry(node).parent.load(Acquire).checked_sub(1)
    }

    /// The root of a node's set.
    #[inline]
    fn find(&self, mut node: u32) -> u32 {
        while let Some(parent) = self.parent(node) {
            let Some(above) = self.parent(parent) else {
                return parent;
            };
            // Halves the path. Whatever others store at the same time is an ancestor, too.
            self.entry(node).parent.store(above + 1, Release);
            node = above;
        }
        node
    }

    /// Are two nodes in one set?
    #[inline]
    pub fn same(&self, a: NodeId, b: NodeId) -> bool {
        let (mut a, mut b) = (a.0, b.0);
        loop {
            (a, b) = (self.find(a), self.find(b));
            if a == b {
                return true;
            }
            // Still a root, so they differed at this moment.
            if self.parent(a).is_none() {
                return false;
            }
        }
    }

    /// Has anybody seen the node?
    pub fn is_seen(&self, node: NodeId) -> bool {
        let entry = self.entries.get(node.index());
        entry.is_some_and(|entry| entry.workers.load(Acquire) != 0)
    }

    /// Is the node's set dead?
    pub fn is_dead(&self, node: NodeId) -> bool {
        self.entry(self.find(node.0)).set.load(Acquire) == OVER
    }

    /// What [`claim`](UnionFind::claim) would say, without doing anything.
    #[inline]
    pub fn look(&self, node: NodeId, bit: u64) -> Claim {
        let root = self.entry(self.find(node.0));
        if root.set.load(Acquire) == OVER {
            Claim::Dead
        } else if root.workers.load(Acquire) & bit != 0 {
            Claim::Found
        } else {
            Claim::New { first: false }
        }
    }

    /// The worker with this bit comes to a node.
    #[inline]
    pub fn claim(&self, node: NodeId, bit: u64) -> Claim {
        let known = self.look(node, bit);
        if !matches!(known, Claim::New { .. }) {
            return known;
        }
        // A node that somebody has seen has a bit, and only seen nodes are ever united.
        let own = &self.entry(node.0).workers;
        let first = own.load(Relaxed) == 0 && own.fetch_or(bit, AcqRel) == 0;
        self.write(node.0, bit, |entry| &entry.workers);
        Claim::New { first }
    }

    /// Adds bits at the root of a node's set; returns all that were seen on the way.
    #[inline]
    fn write(&self, node: u32, bits: u64, word: impl Fn(&Entry) -> &AtomicU64) -> u64 {
        let mut root = self.find(node);
        let mut all = bits;
        loop {
            all |= word(self.entry(root)).fetch_or(bits, AcqRel);
            if self.parent(root).is_none() {
                return all;
            }
            root = self.find(root);
        }
    }

    /// Adds marks to a node's set; returns those that it has.
    #[inline]
    pub fn mark(&self, node: NodeId, marks: Marks) -> Marks {
        let known = self.entry(self.find(node.0)).marks.load(Acquire);
        match Marks(known).contains(marks) {
            true => Marks(known),
            false => Marks(self.write(node.0, marks.0, |entry| &entry.marks)),
        }
    }

    /// Makes one set of those of two nodes, which are known to lie in one component, and adds marks; returns those that it has.
    pub fn unite(&self, a: NodeId, b: NodeId, marks: Marks) -> Marks {
        let mut spins = 0;
        let (lower, upper) = loop {
            let (x, y) = (self.find(a.0), self.find(b.0));
            if x == y {
                return self.mark(a, marks);
            }
            if self.is_over() {
                return Marks::NONE;
            }
            // What is lower in the tree has the larger number.
            let (lower, upper) = (x.max(y), x.min(y));
            if self.lock_root(lower) {
                break (lower, upper);
            }
            pause(&mut spins);
        };
        let root = self.entry(lower);
        let lists = self.lock_list(a.0);
        let lists = lists.and_then(|a| self.lock_list(b.0).map(|b| (a, b)));
        let Some((a, b)) = lists else {
            // Only when all is over; then locks do not matter any more.
            return Marks::NONE;
        };
        let (next_of_a, next_of_b) = (self.next(a), self.next(b));
        self.entry(a).next.store(next_of_b + 1, Release);
        self.entry(b).next.store(next_of_a + 1, Release);
        root.parent.store(upper + 1, Release);
        // These read by changing nothing: see above.
        let workers = root.workers.fetch_or(0, AcqRel);
        let marks = root.marks.fetch_or(0, AcqRel) | marks.0;
        self.write(upper, workers, |entry| &entry.workers);
        let all = self.write(upper, marks, |entry| &entry.marks);
        // Last, so that nobody finds the list empty before the set has what belongs to it.
        self.entry(a).list.store(LIVE, Release);
        self.entry(b).list.store(LIVE, Release);
        root.set.store(LIVE, Release);
        Marks(all)
    }

    /// Locks a set by its root, if it is the root of a live one.
    fn lock_root(&self, root: u32) -> bool {
        let set = &self.entry(root).set;
        if set.compare_exchange(LIVE, LOCKED, AcqRel, Acquire).is_err() {
            return false;
        }
        let is_root = self.parent(root).is_none();
        if !is_root {
            set.store(LIVE, Release);
        }
        is_root
    }

    /// Locks a place on the list of a node's set. There is one: the set is no whole component. `None` if all is over.
    fn lock_list(&self, node: u32) -> Option<u32> {
        let mut at = node;
        loop {
            match self.on_list(at)? {
                Some(found) => {
                    let list = &self.entry(found).list;
                    let locked = list.compare_exchange(LIVE, LOCKED, AcqRel, Acquire);
                    if locked.is_ok() {
                        return Some(found);
                    }
                    at = self.next(found);
                }
                None => unreachable!("a set that is united has something left to do"),
            }
        }
    }

    #[inline]
    fn next(&self, node: u32) -> u32 {
        let next = self.entry(node).next.load(Acquire);
        next.checked_sub(1).unwrap_or(node)
    }

    /// A node of the set that is still on its list; if there is none, the set is dead from now on.
    pub fn pick(&self, node: NodeId) -> Option<NodeId> {
        match self.on_list(node.0)? {
            Some(found) => return Some(NodeId(found)),
            None => self.bury(node.0),
        }
        None
    }

    fn bury(&self, node: u32) {
        let mut spins = 0;
        loop {
            let set = &self.entry(self.find(node)).set;
            match set.compare_exchange(LIVE, OVER, AcqRel, Acquire) {
                Ok(_) | Err(OVER) => return,
                Err(_) if self.is_over() => return,
                Err(_) => pause(&mut spins),
            }
        }
    }

    /// The first node from `at` on that is on the list, `Some(None)` if there is none. `None` if all is over.
    fn on_list(&self, mut at: u32) -> Option<Option<u32>> {
        loop {
            if self.is_listed(at)? {
                return Some(Some(at));
            }
            let second = self.next(at);
            if second == at {
                return Some(None);
            }
            if self.is_listed(second)? {
                return Some(Some(second));
            }
            // Both are off the list: the second need not be passed again.
            let third = self.next(second);
            self.entry(at).next.store(third + 1, Release);
            at = third;
        }
    }

    /// Is a node on its list? Waits while it is locked; `None` if all is over.
    #[inline]
    fn is_listed(&self, node: u32) -> Option<bool> {
        let mut spins = 0;
        loop {
            match self.entry(node).list.load(Acquire) {
                LIVE => return Some(true),
                OVER => return Some(false),
                _ if self.is_over() => return None,
                _ => pause(&mut spins),
            }
        }
    }

    /// Where the edges of a node are kept.
    #[inline]
    pub fn kept(&self, node: NodeId) -> Option<u32> {
        self.entry(node.0).kept.load(Acquire).checked_sub(1)
    }

    /// The edges of a node are kept there. All others lead to dead nodes, or into its set, which has their marks.
    #[inline]
    pub fn keep(&self, node: NodeId, at: u32) {
        self.entry(node.0).kept.store(at + 1, Release);
    }

    /// Was the node taken off its list?
    #[inline]
    pub fn is_finished(&self, node: NodeId) -> bool {
        self.entry(node.0).list.load(Acquire) == OVER
    }

    /// Takes a node off its list: each of its successors is in its set or dead.
    pub fn finish(&self, node: NodeId) {
        let list = &self.entry(node.0).list;
        let mut spins = 0;
        loop {
            match list.compare_exchange(LIVE, OVER, AcqRel, Acquire) {
                Ok(_) | Err(OVER) => return,
                Err(_) if self.is_over() => return,
                Err(_) => pause(&mut spins),
            }
        }
    }
}
