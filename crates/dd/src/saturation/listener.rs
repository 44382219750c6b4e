//! Listeners, which are told what a saturation does.

use super::filter::Filter;
use crate::kernel::{ChainId, Halt, Kernel, NodeId, Residual};

/// One firing of an event at its top level.
#[derive(Clone, Copy, Debug)]
pub struct Fired {
    /// The top level of the event.
    pub level: u32,
    /// The value there before.
    pub from: u32,
    /// The value there after.
    pub to: u32,
    /// What remained to be done below.
    pub rest: ChainId,
    /// The suffixes fired from.
    pub source: NodeId,
    /// What the filter asked of the source and of the target below this level.
    pub residuals: (Residual, Residual),
    /// The suffixes reached, already saturated.
    pub image: NodeId,
    /// The suffixes known under `to` before.
    pub before: NodeId,
}

/// Hears what a saturation under a filter does. All methods have an empty default.
///
/// Results that come from the operation cache are not heard again. The nodes in the arguments are
/// rooted while a method runs, which may itself compute on the kernel and step the filter, and ends
/// the whole saturation by returning what [`Kernel::leave`] or [`Kernel::halt`] return.
///
/// On one level at most one node is in work at a time: what is heard of a level between
/// [`begun`](Listener::begun) and [`saturated`](Listener::saturated) is about one node.
pub trait Listener<F: Filter>: Send {
    /// Events with top level `level` are about to be fired from a node.
    #[inline]
    fn begun(&mut self, _level: u32) {}

    /// An event was fired and reached something.
    #[inline]
    fn fired(&mut self, _kernel: &mut Kernel, _filter: &mut F, _: Fired) -> Result<(), Halt> {
        Ok(())
    }

    /// `node` on `level` is closed under all events with top level `level` or below that
    /// `residual` lets pass.
    #[inline]
    fn saturated(
        &mut self,
        _kernel: &mut Kernel,
        _filter: &mut F,
        _level: u32,
        _residual: Residual,
        _node: NodeId,
    ) -> Result<(), Halt> {
        Ok(())
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<F: Filter> Listener<F> for Silent {}
