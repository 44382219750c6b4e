//! Where nodes live: one flat array of words, and a bitmap of the words in use.
//!
//! A node is a header word and its edges; its id is the offset of the header. The header is
//! `length · 2 + sparse`. A dense node lists a child for every value from 0 to its largest (0
//! where there is none), a sparse one lists `value, child` pairs. Which of the two is decided by
//! size alone — dense if that is not longer — so the encoding of a set of edges is unique and
//! nothing is ever as long as its largest value.
//!
//! Nodes never move. A collection clears the bitmap and marks the words of the nodes that
//! live; afterwards allocation fills the holes between them in address order, which costs no
//! sweep of the pool and no free lists. Requests of different size walk the holes with
//! different cursors, so a large node does not make the small holes before it useless. A cursor
//! takes a stretch of at most [`STRETCH`] words at a time; what is left of a stretch too short
//! for the request is lost until the next collection.

use crate::kernel::NodeId;

const STRETCH: usize = 4096;

#[derive(Clone, Copy, Default)]
struct HoleCursor {
    /// The next free word of the stretch in hand, and its end.
    at: usize,
    end: usize,
    /// Where to look for the next stretch.
    scan: usize,
}

pub(crate) struct NodePool {
    words: Vec<u32>,
    in_use: Vec<u64>,
    capacity: usize,
    cursors: [HoleCursor; 3],
    /// Words of nodes: alive after the last collection, or made since.
    occupied: usize,
}

impl NodePool {
    pub fn new() -> NodePool {
        let mut pool = NodePool {
            words: vec![0, 0],
            in_use: vec![0],
            capacity: 2,
            cursors: [HoleCursor::default(); 3],
            occupied: 2,
        };
        pool.take_bits(0, 2);
        pool
    }

    /// Bytes that a pool of `words` words takes.
    pub fn bytes_for(words: usize) -> usize {
        words * 4 + words / 8 + 8
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Words that hold nodes.
    pub fn occupied(&self) -> usize {
        self.occupied
    }

    /// Makes room for `capacity` words in all. The caller holds the lease.
    pub fn grow(&mut self, capacity: usize) {
        self.words.reserve_exact(capacity - self.words.len());
        let bits = capacity.div_ceil(64);
        self.in_use.reserve_exact(bits - self.in_use.len());
        self.in_use.resize(bits, 0);
        self.capacity = capacity;
    }

    /// Room for `count` words, or nothing if the pool must grow or be collected.
    pub fn take(&mut self, count: usize) -> Option<usize> {
        let class = match count {
            0..=4 => 0,
            5..=64 => 1,
            _ => 2,
        };
        let cursor = self.cursors[class];
        if cursor.end - cursor.at >= count {
            self.cursors[class].at += count;
            self.occupied += count;
            return Some(cursor.at);
        }
        let (start, end) = self.stretch(cursor.scan, count)?;
        self.take_bits(start, end);
        if self.words.len() < end {
            self.words.resize(end, 0);
        }
        self.cursors[class] = HoleCursor {
            at: start + count,
            end,
            scan: end,
        };
        self.occupied += count;
        Some(start)
    }

    /// The first free stretch of at least `count` words from `scan` on.
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

    /// The first word from `from` on that is in use (or is not), `capacity` if there is none.
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

    /// Begins a collection: nothing but the two terminals is in use.
    pub fn unmark(&mut self) {
        self.in_use.fill(0);
        self.in_use[0] = 3;
        self.cursors = [HoleCursor::default(); 3];
        self.occupied = 2;
    }

    /// Marks `node`; false if it was marked before.
    pub fn mark(&mut self, node: NodeId) -> bool {
        if self.alive(node) {
            return false;
        }
        let start = node.index();
        let end = start + self.block(node).len();
        self.take_bits(start, end);
        self.occupied += end - start;
        true
    }

    /// During a collection: is `node` marked?
    #[inline]
    pub fn alive(&self, node: NodeId) -> bool {
        self.in_use[node.index() / 64] >> (node.index() % 64) & 1 != 0
    }

    /// The words of `node`, header first.
    #[inline]
    pub fn block(&self, node: NodeId) -> &[u32] {
        let at = node.index();
        let header = self.words[at];
        let length = (header >> 1) as usize;
        &self.words[at..at + 1 + (length << (header & 1))]
    }

    /// The edge of `node` if it has but one.
    #[inline]
    pub fn single(&self, node: NodeId) -> Option<(u32, NodeId)> {
        match self.words[node.index()..] {
            // Dense for the value 0, sparse for any, dense for the value 1.
            [2, child, ..] => Some((0, NodeId(child))),
            [3, value, child, ..] => Some((value, NodeId(child))),
            [4, 0, child, ..] => Some((1, NodeId(child))),
            _ => None,
        }
    }

    /// Does the block at `node` equal `block`?
    #[inline]
    pub fn holds(&self, node: NodeId, block: &[u32]) -> bool {
        self.words
            .get(node.index()..node.index() + block.len())
            .is_some_and(|words| words == block)
    }

    pub fn write(&mut self, at: usize, block: &[u32]) {
        self.words[at..at + block.len()].copy_from_slice(block);
    }

    /// The edges of `node` by increasing value.
    #[inline]
    pub fn edges(&self, node: NodeId) -> NodeEdges<'_> {
        let block = self.block(node);
        if block[0] & 1 == 0 {
            NodeEdges::Dense {
                value: 0,
                children: &block[1..],
            }
        } else {
            NodeEdges::Sparse(&block[1..])
        }
    }

    /// The child of `node` under `value`, [`NodeId::EMPTY`] if there is none.
    #[inline]
    pub fn child(&self, node: NodeId, value: u32) -> NodeId {
        let block = self.block(node);
        if block[0] & 1 == 0 {
            return NodeId(*block[1..].get(value as usize).unwrap_or(&0));
        }
        let (pairs, _) = block[1..].as_chunks::<2>();
        match pairs.binary_search_by_key(&value, |pair| pair[0]) {
            Ok(at) => NodeId(pairs[at][1]),
            Err(_) => NodeId::EMPTY,
        }
    }
}

/// The edges of a node by increasing value, none of them to the empty set.
#[derive(Clone, Debug)]
pub enum NodeEdges<'a> {
    #[doc(hidden)]
    Dense { value: u32, children: &'a [u32] },
    #[doc(hidden)]
    Sparse(&'a [u32]),
}

impl Iterator for NodeEdges<'_> {
    type Item = (u32, NodeId);

    #[inline]
    fn next(&mut self) -> Option<(u32, NodeId)> {
        match self {
            NodeEdges::Dense { value, children } => loop {
                let (&child, rest) = children.split_first()?;
                *children = rest;
                *value += 1;
                if child != 0 {
                    return Some((*value - 1, NodeId(child)));
                }
            },
            NodeEdges::Sparse(words) => match words {
                [value, child, rest @ ..] => {
                    let edge = (*value, NodeId(*child));
                    *words = rest;
                    Some(edge)
                }
                _ => None,
            },
        }
    }
}
