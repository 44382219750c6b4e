//! Predicates as residuals, and selection of the vectors that satisfy them.
//!
//! A predicate read level by level from the top leaves a *residual*: the remaining condition on the
//! levels below. This crate only steps residuals; their representation, with equal numbers for
//! equal residuals, is up to the implementation of [`LevelPredicate`] (usually `Residuals` in
//! `space`).
//!
//! `select(A, r) = {v ∈ A | reading v from r ends in TRUE}`

use crate::kernel::{
    CacheScope, CacheScopeId, Call, DdNode, Halt, Kernel, OPERATIONS, Opening, Residual,
};
use crate::store::{Set, Store};
use lariat_budget::Stop;

/// A condition that is read level by level.
///
/// [`Residual::TRUE`] and [`Residual::FALSE`] are constant and never stepped; below the last level
/// every residual is one of the two. As cache keys, residuals keep their meaning while the scope is
/// open.
pub trait LevelPredicate: Send {
    /// The scope in which the numbers are valid.
    fn scope(&self) -> &CacheScope;

    /// Returns the residual below `level` if that level has `value`.
    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop>;
}

/// The vectors of `node`, on `level`, that satisfy `residual`; the context is the predicate.
#[derive(Clone, Copy)]
struct Select {
    node: DdNode,
    level: u32,
    residual: Residual,
}

impl<P: LevelPredicate> Call<P> for Select {
    type Key = (DdNode, CacheScopeId, Residual);

    fn open(self, kernel: &mut Kernel, predicate: &mut P) -> Result<Opening<Self::Key>, Halt> {
        let Select { node, residual, .. } = self;
        if node.is_empty() || residual == Residual::TRUE {
            return Ok(Opening::AtOnce(node));
        }
        if residual == Residual::FALSE {
            return Ok(Opening::AtOnce(DdNode::EMPTY));
        }
        if node == DdNode::ONE {
            return Err(kernel.undecided(residual));
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
        (value, child): (u32, DdNode),
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
    /// Returns the vectors of `node`, on `level`, that satisfy `residual`.
    pub fn select<P: LevelPredicate>(
        &mut self,
        node: DdNode,
        level: u32,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<DdNode, Halt> {
        let select = Select {
            node,
            level,
            residual,
        };
        self.call(select, predicate)
    }

    /// Reports a predicate that is neither true nor false below the last level.
    #[cold]
    pub(crate) fn undecided(&mut self, residual: Residual) -> Halt {
        debug_assert!(false, "residual {} below the last level", residual.0);
        self.halt(Stop::Unsupported(
            "a predicate that is undecided below the last level".to_owned(),
        ))
    }
}

impl Store {
    /// Returns the vectors of `set` that satisfy `residual`.
    pub fn select<P: LevelPredicate>(
        &mut self,
        set: &Set,
        predicate: &mut P,
        residual: Residual,
    ) -> Result<Set, Stop> {
        let node = self.node_of(set);
        self.compute(|kernel| kernel.select(node, 0, predicate, residual))
    }
}
