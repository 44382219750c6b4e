//! The recursion scheme of operations that walk down a diagram and build another.
//!
//! Intersection, difference, selection, images and most operations of other crates have the same
//! shape. With the result of a *call* on a node `n` written as `f(n)`:
//!
//! ```text
//! f(n) = immediate result              if no edge need be inspected
//!      | cached result
//!      | node {(i', g(m)) | (i, m) edge of n, (i', g(m)) a call that f makes for this edge}
//! ```
//!
//! `∩` makes the call `m ∩ b[i]` under `i`, an image one call under every `i'` that its event takes
//! `i` to. A call is [data](Call): its type is the operation, its value the operands. Constants
//! of the recursion are a context beside it. [`Kernel::call`] does the rest: roots the children,
//! collects the results, creates the node, counts the work and caches the result.
//!
//! All calls below an edge go through [`Kernel::call_into`], so operations do not depend on the
//! order and the place of their evaluation.
//!
//! Union merges two nodes, and saturation ends in a fixpoint instead of a node; both have loops of
//! their own. Queries with a Boolean result, which create nothing and may stop early, are written
//! on [`Kernel::remembered`] and [`Kernel::any_edge`].
//!
//! The separation of one recursion per shape from its evaluation follows OxiDD (N. Husung, C.
//! Dubslaff, H. Hermanns, M. A. Köhl: *OxiDD: A safe, concurrent, modular, and performant decision
//! diagram framework in Rust*, TACAS 2024).

use super::key::CacheKey;
use super::{DdNode, Halt, Kernel, Operation, StackMark};

/// A call of a recursive operation, as data, in a context `C` shared by the whole recursion.
pub trait Call<C: ?Sized>: Copy {
    /// The cache key of its results.
    type Key: CacheKey;

    /// Starts the call: returns its result, or a node to walk.
    ///
    /// The operands are rooted by the caller, here and in [`edge`](Call::edge).
    fn open(self, kernel: &mut Kernel, context: &mut C) -> Result<Opening<Self::Key>, Halt>;

    /// Makes the calls for one edge of the node; their results become [edges](Kernel::call_into).
    fn edge(self, kernel: &mut Kernel, context: &mut C, edge: (u32, DdNode)) -> Result<(), Halt>;

    /// Creates the node of the edges above `edges`. Calls that do not produce their edges by
    /// increasing value [sort](Kernel::sort) them first.
    #[inline]
    fn close(
        self,
        kernel: &mut Kernel,
        _context: &mut C,
        edges: StackMark,
    ) -> Result<DdNode, Halt> {
        kernel.make(edges)
    }
}

/// The start of a [`Call`].
pub enum Opening<K> {
    /// The result.
    AtOnce(DdNode),
    /// The edges of a node are to be walked, unless the result is cached.
    Walk {
        /// The node, not a terminal.
        node: DdNode,
        /// The operation under which the result is cached.
        operation: Operation<K, DdNode>,
        /// The key of the result.
        key: K,
    },
}

impl Kernel {
    /// Returns the result of `call`.
    #[inline(always)]
    pub fn call<C: ?Sized, A: Call<C>>(
        &mut self,
        call: A,
        context: &mut C,
    ) -> Result<DdNode, Halt> {
        match call.open(self, context)? {
            Opening::AtOnce(result) => Ok(result),
            Opening::Walk {
                node,
                operation,
                key,
            } => self.remembered(operation, key, |kernel| kernel.walk(call, node, context)),
        }
    }

    /// Runs `call` and pushes its result as an edge under `value`, unless it is empty.
    #[inline]
    pub fn call_into<C: ?Sized, A: Call<C>>(
        &mut self,
        value: u32,
        call: A,
        context: &mut C,
    ) -> Result<(), Halt> {
        let result = self.call(call, context)?;
        if !result.is_empty() {
            self.push(value, result)?;
        }
        Ok(())
    }

    /// Computes the result of `call` edge by edge.
    fn walk<C: ?Sized, A: Call<C>>(
        &mut self,
        call: A,
        node: DdNode,
        context: &mut C,
    ) -> Result<DdNode, Halt> {
        let base = self.mark();
        self.push_edges(node)?;
        let end = self.mark();
        for at in base.0..end.0 {
            let edge = self.stack[self.edge_index(at, base.0..end.0)];
            let from = self.stack.len();
            call.edge(self, context, edge)?;
            self.restore_order(end.0, from);
        }
        let result = call.close(self, context, end)?;
        self.release(base);
        Ok(result)
    }
}
