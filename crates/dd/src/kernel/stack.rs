//! The shadow stack: edges of unfinished nodes, and nodes that must not be collected.

use super::{DdNode, Halt, Kernel};
use crate::pool::{NodeEdges, word};
use std::ops::Range;

/// A height of the shadow stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StackMark(pub(super) usize);

impl StackMark {
    /// Returns the number of entries between `lower` and this mark.
    pub fn above(self, lower: StackMark) -> usize {
        self.0.saturating_sub(lower.0)
    }
}

impl Kernel {
    /// Returns the present height of the shadow stack.
    #[inline]
    pub fn mark(&self) -> StackMark {
        StackMark(self.stack.len())
    }

    /// Pushes an edge, or under any value a node to be rooted.
    #[inline]
    pub fn push(&mut self, value: u32, node: DdNode) -> Result<(), Halt> {
        if self.stack.len() == self.stack.capacity() {
            self.widen(1)?;
        }
        self.stack.push((value, node));
        Ok(())
    }

    /// Pushes the edges of `node`.
    #[inline]
    pub fn push_edges(&mut self, node: DdNode) -> Result<(), Halt> {
        let length = self.tables.pool.block(node).len();
        self.count_edges(length);
        self.reserve(length)?;
        match self.tables.pool.edges(node) {
            NodeEdges::Dense { children, .. } => {
                for (value, child) in children.iter().enumerate() {
                    let child = word(child);
                    if child != 0 {
                        self.stack.push((value as u32, DdNode(child)));
                    }
                }
            }
            NodeEdges::Sparse(words) => {
                let (pairs, _) = words.as_chunks::<2>();
                let edges = pairs.iter();
                let edges = edges.map(|[value, child]| (word(value), DdNode(word(child))));
                self.stack.extend(edges);
            }
        }
        Ok(())
    }

    /// Returns the index to visit in step `at`: the mirrored one if the worker walks backwards.
    #[inline]
    pub(crate) fn edge_index(&self, at: usize, edges: Range<usize>) -> usize {
        if self.options.backwards {
            edges.start + edges.end - 1 - at
        } else {
            at
        }
    }

    /// Moves the entries above `from` below the others above `end` if this worker walks backwards,
    /// so that all lie in forward order and the same unions are computed.
    #[inline(always)]
    pub(crate) fn restore_order(&mut self, end: usize, from: usize) {
        if self.options.backwards {
            let pushed = self.stack.len() - from;
            self.stack[end..].rotate_right(pushed);
        }
    }

    /// Reserves memory for `more` entries.
    #[inline]
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), Halt> {
        if self.stack.capacity() - self.stack.len() < more {
            self.widen(more)?;
        }
        Ok(())
    }

    /// Returns the entry `offset` above `mark`, if the stack is that high.
    #[inline]
    pub fn peek(&self, mark: StackMark, offset: usize) -> Option<(u32, DdNode)> {
        self.stack.get(mark.0 + offset).copied()
    }

    /// Returns whether `found` holds for an edge of `node`; stops at the first. Roots the children.
    pub fn any_edge(
        &mut self,
        node: DdNode,
        mut found: impl FnMut(&mut Kernel, (u32, DdNode)) -> Result<bool, Halt>,
    ) -> Result<bool, Halt> {
        let base = self.mark();
        self.push_edges(node)?;
        let end = self.mark();
        let mut any = false;
        for at in base.0..end.0 {
            let edge = self.stack[at];
            any = found(self, edge)?;
            if any {
                break;
            }
        }
        self.release(base);
        Ok(any)
    }

    /// Pops all entries above `mark`.
    #[inline]
    pub fn release(&mut self, mark: StackMark) {
        self.stack.truncate(mark.0);
    }

    /// Creates the node of the edges above `mark` (increasing values, no empty child); pops them.
    #[inline]
    pub fn make(&mut self, mark: StackMark) -> Result<DdNode, Halt> {
        let node = self.make_kept(mark.0)?;
        self.stack.truncate(mark.0);
        Ok(node)
    }

    #[cold]
    fn widen(&mut self, more: usize) -> Result<(), Halt> {
        let capacity = (self.stack.len() + more)
            .max(self.stack.capacity() * 2)
            .max(1 << 10);
        let bytes = capacity * size_of::<(u32, DdNode)>();
        if let Err(stop) = self.stack_lease.resize(bytes) {
            return Err(self.halt(stop));
        }
        self.stack.reserve_exact(capacity - self.stack.len());
        Ok(())
    }
}
