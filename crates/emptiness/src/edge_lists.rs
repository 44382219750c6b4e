//! Lists of inner edges that OWCTY workers share: eliminating a node follows its edges again, and
//! reading four bytes per edge takes a fraction of the time of computing it.
//!
//! A list is its length followed by the targets. It is written once, by the worker that visits the
//! node first, into a block that this worker owns; lists are never freed. Where memory is short, or
//! the blocks are exhausted, a node has no list and its edges are computed again. A list is read
//! after its writer was joined, so relaxed order suffices.

use crate::graph::NodeId;
use lariat_budget::SharedLease;
use lariat_parallel::Segments;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

/// Words per block.
const BLOCK: u32 = 1 << 14;

/// Lists by node.
pub(crate) struct EdgeLists {
    /// By node: the start of its list plus one, 0 if it has none.
    starts: Segments<AtomicU32>,
    words: Segments<AtomicU32>,
    /// Start of the unallocated blocks.
    top: AtomicU32,
    /// No more lists are written.
    is_full: AtomicBool,
}

impl EdgeLists {
    pub(crate) fn new() -> EdgeLists {
        EdgeLists {
            starts: Segments::new(),
            words: Segments::new(),
            top: AtomicU32::new(0),
            is_full: AtomicBool::new(false),
        }
    }

    /// Writes the list of a node into the worker's block or a new one, if there is memory.
    pub(crate) fn write(
        &self,
        node: NodeId,
        targets: &[NodeId],
        block: &mut Range<u32>,
        lease: &SharedLease,
    ) {
        if !self.is_full.load(Relaxed) && self.try_write(node, targets, block, lease).is_none() {
            self.is_full.store(true, Relaxed);
        }
    }

    /// `None` if there is no memory.
    fn try_write(
        &self,
        node: NodeId,
        targets: &[NodeId],
        block: &mut Range<u32>,
        lease: &SharedLease,
    ) -> Option<()> {
        let words = u32::try_from(targets.len() + 1).ok()?;
        if block.len() < words as usize {
            let size = words.max(BLOCK);
            let more = |top: u32| top.checked_add(size).filter(|end| *end < u32::MAX);
            let start = self.top.fetch_update(Relaxed, Relaxed, more).ok()?;
            let items = start as usize..(start + size) as usize;
            self.words.reserve_all(items, lease).ok()?;
            *block = start..start + size;
        }
        self.starts.reserve(node.index(), lease).ok()?;
        let at = block.start;
        block.start += words;
        let put = |at: u32, word| self.words.at(at as usize).store(word, Relaxed);
        put(at, words - 1);
        (at + 1..).zip(targets).for_each(|(at, to)| put(at, to.0));
        self.starts.at(node.index()).store(at + 1, Relaxed);
        Some(())
    }

    /// The targets of the inner edges of a node, if they were written.
    pub(crate) fn read(&self, node: NodeId) -> Option<impl Iterator<Item = NodeId> + Clone + '_> {
        let start = self.starts.get(node.index())?.load(Relaxed);
        let at = start.checked_sub(1)? as usize;
        let word = |at: usize| self.words.at(at).load(Relaxed);
        let targets = at + 1..at + 1 + word(at) as usize;
        Some(targets.map(move |at| NodeId(word(at))))
    }
}
