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
//! All of that is an entry in an array in the order in which nodes are first claimed, so that numbers which no node has cost four bytes and no more. A second array tells the
//! [place](Place) of each node there, or that it is dead, which most edges of a search ask and nothing else. When somebody has asked it is the place of the root: who comes to a set enters it anywhere.
//!
//! Nobody waits for a search. The root with the larger place is locked while it gets a parent: places grow as nodes are found, so that what is new hangs
//! from what is old and large, and paths stay short. One node of each list is locked while the lists are
//! joined; whoever holds a lock does nothing else meanwhile, and who waits for one looks at the switch that [ends](UnionFind::end) everything,
//! so that a worker that is lost keeps nobody.
//!
//! V. Bloemen, A. Laarman, J. van de Pol, *Multi-core on-the-fly SCC decomposition*, PPoPP 2016, figures 4 to 6. What is written to a root is written again to its
//! parent if it has got one meanwhile. The writer changes the word and then reads the parent; who sets the parent then reads the word by an operation that
//! changes it, too. One of the two comes second, and sees what the first has done. A word that has the bits already is not written, as the root of a large component is read by everybody for nearly
//! every edge: whoever wrote them there came before the parent was set, and they were handed on, or after it, and who reads the bits sees the parent then.

use crate::graph::{Marks, NodeId};
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, PLACES, Segments, pause};
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// How many workers there can be.
pub(crate) const MOST_WORKERS: usize = 64;

/// Where what is kept of a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(pub u32);

/// What stands in the place of a node's place: nobody has seen it, or its component is over.
const UNSEEN: u32 = 0;
const GONE: u32 = u32::MAX;

/// What stands in the place of a parent: the root of a set, of one that is about to get a parent, of one that is dead.
const ROOT: u32 = 0;
const LOCKED: u32 = 1;
const DEAD: u32 = 2;
/// The parent with place 0.
const FIRST_PARENT: u32 = 3;

/// How a node stands to its list: on it, locked there, taken off.
const LISTED: u32 = 0;
const HELD: u32 = 1;
const FINISHED: u32 = 2;
/// The bits that say so; what is above them tells where edges are kept.
const LIST: u32 = 3;

/// Lists of edges that are kept begin before this.
pub(crate) const MOST_KEPT: u32 = u32::MAX >> LIST.count_ones();

/// What is kept of a node. It is aligned so that it lies in one line of the cache.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Entry {
    workers: AtomicU64,
    marks: AtomicU64,
    /// A node of the same set with a smaller place, or what this root is.
    parent: AtomicU32,
    /// The next place on the list, plus one; 0 for the node itself.
    next: AtomicU32,
    /// How it stands to its list, and where its edges are kept that remain to be followed, plus one; 0 if nobody has written them down.
    list: AtomicU32,
    /// The number of the node.
    node: AtomicU32,
}

/// What a worker finds where an edge leads. Who only looks may find a node without a place, which nobody has seen; who claims it gives it one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim<P> {
    /// Nothing new begins there.
    Dead,
    /// It has a node of that set on its path; this is one.
    Found(Place),
    /// It has not, until now.
    New(P),
}

/// Sets of nodes.
#[derive(Debug)]
pub(crate) struct UnionFind {
    /// For each node a place of its set, its own at first, plus one.
    places: Segments<AtomicU32>,
    entries: Segments<Entry>,
    /// Places from here on belong to nobody.
    top: AtomicU32,
    is_over: AtomicBool,
}

impl UnionFind {
    pub fn new() -> UnionFind {
        UnionFind {
            places: Segments::new(),
            entries: Segments::new(),
            top: AtomicU32::new(0),
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
        self.places.reserve_all(from..last.index() + 1, ask)
    }

    /// Places that nobody has, for a worker that [claims](UnionFind::claim) nodes; `ask` is told the bytes that this takes.
    pub fn free_places<E>(&self, ask: impl FnMut(usize) -> Result<(), E>) -> Result<Range<u32>, E> {
        let more = |top: u32| top.checked_add(PLACES);
        let start = self.top.fetch_update(Relaxed, Relaxed, more);
        let start = start.expect("nodes are fewer than places");
        let places = start..start + PLACES;
        let entries = places.start as usize..places.end as usize;
        self.entries.reserve_all(entries, ask)?;
        Ok(places)
    }

    /// Brings what is known of some nodes into the cache.
    #[inline]
    pub fn touch(&self, nodes: impl Iterator<Item = NodeId> + Clone) {
        let place = |node: NodeId| self.places.at(node.index()).load(Relaxed);
        black_box(nodes.clone().fold(0, |sum, node| sum ^ place(node)));
        let parent = |node: NodeId| match place(node) {
            UNSEEN | GONE => 0,
            place => self.entry(place - 1).parent.load(Relaxed),
        };
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
    fn entry(&self, place: u32) -> &Entry {
        self.entries.at(place as usize)
    }

    #[inline]
    fn parent(&self, place: u32) -> Option<u32> {
        let parent = self.entry(place).parent.load(Acquire);
        parent.checked_sub(FIRST_PARENT)
    }

    /// The root of a set, and what stands there in the place of a parent.
    #[inline]
    fn root(&self, mut place: u32) -> (u32, u32) {
        loop {
            let word = self.entry(place).parent.load(Acquire);
            let Some(parent) = word.checked_sub(FIRST_PARENT) else {
                return (place, word);
            };
            let above = self.entry(parent).parent.load(Acquire);
            let Some(next) = above.checked_sub(FIRST_PARENT) else {
                return (parent, above);
            };
            // Halves the path. Whatever others store at the same time is an ancestor, too.
            self.entry(place).parent.store(above, Release);
            place = next;
        }
    }

    #[inline]
    fn find(&self, place: u32) -> u32 {
        self.root(place).0
    }

    /// Are two nodes in one set?
    #[inline]
    pub fn same(&self, a: Place, b: Place) -> bool {
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

    /// The node at a place.
    #[inline]
    pub fn node(&self, place: Place) -> NodeId {
        NodeId(self.entry(place.0).node.load(Relaxed))
    }

    /// Was the node seen, and is its set alive or that of `at`? If the set of `at` has died, some of its nodes may be taken for dead.
    pub fn is_alive(&self, node: NodeId, at: Place) -> bool {
        let place = self.places.get(node.index());
        match place.map_or(UNSEEN, |place| place.load(Acquire)) {
            UNSEEN | GONE => false,
            place => {
                let place = Place(place - 1);
                !self.is_dead(place) || self.same(place, at)
            }
        }
    }

    /// The nodes that were taken off their lists, with their places: all that were seen, when all is over.
    #[cfg(test)]
    pub fn finished(&self) -> Vec<(Place, NodeId)> {
        let places = (0..self.top.load(Acquire)).map(Place);
        let finished = places.filter(|place| self.is_finished(*place));
        finished.map(|place| (place, self.node(place))).collect()
    }

    /// Is a set dead?
    pub fn is_dead(&self, place: Place) -> bool {
        self.root(place.0).1 == DEAD
    }

    /// What [`claim`](UnionFind::claim) would say, without claiming anything.
    #[inline]
    pub fn look(&self, node: NodeId, bit: u64) -> Claim<Option<Place>> {
        let known = self.places.at(node.index());
        let place = match known.load(Acquire) {
            UNSEEN => return Claim::New(None),
            GONE => return Claim::Dead,
            place => place - 1,
        };
        let (at, state) = self.root(place);
        if state == DEAD {
            // The next one to ask need not look for the root.
            known.store(GONE, Release);
            return Claim::Dead;
        }
        if self.entry(at).workers.load(Acquire) & bit == 0 {
            return Claim::New(Some(Place(place)));
        }
        if at != place {
            // Nor here: the root of a large set is in the cache, what is kept of its nodes is not.
            known.store(at + 1, Release);
        }
        Claim::Found(Place(at))
    }

    /// The worker with this bit comes to a node; it has the place `free`, which the node gets if nobody has seen it before.
    #[inline]
    pub fn claim(&self, node: NodeId, bit: u64, free: Place) -> Claim<Place> {
        loop {
            match self.look(node, bit) {
                Claim::New(None) => {
                    let entry = self.entry(free.0);
                    entry.node.store(node.0, Relaxed);
                    entry.workers.store(bit, Relaxed);
                    let place = self.places.at(node.index());
                    let mine = place.compare_exchange(UNSEEN, free.0 + 1, AcqRel, Acquire);
                    if mine.is_ok() {
                        return Claim::New(free);
                    }
                }
                Claim::New(Some(place)) => {
                    self.write(place.0, bit, |entry| &entry.workers);
                    return Claim::New(place);
                }
                Claim::Found(at) => return Claim::Found(at),
                Claim::Dead => return Claim::Dead,
            }
        }
    }

    /// Adds bits at the root of a set; returns all that were seen on the way.
    #[inline]
    fn write(&self, place: u32, bits: u64, word: impl Fn(&Entry) -> &AtomicU64) -> u64 {
        let mut root = self.find(place);
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

    /// Adds marks to a set; returns those that it has.
    #[inline]
    pub fn mark(&self, place: Place, marks: Marks) -> Marks {
        Marks(self.write(place.0, marks.0, |entry| &entry.marks))
    }

    /// Makes one set of those of two nodes, which are known to lie in one component, and adds marks; returns those that it has.
    pub fn unite(&self, a: Place, b: Place, marks: Marks) -> Marks {
        let mut spins = 0;
        let (lower, upper) = loop {
            let (x, y) = (self.find(a.0), self.find(b.0));
            if x == y {
                return self.mark(a, marks);
            }
            if self.is_over() {
                return Marks::NONE;
            }
            // What is lower in the tree has the larger place.
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
            // Only when all is over; then locks do not matter any more.
            return Marks::NONE;
        };
        let (next_of_a, next_of_b) = (self.next(a), self.next(b));
        self.entry(a).next.store(next_of_b + 1, Release);
        self.entry(b).next.store(next_of_a + 1, Release);
        root.parent.store(upper + FIRST_PARENT, Release);
        // These read by changing nothing: see above.
        let workers = root.workers.fetch_or(0, AcqRel);
        let marks = root.marks.fetch_or(0, AcqRel) | marks.0;
        self.write(upper, workers, |entry| &entry.workers);
        let all = self.write(upper, marks, |entry| &entry.marks);
        // Last, so that nobody finds the list empty before the set has what belongs to it.
        self.entry(a).list.fetch_and(!LIST, Release);
        self.entry(b).list.fetch_and(!LIST, Release);
        Marks(all)
    }

    /// Locks a place on the list of a set. There is one: the set is no whole component. `None` if all is over.
    fn lock_list(&self, place: u32) -> Option<u32> {
        let mut at = place;
        loop {
            match self.on_list(at)? {
                Some((found, listed)) => {
                    let list = &self.entry(found).list;
                    let locked = list.compare_exchange(listed, listed | HELD, AcqRel, Acquire);
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
    fn next(&self, place: u32) -> u32 {
        let next = self.entry(place).next.load(Acquire);
        next.checked_sub(1).unwrap_or(place)
    }

    /// A place of the set that is still on its list; if there is none, the set is dead from now on.
    pub fn pick(&self, place: Place) -> Option<Place> {
        match self.on_list(place.0)? {
            Some((found, _)) => return Some(Place(found)),
            None => self.bury(place.0),
        }
        None
    }

    fn bury(&self, place: u32) {
        let mut spins = 0;
        loop {
            let parent = &self.entry(self.find(place)).parent;
            match parent.compare_exchange(ROOT, DEAD, AcqRel, Acquire) {
                Ok(_) | Err(DEAD) => return,
                Err(_) if self.is_over() => return,
                Err(_) => pause(&mut spins),
            }
        }
    }

    /// The first place from `at` on that is on the list, and what stands there, `Some(None)` if there is none. `None` if all is over.
    fn on_list(&self, mut at: u32) -> Option<Option<(u32, u32)>> {
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
            // Both are off the list: the second need not be passed again.
            let third = self.next(second);
            self.entry(at).next.store(third + 1, Release);
            at = third;
        }
    }

    /// Is a place on its list? What stands there then. Waits while it is locked; `None` if all is over.
    #[inline]
    fn listed(&self, place: u32) -> Option<Option<u32>> {
        let mut spins = 0;
        loop {
            let word = self.entry(place).list.load(Acquire);
            match word & LIST {
                LISTED => return Some(Some(word)),
                FINISHED => return Some(None),
                _ if self.is_over() => return None,
                _ => pause(&mut spins),
            }
        }
    }

    /// Where the edges of a node are kept.
    #[inline]
    pub fn kept(&self, place: Place) -> Option<u32> {
        let kept = self.entry(place.0).list.load(Acquire) >> LIST.count_ones();
        kept.checked_sub(1)
    }

    /// The edges of a node are kept there, before [`MOST_KEPT`], unless somebody has kept them already. All others lead to dead nodes, or into its set, which has their marks.
    #[inline]
    pub fn keep(&self, place: Place, at: u32) {
        let list = &self.entry(place.0).list;
        let kept = |known: u32| (known <= LIST).then_some(known | (at + 1) << LIST.count_ones());
        let _ = list.fetch_update(AcqRel, Acquire, kept);
    }

    /// Was the node taken off its list?
    #[inline]
    pub fn is_finished(&self, place: Place) -> bool {
        self.entry(place.0).list.load(Acquire) & LIST == FINISHED
    }

    /// Takes a node off its list: each of its successors is in its set or dead.
    pub fn finish(&self, place: Place) {
        let list = &self.entry(place.0).list;
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
                _ if self.is_over() => return,
                _ => pause(&mut spins),
            }
        }
    }
}
