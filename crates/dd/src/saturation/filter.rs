//! Filters: restrictions on the steps of a saturation.

use crate::kernel::{CacheScopeId, DdNode, Kernel, Residual};
use crate::predicate::LevelPredicate;
use crate::store::Set;
use lariat_budget::Stop;

/// A restriction on steps by residuals; see [the module](super) for the equations.
///
/// A residual is stepped with the values of the source, of the target, or of both.
pub trait StepFilter: Send {
    /// True if there is no filter.
    const NONE: bool = false;
    /// True if the source of a step must satisfy the residual.
    const SOURCE: bool;
    /// True if the target of a step must satisfy the residual.
    const TARGET: bool;
    /// True if residuals are nodes, which a collection may free.
    const NODES: bool = false;
    /// True if the last level is not a component but the state of an automaton, which
    /// [moves](StepFilter::moves) with every step.
    const AUTOMATON: bool = false;

    /// The scope in which residuals are valid.
    fn scope(&self) -> CacheScopeId;

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

impl StepFilter for Unfiltered {
    const NONE: bool = true;
    const SOURCE: bool = false;
    const TARGET: bool = false;

    fn scope(&self) -> CacheScopeId {
        CacheScopeId::ALWAYS
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

impl<P: LevelPredicate> StepFilter for FromSource<'_, P> {
    const SOURCE: bool = true;
    const TARGET: bool = false;

    fn scope(&self) -> CacheScopeId {
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

impl<P: LevelPredicate> StepFilter for IntoTarget<'_, P> {
    const SOURCE: bool = false;
    const TARGET: bool = true;

    fn scope(&self) -> CacheScopeId {
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
pub struct IntoSet(Set);

impl IntoSet {
    /// Returns the filter of steps into `set`.
    pub fn new(set: &Set) -> IntoSet {
        IntoSet(set.clone())
    }

    /// Returns the initial residual.
    pub fn residual(&self) -> Residual {
        Residual(self.0.node().0)
    }
}

impl StepFilter for IntoSet {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const NODES: bool = true;

    fn scope(&self) -> CacheScopeId {
        CacheScopeId::ALWAYS
    }

    #[inline]
    fn step(
        &mut self,
        kernel: &Kernel,
        residual: Residual,
        _: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        let child = kernel.child(DdNode(residual.0), value);
        Ok(Residual(child.0))
    }
}
