//! Concurrent union-find of nodes: the state that UFSCC workers share.
//!
//! Every node belongs to a set, a subset of one strongly connected component. Sets are trees of
//! parent indices. A set stores:
//!
//! - at its root the *workers* with a node of the set on their path, one bit each, and the *marks*
//!   on its inner edges;
//! - a cyclic *list* of its nodes. A fully explored node is [removed](UnionFind::finish): each of
//!   its successors is in the same set or in a dead one;
//! - whether it is *dead*. A set with an empty list has edges to dead sets only: it is a complete
//!   component.
//!
//! Each claimed node has an entry, in the order of first claims, so an unused node id costs only
//! four bytes. A second array maps each node to an [entry](EntryIndex) of its set, or to
//! [`COMPLETED`]; most edges of a search need only this array. Lookups update it to the root, since
//! a set may be accessed by any entry.
//!
//! Locks: [`unite`](UnionFind::unite) locks the root with the larger index while it sets its
//! parent. Indices grow with discovery, so new sets are attached to old, large ones and paths stay
//! short. It also locks one node of each list while it joins the lists. Lock holders call no code
//! of the graph, and a thread that waits for a lock polls the [cancellation
//! flag](UnionFind::cancel), so no worker waits for one that has failed.
//!
//! V. Bloemen, A. Laarman, J. van de Pol, *Multi-core on-the-fly SCC decomposition*, PPoPP 2016,
//! figures 4 to 6. Bits written to a root are written again to its parent if it has obtained one
//! meanwhile: a writer changes the word and then reads the parent; `unite` sets the parent and then
//! reads the word by a read-modify-write operation. Either operation comes second in the
//! modification order of the word and observes the other. A word that already contains the bits is
//! not written, because all workers read the root of a large component for nearly every edge. Those
//! bits were written before the parent was set, and then `unite` has passed them on, or after it,
//! and then the `Acquire` load that reads them makes the parent visible.

use crate::graph::{Marks, NodeId};
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, ENTRY_BLOCK, Segments, pause};
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Maximum number of workers, one bit each.
pub(crate) const MAX_WORKERS: usize = 64;

/// Index of a node's entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EntryIndex(pub u32);

/// Sentinels in place of a node's index plus one: unclaimed, or in a completed component.
const UNSEEN: u32 = 0;
const COMPLETED: u32 = u32::MAX;

/// Sentinels in place of a parent: a root, a root that is about to obtain a parent, a dead root.
const ROOT: u32 = 0;
const LOCKED: u32 = 1;
const DEAD: u32 = 2;
/// Value that stands for the parent with index 0.
const FIRST_PARENT: u32 = 3;

/// State of a node on its list: present, locked, removed.
const LISTED: u32 = 0;
const HELD: u32 = 1;
const FINISHED: u32 = 2;
/// Mask of this state; the higher bits are the start of the edge list plus one.
const LIST: u32 = 3;

/// Exclusive upper bound of the starts of edge lists.
pub(crate) const MAX_EDGE_WORDS: u32 = u32::MAX >> LIST.count_ones();

/// State of a claimed node, aligned to lie in one cache line.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Entry {
    workers: AtomicU64,
    marks: AtomicU64,
    /// A node of the same set with a smaller index, or a sentinel.
    parent: AtomicU32,
    /// Index of the next entry on the list plus one; 0 for the entry itself.
    next: AtomicU32,
    /// State on the list, and start of the recorded edge list plus one (0: none).
    list: AtomicU32,
    /// The number of the node.
    node: AtomicU32,
}

/// Relation of a node to a worker that follows an edge to it. The type parameter is the entry of a
/// new node: [`peek`](UnionFind::peek) may find a node without entry, [`claim`](UnionFind::claim)
/// creates one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim<P> {
    /// The set is dead.
    Dead,
    /// The worker has a node of the set on its path; this is an entry of the set.
    Found(EntryIndex),
    /// The worker has no node of the set on its path (`claim`: it had none before).
    New(P),
}

/// Sets of nodes.
#[derive(Debug)]
pub(crate) struct UnionFind {
    /// For each node an index of an entry of its set, initially its own, plus one; or a sentinel.
    indices: Segments<AtomicU32>,
    entries: Segments<Entry>,
    /// Start of the unallocated entries.
    top: AtomicU32,
    /// Set with `Release`, polled with `Acquire`.
    is_cancelled: AtomicBool,
}

impl UnionFind {
    pub fn new() -> UnionFind {
        UnionFind {
            indices: Segments::new(),
            entries: Segments::new(),
            top: AtomicU32::new(0),
            is_cancelled: AtomicBool::new(false),
        }
    }

    /// Reserves the indices of the nodes `from..=last`, after passing the required bytes to
    /// `lease`.
    pub fn reserve<E>(
        &self,
        from: usize,
        last: NodeId,
        lease: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        self.indices.reserve_all(from..last.index() + 1, lease)
    }

    /// Allocates a block of entries for a worker that [claims](UnionFind::claim) nodes, after
    /// passing the required bytes to `lease`.
    pub fn free_entries<E>(
        &self,
        lease: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Range<u32>, E> {
        let more = |top: u32| top.checked_add(ENTRY_BLOCK);
        let start = self.top.fetch_update(Relaxed, Relaxed, more);
        let start = start.expect("nodes are fewer than entries");
        let indices = start..start + ENTRY_BLOCK;
        let entries = indices.start as usize..indices.end as usize;
        self.entries.reserve_all(entries, lease)?;
        Ok(indices)
    }

    /// Prefetches the indices and the parents of some nodes.
    #[inline]
    pub fn prefetch(&self, nodes: impl Iterator<Item = NodeId> + Clone) {
        let index = |node: NodeId| self.indices.at(node.index()).load(Relaxed);
        black_box(nodes.clone().fold(0, |sum, node| sum ^ index(node)));
        let parent = |node: NodeId| match index(node) {
            UNSEEN | COMPLETED => 0,
            index => self.entry(index - 1).parent.load(Relaxed),
        };
        black_box(nodes.fold(0, |sum, node| sum ^ parent(node)));
    }

    /// Makes all workers stop.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Release);
    }

    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Acquire)
    }

    #[inline]
    fn entry(&self, index: u32) -> &Entry {
        self.entries.at(index as usize)
    }

    #[inline]
    fn parent(&self, index: u32) -> Option<u32> {
        let parent = self.entry(index).parent.load(Acquire);
        parent.checked_sub(FIRST_PARENT)
    }

    /// The root of a set and its parent sentinel.
    #[inline]
    fn root(&self, mut index: u32) -> (u32, u32) {
        loop {
            let word = self.entry(index).parent.load(Acquire);
            let Some(parent) = word.checked_sub(FIRST_PARENT) else {
                return (index, word);
            };
            let above = self.entry(parent).parent.load(Acquire);
            let Some(next) = above.checked_sub(FIRST_PARENT) else {
                return (parent, above);
            };
            // Path halving. Concurrent writers store ancestors as well.
            self.entry(index).parent.store(above, Release);
            index = next;
        }
    }

    #[inline]
    fn find(&self, index: u32) -> u32 {
        self.root(index).0
    }

    /// Returns whether two entries are in one set.
    #[inline]
    pub fn same(&self, a: EntryIndex, b: EntryIndex) -> bool {
        let (mut a, mut b) = (a.0, b.0);
        loop {
            (a, b) = (self.find(a), self.find(b));
            if a == b {
                return true;
            }
            // `a` is still a root, so the sets differed at this moment.
            if self.parent(a).is_none() {
                return false;
            }
        }
    }

    /// The node of an entry.
    #[inline]
    pub fn node(&self, index: EntryIndex) -> NodeId {
        NodeId(self.entry(index.0).node.load(Relaxed))
    }

    /// Returns whether the node was claimed and its set is not dead or equals that of `at`. If the
    /// set of `at` is dead, some of its nodes may be reported as dead.
    pub fn is_alive(&self, node: NodeId, at: EntryIndex) -> bool {
        let index = self.indices.get(node.index());
        match index.map_or(UNSEEN, |index| index.load(Acquire)) {
            UNSEEN | COMPLETED => false,
            index => {
                let index = EntryIndex(index - 1);
                !self.is_dead(index) || self.same(index, at)
            }
        }
    }

    /// The entries that were removed from their lists, with their nodes: after a complete search,
    /// all that were claimed.
    #[cfg(test)]
    pub fn finished(&self) -> Vec<(EntryIndex, NodeId)> {
        let indices = (0..self.top.load(Acquire)).map(EntryIndex);
        let finished = indices.filter(|index| self.is_finished(*index));
        finished.map(|index| (index, self.node(index))).collect()
    }

    /// Returns whether the set is dead.
    pub fn is_dead(&self, index: EntryIndex) -> bool {
        self.root(index.0).1 == DEAD
    }

    /// Marks a node that is never claimed as completed. Returns whether it was not before.
    pub fn complete(&self, node: NodeId) -> bool {
        let known = self.indices.at(node.index());
        // Most edges lead to nodes that are known.
        known.load(Relaxed) == UNSEEN
            && (known.compare_exchange(UNSEEN, COMPLETED, AcqRel, Relaxed)).is_ok()
    }

    /// The result that [`claim`](UnionFind::claim) would return, without claiming the node.
    #[inline]
    pub fn peek(&self, node: NodeId, bit: u64) -> Claim<Option<EntryIndex>> {
        let known = self.indices.at(node.index());
        let index = match known.load(Acquire) {
            UNSEEN => return Claim::New(None),
            COMPLETED => return Claim::Dead,
            index => index - 1,
        };
        let (at, state) = self.root(index);
        if state == DEAD {
            // Later lookups need not search for the root.
            known.store(COMPLETED, Release);
            return Claim::Dead;
        }
        if self.entry(at).workers.load(Acquire) & bit == 0 {
            return Claim::New(Some(EntryIndex(index)));
        }
        if at != index {
            // As well: the root of a large set is cached, the entries of its nodes are not.
            known.store(at + 1, Release);
        }
        Claim::Found(EntryIndex(at))
    }

    /// Claims a node for the worker with this bit. A node without entry obtains the entry `free`,
    /// which the worker owns.
    #[inline]
    pub fn claim(&self, node: NodeId, bit: u64, free: EntryIndex) -> Claim<EntryIndex> {
        loop {
            match self.peek(node, bit) {
                Claim::New(None) => {
                    let entry = self.entry(free.0);
                    entry.node.store(node.0, Relaxed);
                    entry.workers.store(bit, Relaxed);
                    let index = self.indices.at(node.index());
                    let mine = index.compare_exchange(UNSEEN, free.0 + 1, AcqRel, Acquire);
                    if mine.is_ok() {
                        return Claim::New(free);
                    }
                }
                Claim::New(Some(index)) => {
                    self.write(index.0, bit, |entry| &entry.workers);
                    return Claim::New(index);
                }
                Claim::Found(at) => return Claim::Found(at),
                Claim::Dead => return Claim::Dead,
            }
        }
    }

    /// Sets bits in a word of the set's root; returns all bits read on the way.
    #[inline]
    fn write(&self, index: u32, bits: u64, word: impl Fn(&Entry) -> &AtomicU64) -> u64 {
        let mut root = self.find(index);
        let mut all = bits;
        loop {
            let word = word(self.entry(root));
            let known = word.load(Acquire);
            all |= if known & bits == bits {
                known
            } else {
                word.fetch_or(bits, AcqRel)
            };
            if self.parent(root).is_none() {
                return all;
            }
            root = self.find(root);
        }
    }

    /// Adds marks to a set; returns its marks.
    #[inline]
    pub fn mark(&self, index: EntryIndex, marks: Marks) -> Marks {
        Marks(self.write(index.0, marks.0, |entry| &entry.marks))
    }

    /// Merges the sets of two nodes, which must lie in one component, and adds marks; returns the
    /// marks of the union, or no marks if the search was cancelled.
    pub fn unite(&self, a: EntryIndex, b: EntryIndex, marks: Marks) -> Marks {
        let mut spins = 0;
        let (lower, upper) = loop {
            let (x, y) = (self.find(a.0), self.find(b.0));
            if x == y {
                return self.mark(a, marks);
            }
            if self.is_cancelled() {
                return Marks::NONE;
            }
            // The root with the larger index becomes the child.
            let (lower, upper) = (x.max(y), x.min(y));
            let parent = &self.entry(lower).parent;
            let locked = parent.compare_exchange(ROOT, LOCKED, AcqRel, Acquire);
            if locked.is_ok() {
                break (lower, upper);
            }
            pause(&mut spins);
        };
        let root = self.entry(lower);
        let lists = self.lock_list(a.0);
        let lists = lists.and_then(|a| self.lock_list(b.0).map(|b| (a, b)));
        let Some((a, b)) = lists else {
            // Cancelled: locks are irrelevant now.
            return Marks::NONE;
        };
        let (next_of_a, next_of_b) = (self.next(a), self.next(b));
        self.entry(a).next.store(next_of_b + 1, Release);
        self.entry(b).next.store(next_of_a + 1, Release);
        root.parent.store(upper + FIRST_PARENT, Release);
        // Read-modify-write operations that change nothing: see the module documentation.
        let workers = root.workers.fetch_or(0, AcqRel);
        let marks = root.marks.fetch_or(0, AcqRel) | marks.0;
        self.write(upper, workers, |entry| &entry.workers);
        let all = self.write(upper, marks, |entry| &entry.marks);
        // Unlocked last, so that no worker finds the list empty before the set has all workers and
        // marks.
        self.entry(a).list.fetch_and(!LIST, Release);
        self.entry(b).list.fetch_and(!LIST, Release);
        Marks(all)
    }

    /// Locks an entry on the list of a set, which is not empty because the component is incomplete.
    /// `None` if cancelled.
    fn lock_list(&self, index: u32) -> Option<u32> {
        let mut at = index;
        loop {
            match self.find_listed(at)? {
                Some((found, listed)) => {
                    let list = &self.entry(found).list;
                    let locked = list.compare_exchange(listed, listed | HELD, AcqRel, Acquire);
                    if locked.is_ok() {
                        return Some(found);
                    }
                    at = self.next(found);
                }
                None => unreachable!("a set that is united has an unfinished node"),
            }
        }
    }

    #[inline]
    fn next(&self, index: u32) -> u32 {
        let next = self.entry(index).next.load(Acquire);
        next.checked_sub(1).unwrap_or(index)
    }

    /// An entry on the list of the set. If the list is empty, marks the set as dead.
    pub fn pick(&self, index: EntryIndex) -> Option<EntryIndex> {
        match self.find_listed(index.0)? {
            Some((found, _)) => return Some(EntryIndex(found)),
            None => self.mark_dead(index.0),
        }
        None
    }

    fn mark_dead(&self, index: u32) {
        let mut spins = 0;
        loop {
            let parent = &self.entry(self.find(index)).parent;
            match parent.compare_exchange(ROOT, DEAD, AcqRel, Acquire) {
                Ok(_) | Err(DEAD) => return,
                Err(_) if self.is_cancelled() => return,
                Err(_) => pause(&mut spins),
            }
        }
    }

    /// The first entry from `at` on that is on the list, and its list word; `Some(None)` if the
    /// list is empty, `None` if cancelled.
    fn find_listed(&self, mut at: u32) -> Option<Option<(u32, u32)>> {
        loop {
            if let Some(listed) = self.listed(at)? {
                return Some(Some((at, listed)));
            }
            let second = self.next(at);
            if second == at {
                return Some(None);
            }
            if let Some(listed) = self.listed(second)? {
                return Some(Some((second, listed)));
            }
            // Both are removed: later traversals skip the second.
            let third = self.next(second);
            self.entry(at).next.store(third + 1, Release);
            at = third;
        }
    }

    /// The list word of an entry, or `Some(None)` if it was removed. Waits while it is locked;
    /// `None` if cancelled.
    #[inline]
    fn listed(&self, index: u32) -> Option<Option<u32>> {
        let mut spins = 0;
        loop {
            let word = self.entry(index).list.load(Acquire);
            match word & LIST {
                LISTED => return Some(Some(word)),
                FINISHED => return Some(None),
                _ if self.is_cancelled() => return None,
                _ => pause(&mut spins),
            }
        }
    }

    /// Start of the recorded edge list of a node.
    #[inline]
    pub fn edge_list(&self, index: EntryIndex) -> Option<u32> {
        let start = self.entry(index.0).list.load(Acquire) >> LIST.count_ones();
        start.checked_sub(1)
    }

    /// Publishes the start of a node's edge list, which is below [`MAX_EDGE_WORDS`], unless it
    /// already has one. All its other edges lead to dead nodes or into its set, which has their
    /// marks.
    #[inline]
    pub fn set_edge_list(&self, index: EntryIndex, start: u32) {
        let list = &self.entry(index.0).list;
        let add = |known: u32| (known <= LIST).then_some(known | (start + 1) << LIST.count_ones());
        let _ = list.fetch_update(AcqRel, Acquire, add);
    }

    /// Returns whether the node was removed from its list.
    #[inline]
    pub fn is_finished(&self, index: EntryIndex) -> bool {
        self.entry(index.0).list.load(Acquire) & LIST == FINISHED
    }

    /// Removes a node from its list: each of its successors is in its set or dead.
    pub fn finish(&self, index: EntryIndex) {
        let list = &self.entry(index.0).list;
        let mut spins = 0;
        loop {
            let known = list.load(Acquire);
            match known & LIST {
                LISTED => {
                    let finished = known | FINISHED;
                    let taken = list.compare_exchange(known, finished, AcqRel, Acquire);
                    if taken.is_ok() {
                        return;
                    }
                }
                FINISHED => return,
                _ if self.is_cancelled() => return,
                _ => pause(&mut spins),
            }
        }
    }
}
