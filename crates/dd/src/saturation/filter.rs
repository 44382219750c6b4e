//! Filters: restrictions on the steps of a saturation.

use crate::kernel::{Kernel, NodeId, Residual, ScopeId};
use crate::predicate::Predicate;
use crate::store::Set;
use lariat_budget::Stop;

/// A restriction on steps by residuals; see [the module](super) for the equations.
///
/// A residual is stepped with the values of the source, of the target, or of both.
pub trait Filter: Send {
    /// True if there is no filter.
    const NONE: bool = false;
    /// True if the source of a step must satisfy the residual.
    const SOURCE: bool;
    /// True if the target of a step must satisfy the residual.
    const TARGET: bool;
    /// True if residuals are nodes, which a collection may free.
    const NODES: bool = false;
    /// True if the last level is not a component but the state of an automaton, which
    /// [moves](Filter::moves) with every step.
    const AUTOMATON: bool = false;

    /// The scope in which residuals are valid.
    fn scope(&self) -> ScopeId;

    /// Returns the residual below `level` if that level has `value`; never called with
    /// [`Residual::FALSE`], and with [`Residual::TRUE`] only if there is an automaton.
    fn step(
        &mut self,
        kernel: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop>;

    /// Appends the successors of the automaton state `from` to `to`, in any order, if the
    /// components of the target leave `residual`.
    fn moves(
        &mut self,
        _kernel: &Kernel,
        _residual: Residual,
        _from: u32,
        _to: &mut Vec<u32>,
    ) -> Result<(), Stop> {
        Ok(())
    }

    /// Returns whether the moves under `residual` are known to map a node that is saturated under
    /// it, and whose automaton states were entered under it, to itself. If so, steps that keep
    /// these levels skip them.
    fn is_still(&mut self, _residual: Residual) -> bool {
        false
    }
}

/// Admits every step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfiltered;

impl Filter for Unfiltered {
    const NONE: bool = true;
    const SOURCE: bool = false;
    const TARGET: bool = false;

    fn scope(&self) -> ScopeId {
        ScopeId::ALWAYS
    }

    fn step(&mut self, _: &Kernel, residual: Residual, _: u32, _: u32) -> Result<Residual, Stop> {
        Ok(residual)
    }
}

/// Admits steps from states that satisfy a predicate.
#[derive(Debug)]
pub struct FromSource<'a, P>(pub &'a mut P);

/// Admits steps into states that satisfy a predicate.
#[derive(Debug)]
pub struct IntoTarget<'a, P>(pub &'a mut P);

impl<P: Predicate> Filter for FromSource<'_, P> {
    const SOURCE: bool = true;
    const TARGET: bool = false;

    fn scope(&self) -> ScopeId {
        self.0.scope().id()
    }

    #[inline]
    fn step(
        &mut self,
        _: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        self.0.step(residual, level, value)
    }
}

impl<P: Predicate> Filter for IntoTarget<'_, P> {
    const SOURCE: bool = false;
    const TARGET: bool = true;

    fn scope(&self) -> ScopeId {
        self.0.scope().id()
    }

    #[inline]
    fn step(
        &mut self,
        _: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        self.0.step(residual, level, value)
    }
}

/// Admits steps into a set; the residual is the node of the set.
#[derive(Clone, Debug)]
pub struct Within(Set);

impl Within {
    /// Returns the filter of steps into `set`.
    pub fn new(set: &Set) -> Within {
        Within(set.clone())
    }

    /// Returns the initial residual.
    pub fn residual(&self) -> Residual {
        Residual(self.0.node().0)
    }
}

impl Filter for Within {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const NODES: bool = true;

    fn scope(&self) -> ScopeId {
        ScopeId::ALWAYS
    }

    #[inline]
    fn step(
        &mut self,
        kernel: &Kernel,
        residual: Residual,
        _: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        let child = kernel.child(NodeId(residual.0), value);
        Ok(Residual(child.0))
    }
}
