//! The one recursion behind operations that walk down a diagram and build another.
//!
//! Intersection, difference, selection, images and most operations of other crates have the same
//! shape. With the result of a *call* on a node `n` written as `f(n)`:
//!
//! ```text
//! f(n) = at once                                   where no edge need be looked at
//!      | what the cache remembers
//!      | node {(i', g(m)) | (i, m) edge of n, (i', g(m)) a call that f makes for this edge}
//! ```
//!
//! `∩` makes the call `m ∩ b[i]` under `i`, an image one call under every `i'` that its event
//! takes `i` to. A call is [data](Call): its type says what to do and its value on what, and
//! whatever stays the same all the way down is a context beside it. [`Kernel::call`] does the rest:
//! roots the children, collects the results, makes the node, counts the work and remembers.
//!
//! Calls are data for the sake of several workers. Every call below an edge goes through
//! [`Kernel::call_into`], which runs it at once; it is the one place where a worker could offer
//! it to another instead and pick up the result before the node is made. The operations themselves
//! need not know.
//!
//! Union merges two nodes and so has its own loop; saturation ends in a fixpoint instead of a node and
//! has its own as well. Questions with a yes or no, which build nothing and may stop early, are
//! written on [`Kernel::remembered`] and [`Kernel::any_edge`].
//!
//! The idea of one recursion per shape, with the way of running it left to a type, is OxiDD's
//! (N. Husung, C. Dubslaff, H. Hermanns, M. A. Köhl: *OxiDD: A safe, concurrent, modular, and
//! performant decision diagram framework in Rust*, TACAS 2024).

use super::key::CacheKey;
use super::{Halt, Kernel, NodeId, Operation, StackMark};

/// A call of a recursive operation, as data, in a context `C` that stays the same all the way down.
pub trait Call<C: ?Sized>: Copy {
    /// Under what its results are remembered.
    type Key: CacheKey;

    /// How the call begins: with its result, or with a node to walk.
    ///
    /// The operands are rooted by the caller, here and in [`edge`](Call::edge).
    fn open(self, kernel: &mut Kernel, context: &mut C) -> Result<Opening<Self::Key>, Halt>;

    /// Makes the calls for one edge of the node that is walked: each result goes
    /// [into](Kernel::call_into) an edge of the node to be made.
    fn edge(self, kernel: &mut Kernel, context: &mut C, edge: (u32, NodeId)) -> Result<(), Halt>;

    /// Makes the node of the edges above `edges`. Calls whose edges do not come by increasing value
    /// [sort](Kernel::sort) them first.
    #[inline]
    fn close(
        self,
        kernel: &mut Kernel,
        _context: &mut C,
        edges: StackMark,
    ) -> Result<NodeId, Halt> {
        kernel.make(edges)
    }
}

/// How a [`Call`] begins.
pub enum Opening<K> {
    /// This is the result.
    AtOnce(NodeId),
    /// The edges of a node are to be walked, unless the cache remembers.
    Walk {
        /// The node, neither terminal.
        node: NodeId,
        /// What the result is remembered as.
        operation: Operation<K, NodeId>,
        /// And under what.
        key: K,
    },
}

impl Kernel {
    /// The result of `call`.
    #[inline]
    pub fn call<C: ?Sized, A: Call<C>>(
        &mut self,
        call: A,
        context: &mut C,
    ) -> Result<NodeId, Halt> {
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

    /// The result of `call` edge by edge.
    fn walk<C: ?Sized, A: Call<C>>(
        &mut self,
        call: A,
        node: NodeId,
        context: &mut C,
    ) -> Result<NodeId, Halt> {
        let base = self.mark();
        self.push_edges(node)?;
        let end = self.mark();
        for at in base.0..end.0 {
            let edge = self.stack[self.turn(at, base.0..end.0)];
            let from = self.stack.len();
            call.edge(self, context, edge)?;
            self.arrange(end.0, from);
        }
        let result = call.close(self, context, end)?;
        self.release(base);
        Ok(result)
    }
}
