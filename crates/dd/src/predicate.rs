//! Predicates as residuals, and the vectors that satisfy them.
//!
//! A predicate read level by level from the top leaves a *residual*: what it still asks of the
//! levels below. This crate only steps residuals; what they are, and that equal ones have equal
//! numbers, is up to the implementation of [`Predicate`] (`Residuals` in `space` is the usual one).
//!
//! `select(A, r) = {v ∈ A | reading v from r ends in TRUE}`

use crate::kernel::{Call, Halt, Kernel, NodeId, OPERATIONS, Opening, Residual, Scope, ScopeId};
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

/// The vectors of `node`, on `level`, that satisfy `residual`; the context is the predicate.
#[derive(Clone, Copy)]
struct Select {
    node: NodeId,
    level: u32,
    residual: Residual,
}

impl<P: Predicate> Call<P> for Select {
    type Key = (NodeId, ScopeId, Residual);

    fn open(self, kernel: &mut Kernel, predicate: &mut P) -> Result<Opening<Self::Key>, Halt> {
        let Select { node, residual, .. } = self;
        if node.is_empty() || residual == Residual::TRUE {
            return Ok(Opening::AtOnce(node));
        }
        if residual == Residual::FALSE {
            return Ok(Opening::AtOnce(NodeId::EMPTY));
        }
        if node == NodeId::ONE {
            return Err(kernel.unread(residual));
        }
        Ok(Opening::Walk {
            node,
            operation: OPERATIONS.select,
            key: (node, predicate.scope().id(), residual),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        predicate: &mut P,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        let residual = match predicate.step(self.residual, self.level, value) {
            Ok(residual) => residual,
            Err(stop) => return Err(kernel.halt(stop)),
        };
        let below = Select {
            node: child,
            level: self.level + 1,
            residual,
        };
        kernel.call_into(value, below, predicate)
    }
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
        let select = Select {
            node,
            level,
            residual,
        };
        self.call(select, predicate)
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
