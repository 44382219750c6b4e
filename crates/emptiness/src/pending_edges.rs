//! Edge lists that UFSCC workers share: edges of a node that were computed but not followed yet.
//!
//! Several workers search one component and may continue from nodes on each other's paths. Without
//! these lists each would compute the successors of such a node again, which costs several times
//! more than the rest of the search. So a worker that has examined a node first records its
//! remaining edges: those that lead neither to a dead node nor into the component.
//!
//! A list is its length followed by one word per edge: the target in the low half, the marks in the
//! high half. Lists are immutable, written once into a block that one worker owns, and never freed.
//! If the blocks are exhausted or the marks do not fit, no list is written and edges are computed
//! again.

use crate::graph::{Edge, Marks, NodeId};
use crate::sync::{AtomicU32, AtomicU64, EDGE_BLOCK, EDGE_WORDS, Segments};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Edge lists of all workers.
#[derive(Debug)]
pub(crate) struct PendingEdges {
    words: Segments<AtomicU64>,
    /// Start of the unallocated blocks.
    top: AtomicU32,
}

impl PendingEdges {
    pub fn new() -> PendingEdges {
        PendingEdges {
            words: Segments::new(),
            top: AtomicU32::new(0),
        }
    }

    /// Writes a list into the rest of the worker's block or into a new block, after passing the
    /// required bytes to `lease`. Returns its start, or `None` if it was not written. The stores
    /// are `Relaxed`: the caller must publish the start with a `Release` store, and readers must
    /// load it with `Acquire`.
    pub fn write<E>(
        &self,
        edges: &[Edge],
        block: &mut Range<u32>,
        lease: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<u32>, E> {
        let words = edges.len() + 1;
        let fits = |edge: &Edge| edge.marks.0 >> 32 == 0;
        if words > EDGE_BLOCK as usize || !edges.iter().all(fits) {
            return Ok(None);
        }
        if block.len() < words {
            let more = |top: u32| (top <= EDGE_WORDS - EDGE_BLOCK).then(|| top + EDGE_BLOCK);
            let Ok(start) = self.top.fetch_update(Relaxed, Relaxed, more) else {
                return Ok(None);
            };
            let block_words = start as usize..(start + EDGE_BLOCK) as usize;
            self.words.reserve_all(block_words, lease)?;
            *block = start..start + EDGE_BLOCK;
        }
        let start = block.start;
        block.start += words as u32;
        let put = |at: u32, word| self.words.at(at as usize).store(word, Relaxed);
        put(start, edges.len() as u64);
        for (at, edge) in (start + 1..).zip(edges) {
            put(at, u64::from(edge.to.0) | edge.marks.0 << 32);
        }
        Ok(Some(start))
    }

    /// Edges of the list that begins at `start`.
    pub fn read(&self, start: u32) -> impl Iterator<Item = Edge> + '_ {
        let word = |at: usize| self.words.at(at).load(Relaxed);
        let first = start as usize + 1;
        let edges = first..first + word(start as usize) as usize;
        edges.map(move |at| Edge {
            to: NodeId(word(at) as u32),
            marks: Marks(word(at) >> 32),
        })
    }
}
