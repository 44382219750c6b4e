//! Predicates as residuals, and the vectors that satisfy them.
//!
//! A predicate read level by level from the top leaves a *residual*: what it still asks of the
//! levels below. This crate knows only how to step; what residuals are, and that equal ones have
//! equal numbers, is the business of whoever implements [`Predicate`].
//!
//! `select(A, r) = {v ∈ A | reading v from r ends in TRUE}`

use crate::kernel::{ChainId, Halt, Kernel, NodeId, Residual, Scope};
use crate::store::{Set, Store};
use lariat_budget::Stop;

/// Something that can be read level by level.
///
/// [`Residual::TRUE`] and [`Residual::FALSE`] stay what they are and are never stepped; below the
/// last level every residual is one of the two. Numbers of residuals keep their meaning for
/// as long as the scope is open: cache entries are found by them.
pub trait Predicate: Send {
    /// The scope in which the numbers mean something.
    fn scope(&self) -> &Scope;

    /// What `residual` asks below `level` where that level has `value`.
    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop>;
}

impl Kernel {
    /// The vectors of `node`, on `level`, that satisfy `residual`.
    pub fn select<P: Predicate>(
        &mut self,
        node: NodeId,
        level: u32,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<NodeId, Halt> {
        if node.is_empty() || residual == Residual::FALSE {
            return Ok(NodeId::EMPTY);
        }
        if residual == Residual::TRUE {
            return Ok(node);
        }
        if node == NodeId::ONE {
            return Err(self.unread(residual));
        }
        let key = [node.0, 0, predicate.scope().word(), residual.0, 0];
        if let Some([result, _]) = self.cached(self.ops.select, ChainId::END, key) {
            return Ok(NodeId(result));
        }
        let base = self.mark();
        self.push_edges(node)?;
        let end = self.mark();
        let mut at = 0;
        while let Some((value, child)) = self.peek(base, at).filter(|_| at < end.above(base)) {
            let rest = match predicate.step(residual, level, value) {
                Ok(rest) => rest,
                Err(stop) => return Err(self.halt(stop)),
            };
            let child = self.select(child, level + 1, predicate, rest)?;
            if !child.is_empty() {
                self.push(value, child)?;
            }
            at += 1;
        }
        let result = self.make(end)?;
        self.release(base);
        self.tick()?;
        self.remember(self.ops.select, ChainId::END, key, [result.0, 0]);
        Ok(result)
    }

    /// A predicate that is neither true nor false below the last level.
    #[cold]
    pub(crate) fn unread(&mut self, residual: Residual) -> Halt {
        debug_assert!(false, "residual {} below the last level", residual.0);
        self.halt(Stop::Unsupported(
            "a predicate that is undecided below the last level".to_owned(),
        ))
    }
}

impl Store {
    /// The vectors of `set` that satisfy `residual`.
    pub fn select<P: Predicate>(
        &mut self,
        set: &Set,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<Set, Stop> {
        let node = self.of(set);
        self.compute(|kernel| kernel.select(node, 0, predicate, residual))
    }
}
