//! Reductions: passes from one system to another with the way back, and [symmetries](symmetry) of nets.
//!
//! A pass makes another system of a system and says in its [`Lift`] what a proposition means there and which run of the
//! old system a run of the new one stands for. Engines see the last system and never know which passes ran before; a
//! counterexample goes back through all of them and is replayed on what the user wrote.
//!
//! | pass | from, to | preserves | back |
//! | --- | --- | --- | --- |
//! | [`UnfoldingLift`] | a coloured net, its unfolding | everything | by the names of places and bindings |
//! | [`reduce()`], seven rules | a net, a smaller one | all of LTL with events, both deadlock policies | the same events, or one of those that do the same |
//! | [`reduce()`], agglomerations, rings, prefix | a net, a smaller one | stutter-invariant properties of states, both deadlock policies | what events stand for |
//!
//! The unfolding is done by the reader, so that propositions are bound to the unfolded system in the first place; its
//! way back is the last one that a lasso goes.

#![forbid(unsafe_code)]

mod agglomeration;
mod constant_places;
mod dead_events;
mod equal_events;
mod equal_future;
mod implicit_places;
mod net;
mod parallel_places;
mod post_agglomeration;
mod pre_agglomeration;
mod prefix_of_interest;
mod reduce;
mod reduction;
mod sink_places;
mod support;
pub mod symmetry;
mod systems;
#[cfg(test)]
mod tests;
mod token_rings;
mod unfolding;
mod way;

pub use implicit_places::Told;
pub use reduce::{Advice, Reduction, Removed, Rule, Rules, no_advice, reduce};
pub use reduction::ReductionLift;
pub use support::Support;
pub use systems::Systems;
pub use unfolding::UnfoldingLift;

use lariat_model::{Lasso, Proposition, System};
use std::fmt;

/// The way back from the system that a pass has made.
pub trait Lift: Send + Sync {
    /// The proposition about the old system in terms of the new one; `None` if the new system cannot tell.
    fn forward(&self, proposition: &Proposition) -> Option<Proposition>;

    /// A run of the old system that satisfies the same formulas as this run of the new one.
    ///
    /// Either may be a covering run: a place that the pass has left out may grow where the new system comes round.
    fn back(&self, lasso: Lasso) -> Result<Lasso, Astray>;
}

/// Why a run has no way back. The text says more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Astray {
    /// The run of the old system is no lasso, or too long to be told. The question has to be asked without the pass.
    Unliftable(String),
    /// There is no such run: a defect of the pass.
    Defect(String),
}

/// What a pass has made.
pub struct Pass<'s> {
    /// The rule, as users know it.
    pub name: &'static str,
    /// The new system.
    pub system: &'s System,
    /// The way back.
    pub lift: Box<dyn Lift + 's>,
}

impl fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}
