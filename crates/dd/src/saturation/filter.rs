//! Filters: which steps a saturation may take.

use crate::kernel::{Kernel, NodeId, Residual, ScopeId};
use crate::predicate::Predicate;
use crate::store::Set;
use lariat_budget::Stop;

/// Decides by residuals which steps are taken; see [the module](super) for the equations.
///
/// A residual is stepped with the values of the source, of the target, or of both. A
/// saturation is compiled once for every kind of filter.
pub trait Filter: Send {
    /// There is no filter at all.
    const NONE: bool = false;
    /// A step is only taken if its source satisfies the residual.
    const SOURCE: bool;
    /// A step is only taken if its target satisfies the residual.
    const TARGET: bool;
    /// Residuals are nodes, which a collection may free.
    const NODES: bool = false;
    /// The last level is not a component but the state of an automaton, which
    /// [moves](Filter::moves) with every step.
    const AUTOMATON: bool = false;

    /// The scope in which residuals mean something.
    fn scope(&self) -> ScopeId;

    /// What `residual` asks below `level` where that level has `value`; never called with
    /// [`Residual::FALSE`], nor with [`Residual::TRUE`] unless there is an automaton.
    fn step(
        &mut self,
        kernel: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop>;

    /// Where the automaton goes from the state `from` when the components above leave the target
    /// `residual`; appended to `to` in any order.
    fn moves(
        &mut self,
        _kernel: &Kernel,
        _residual: Residual,
        _from: u32,
        _to: &mut Vec<u32>,
    ) -> Result<(), Stop> {
        Ok(())
    }

    /// Of a node that is saturated under `residual`, whose automaton states were moved into under it: are the moves under
    /// `residual` known to lead from it to itself again? Then a step that leaves these levels alone need not look at them.
    fn is_still(&mut self, _residual: Residual) -> bool {
        false
    }
}

/// Every step is taken.
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

/// Steps from states that satisfy a predicate.
#[derive(Debug)]
pub struct FromSource<'a, P>(pub &'a mut P);

/// Steps into states that satisfy a predicate.
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

/// Steps into a set; the residual is the node of the set.
#[derive(Clone, Debug)]
pub struct Within(Set);

impl Within {
    /// Steps into `set`.
    pub fn new(set: &Set) -> Within {
        Within(set.clone())
    }

    /// The residual to begin with.
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
