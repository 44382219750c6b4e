//! Edges that a worker of UFSCC has looked at and not followed yet, for the others.
//!
//! A component that several workers search has on its list the nodes that they have on their paths. Who goes on with one of them would
//! compute its successors again, at several times the cost of all the rest, and two workers that each go on with the path of the other did so for
//! nearly every node. So whoever looks at a node first writes down the edges that remain: those that led neither to a dead node nor into the component. The others read them.
//!
//! A list is the number of its edges and then the edges, a word each: the target, and the marks above it. Lists are written once, into blocks that a worker has alone,
//! and are never taken back. Where there is no room, or marks do not fit, there is no list, and edges are computed again.

use crate::graph::{Edge, Marks, NodeId};
use crate::sync::{AtomicU32, AtomicU64, KEPT_BLOCK, KEPT_ROOM, Segments};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// The lists of all workers.
#[derive(Debug)]
pub(crate) struct Kept {
    words: Segments<AtomicU64>,
    /// Blocks from here on belong to nobody.
    top: AtomicU32,
}

impl Kept {
    pub fn new() -> Kept {
        Kept {
            words: Segments::new(),
            top: AtomicU32::new(0),
        }
    }

    /// Writes a list into what a worker has left of its block, or into another one; `ask` is told the bytes that this takes. Returns where it is, `None` if it is
    /// not written. Whoever is told so by an operation that releases can read it.
    pub fn write<E>(
        &self,
        edges: &[Edge],
        block: &mut Range<u32>,
        ask: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<u32>, E> {
        let words = edges.len() + 1;
        let fits = |edge: &Edge| edge.marks.0 >> 32 == 0;
        if words > KEPT_BLOCK as usize || !edges.iter().all(fits) {
            return Ok(None);
        }
        if block.len() < words {
            let more = |top: u32| (top <= KEPT_ROOM - KEPT_BLOCK).then(|| top + KEPT_BLOCK);
            let Ok(start) = self.top.fetch_update(Relaxed, Relaxed, more) else {
                return Ok(None);
            };
            let places = start as usize..(start + KEPT_BLOCK) as usize;
            self.words.reserve_all(places, ask)?;
            *block = start..start + KEPT_BLOCK;
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

    /// The edges of a list.
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
