//! The memory of nodes: one flat array of words, and a bitmap of the words in use.
//!
//! A node is a header word and its edges; its id is the offset of the header. The header is `length
//! · 2 + sparse`. A dense node lists a child for every value from 0 to its largest (0 where there
//! is none), a sparse one lists `value, child` pairs. A node is dense if that is not longer, so the
//! encoding of a set of edges is unique and no node is as long as its largest value.
//!
//! Nodes never move. A collection clears the bitmap and marks the words of live nodes; afterwards
//! allocation fills the holes between them in address order, without sweeping the pool and without
//! free lists. Requests of different size classes have separate cursors, so a large node does not
//! skip small holes for the others. A cursor takes a stretch of at most [`STRETCH`] words at a
//! time; the rest of a stretch that is too short for a request is lost until the next collection.
//!
//! Each worker writes nodes into its own stretches and locks the bitmap once per stretch. A word of
//! a node is written before its id is [published](crate::unique) and is constant while the node
//! lives, so relaxed loads suffice, which are ordinary loads.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::kernel::DdNode;
use lariat_parallel::Leaf;

const STRETCH: usize = 4096;

/// Words beyond the capacity, so that a check for a short node can read three words anywhere.
const MARGIN: usize = 2;

/// The stretches of a worker, by size class of requests.
#[derive(Default)]
pub(crate) struct Stretches([Stretch; CLASSES]);

/// The next free word, and the end.
#[derive(Clone, Copy, Default)]
struct Stretch {
    at: usize,
    end: usize,
}

/// Number of size classes.
const CLASSES: usize = 3;

#[inline]
fn class(count: usize) -> usize {
    match count {
        0..=4 => 0,
        5..=64 => 1,
        _ => 2,
    }
}

impl Stretches {
    /// Takes `count` words from a present stretch.
    #[inline]
    pub fn take(&mut self, count: usize) -> Option<usize> {
        let stretch = &mut self.0[class(count)];
        let at = stretch.at;
        if stretch.end - at < count {
            return None;
        }
        stretch.at += count;
        Some(at)
    }

    /// Returns the `count` words taken last.
    pub fn give_back(&mut self, count: usize) {
        self.0[class(count)].at -= count;
    }
}

/// The bitmap of free words.
#[derive(Default)]
struct Holes {
    in_use: Vec<u64>,
    capacity: usize,
    /// The offset at which each class searches for its next stretch.
    scans: [usize; CLASSES],
}

#[derive(Default)]
pub(crate) struct NodePool {
    words: Vec<AtomicU32>,
    holes: Leaf<Holes>,
    capacity: usize,
    /// Words of nodes that survived the last collection, or were reported since.
    occupied: AtomicUsize,
}

impl NodePool {
    pub fn new() -> NodePool {
        let mut pool = NodePool::default();
        pool.grow(2);
        pool.clear_marks();
        pool
    }

    /// Returns the bytes of a pool of `words` words.
    pub fn bytes_for(words: usize) -> usize {
        words * 4 + words / 8 + 8
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of words that hold nodes, as reported by workers.
    #[inline]
    pub fn occupied(&self) -> usize {
        self.occupied.load(Ordering::Relaxed)
    }

    /// Adds `words` words of new nodes to the count.
    pub fn report_words(&self, words: usize) {
        self.occupied.fetch_add(words, Ordering::Relaxed);
    }

    /// Grows to `capacity` words. The caller holds the lease.
    pub fn grow(&mut self, capacity: usize) {
        let all = capacity + MARGIN;
        self.words.reserve_exact(all - self.words.len());
        self.words.resize_with(all, AtomicU32::default);
        self.capacity = capacity;
        self.holes().grow(capacity);
    }

    /// Gives a worker a new stretch for `count` words; false if the pool must grow or be collected.
    #[cold]
    pub fn refill(&self, stretches: &mut Stretches, count: usize) -> bool {
        let class = class(count);
        let taken = self.holes.with(|holes| {
            let (at, end) = holes.stretch(holes.scans[class], count)?;
            holes.take_bits(at, end);
            holes.scans[class] = end;
            Some(Stretch { at, end })
        });
        if let Some(taken) = taken {
            stretches.0[class] = taken;
        }
        taken.is_some()
    }

    fn holes(&mut self) -> &mut Holes {
        self.holes.get_mut()
    }

    /// Starts a collection: only the two terminals are marked. Stretches of workers are lost.
    pub fn clear_marks(&mut self) {
        let holes = self.holes();
        holes.in_use.fill(0);
        holes.in_use[0] = 3;
        holes.scans = [0; CLASSES];
        *self.occupied.get_mut() = 2;
    }

    /// Marks `node`; false if it was marked before.
    pub fn mark(&mut self, node: DdNode) -> bool {
        let start = node.index();
        if self.holes().is_taken(start) {
            return false;
        }
        let end = start + self.block(node).len();
        self.holes().take_bits(start, end);
        *self.occupied.get_mut() += end - start;
        true
    }

    /// Returns, during a collection, the predicate of being marked.
    pub fn marked(&mut self) -> impl Fn(DdNode) -> bool + Sync {
        let holes = self.holes();
        |node| holes.is_taken(node.index())
    }

    /// Returns the words of `node`, header first.
    #[inline]
    pub fn block(&self, node: DdNode) -> &[AtomicU32] {
        let at = node.index();
        let header = word(&self.words[at]);
        let length = (header >> 1) as usize;
        &self.words[at..at + 1 + (length << (header & 1))]
    }

    /// Returns whether `node` has exactly one edge.
    #[inline]
    pub fn is_single(&self, node: DdNode) -> bool {
        let at = node.index();
        match word(&self.words[at]) {
            2 | 3 => true,
            4 => word(&self.words[at + 1]) == 0,
            _ => false,
        }
    }

    /// Returns the edge of `node` if it has exactly one.
    #[inline]
    pub fn single(&self, node: DdNode) -> Option<(u32, DdNode)> {
        let [header, first, second, ..] = &self.words[node.index()..] else {
            return None;
        };
        // Dense for the value 0, sparse for any, dense for the value 1.
        match word(header) {
            2 => Some((0, DdNode(word(first)))),
            3 => Some((word(first), DdNode(word(second)))),
            4 if word(first) == 0 => Some((1, DdNode(word(second)))),
            _ => None,
        }
    }

    /// Returns whether the words of `node` are `block`.
    #[inline]
    pub fn holds(&self, node: DdNode, block: &[u32]) -> bool {
        let words = self.words.get(node.index()..node.index() + block.len());
        words.is_some_and(|words| words.iter().zip(block).all(|(a, b)| word(a) == *b))
    }

    /// Writes a node that is not published yet.
    #[inline]
    pub fn write(&self, at: usize, block: &[u32]) {
        let words = &self.words[at..at + block.len()];
        for (to, &from) in words.iter().zip(block) {
            to.store(from, Ordering::Relaxed);
        }
    }

    /// Returns the edges of `node` by increasing value.
    #[inline]
    pub fn edges(&self, node: DdNode) -> NodeEdges<'_> {
        let block = self.block(node);
        if word(&block[0]) & 1 == 0 {
            NodeEdges::Dense {
                value: 0,
                children: &block[1..],
            }
        } else {
            NodeEdges::Sparse(&block[1..])
        }
    }

    /// Returns the first edge of `node` from position `place` on, and the position behind it.
    pub fn edge_from(&self, node: DdNode, place: usize) -> Option<((u32, DdNode), usize)> {
        let block = self.block(node);
        let (header, rest) = block.split_first()?;
        if word(header) & 1 == 0 {
            let at = place
                + rest
                    .get(place..)?
                    .iter()
                    .position(|child| word(child) != 0)?;
            return Some(((at as u32, DdNode(word(&rest[at]))), at + 1));
        }
        let [value, child] = rest.as_chunks::<2>().0.get(place)?;
        Some(((word(value), DdNode(word(child))), place + 1))
    }

    /// Returns the child of `node` under `value`, [`DdNode::EMPTY`] if there is none.
    #[inline]
    pub fn child(&self, node: DdNode, value: u32) -> DdNode {
        let block = self.block(node);
        if word(&block[0]) & 1 == 0 {
            return DdNode(block[1..].get(value as usize).map_or(0, word));
        }
        let (pairs, _) = block[1..].as_chunks::<2>();
        match pairs.binary_search_by_key(&value, |pair| word(&pair[0])) {
            Ok(at) => DdNode(word(&pairs[at][1])),
            Err(_) => DdNode::EMPTY,
        }
    }
}

impl Holes {
    fn grow(&mut self, capacity: usize) {
        let bits = capacity.div_ceil(64);
        self.in_use.reserve_exact(bits - self.in_use.len());
        self.in_use.resize(bits, 0);
        self.capacity = capacity;
    }

    #[inline]
    fn is_taken(&self, at: usize) -> bool {
        self.in_use[at / 64] >> (at % 64) & 1 != 0
    }

    /// Returns the first free stretch of at least `count` words from `scan` on.
    fn stretch(&self, scan: usize, count: usize) -> Option<(usize, usize)> {
        let mut from = scan;
        loop {
            let start = self.next(from, false);
            if start + count > self.capacity {
                return None;
            }
            let limit = (start + count.max(STRETCH)).min(self.capacity);
            let end = self.next(start, true).min(limit);
            if end - start >= count {
                return Some((start, end));
            }
            from = end;
        }
    }

    /// Returns the first word from `from` on that is used (or free), `capacity` if there is none.
    fn next(&self, from: usize, used: bool) -> usize {
        let flip = if used { 0 } else { u64::MAX };
        let mut block = from / 64;
        if block >= self.in_use.len() {
            return self.capacity;
        }
        let mut bits = (self.in_use[block] ^ flip) & (u64::MAX << (from % 64));
        loop {
            if bits != 0 {
                return (block * 64 + bits.trailing_zeros() as usize).min(self.capacity);
            }
            block += 1;
            match self.in_use.get(block) {
                Some(word) => bits = word ^ flip,
                None => return self.capacity,
            }
        }
    }

    fn take_bits(&mut self, start: usize, end: usize) {
        let (first, last) = (start / 64, (end - 1) / 64);
        let low = u64::MAX << (start % 64);
        let high = u64::MAX >> (63 - (end - 1) % 64);
        if first == last {
            self.in_use[first] |= low & high;
        } else {
            self.in_use[first] |= low;
            self.in_use[first + 1..last].fill(u64::MAX);
            self.in_use[last] |= high;
        }
    }
}

/// Loads a word of a published node.
#[inline]
pub(crate) fn word(word: &AtomicU32) -> u32 {
    word.load(Ordering::Relaxed)
}

/// The edges of a node by increasing value, none of them to the empty set.
#[derive(Clone, Debug)]
pub enum NodeEdges<'a> {
    #[doc(hidden)]
    Dense {
        value: u32,
        children: &'a [AtomicU32],
    },
    #[doc(hidden)]
    Sparse(&'a [AtomicU32]),
}

impl Iterator for NodeEdges<'_> {
    type Item = (u32, DdNode);

    #[inline]
    fn next(&mut self) -> Option<(u32, DdNode)> {
        match self {
            NodeEdges::Dense { value, children } => loop {
                let (child, rest) = children.split_first()?;
                let child = word(child);
                *children = rest;
                *value += 1;
                if child != 0 {
                    return Some((*value - 1, DdNode(child)));
                }
            },
            NodeEdges::Sparse(words) => match words {
                [value, child, rest @ ..] => {
                    let edge = (word(value), DdNode(word(child)));
                    *words = rest;
                    Some(edge)
                }
                _ => None,
            },
        }
    }
}
