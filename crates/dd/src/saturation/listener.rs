//! Listeners, which observe the steps of a saturation.

use super::filter::StepFilter;
use crate::kernel::{ChainId, DdNode, Halt, Kernel, Residual};

/// One firing of an event at its top level.
#[derive(Clone, Copy, Debug)]
pub struct Fired {
    /// The top level of the event.
    pub level: u32,
    /// The value on that level before.
    pub from: u32,
    /// The value on that level after.
    pub to: u32,
    /// The remaining chain below.
    pub rest: ChainId,
    /// The suffixes fired from.
    pub source: DdNode,
    /// The residuals of source and target below this level.
    pub residuals: (Residual, Residual),
    /// The suffixes reached, already saturated.
    pub image: DdNode,
    /// The suffixes found under `to` before.
    pub before: DdNode,
}

/// Observes a saturation under a filter. All methods have an empty default.
///
/// Results from the operation cache are not reported again. The nodes in the arguments are rooted
/// while a method runs. A method may itself compute on the kernel and step the filter, and ends the
/// whole saturation by returning the result of [`Kernel::leave`] or [`Kernel::halt`].
///
/// On one level at most one node is in work at a time: the calls for a level between
/// [`begun`](Listener::begun) and [`saturated`](Listener::saturated) concern one node.
pub trait Listener<F: StepFilter>: Send {
    /// Events with top level `level` are about to be fired from a node.
    #[inline]
    fn begun(&mut self, _level: u32) {}

    /// An event was fired and has a non-empty image.
    #[inline]
    fn fired(&mut self, _kernel: &mut Kernel, _filter: &mut F, _: Fired) -> Result<(), Halt> {
        Ok(())
    }

    /// `node` is closed under all events with top level `level` or below that `residual` admits.
    #[inline]
    fn saturated(
        &mut self,
        _kernel: &mut Kernel,
        _filter: &mut F,
        _level: u32,
        _residual: Residual,
        _node: DdNode,
    ) -> Result<(), Halt> {
        Ok(())
    }
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<F: StepFilter> Listener<F> for Silent {}
