//! Reductions: passes that transform a system for one property, their inverse mappings for traces,
//! and net [symmetries](symmetry).
//!
//! A pass produces a new system and a [`Lift`]. The lift translates propositions to the new system
//! and runs back to the old one. Engines see only the last system; a counterexample is lifted
//! through all passes and replayed on the system that the user wrote.
//!
//! | pass | preserves | lift of a run |
//! | --- | --- | --- |
//! | [`UnfoldingLift`]: coloured net to unfolding | everything | by names |
//! | [`reduce()`], seven rules | all of LTL with events | the same or equivalent events |
//! | [`reduce()`], other rules | stutter-invariant state properties | event sequences |
//!
//! All preserve both deadlock policies.
//!
//! The reader unfolds coloured nets, so that propositions are bound to the unfolding; its lift is
//! applied last.

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
mod trace_lift;
mod unfolding;

pub use implicit_places::ImplicitPlace;
pub use reduce::{ImplicitPlaceAdvice, Reduction, Removed, Rule, Rules, no_advice, reduce};
pub use reduction::ReductionLift;
pub use support::Support;
pub use systems::Systems;
pub use unfolding::UnfoldingLift;

use lariat_budget::{Budget, Stop};
use lariat_model::{Lasso, Proposition, ReplayError, System};
use std::fmt;

/// The inverse mapping of a pass.
pub trait Lift: Send + Sync {
    /// Translates a proposition to the new system; `None` if the new system cannot express it.
    fn forward(&self, proposition: &Proposition) -> Option<Proposition>;

    /// Returns a run of the old system that satisfies the same formulas as this run of the new one.
    ///
    /// Both may be covering runs: a removed place may grow along a loop of the new system.
    fn back(&self, lasso: Lasso, budget: &Budget) -> Result<Lasso, LiftError>;
}

/// Reason why a run cannot be lifted, with an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiftError {
    /// The run of the old system is no lasso or too long to report. The check is repeated without
    /// the pass.
    Unliftable(String),
    /// No such run exists: a defect of the pass.
    Defect(String),
    /// The budget ended.
    Stopped(Stop),
}

impl From<ReplayError> for LiftError {
    fn from(error: ReplayError) -> LiftError {
        match error {
            ReplayError::Defect(why) => LiftError::Defect(why),
            ReplayError::Stopped(stop) => LiftError::Stopped(stop),
        }
    }
}

/// The result of a pass.
pub struct PassResult<'s> {
    /// Name of the rule as shown to users.
    pub name: &'static str,
    /// The new system.
    pub system: &'s System,
    /// The inverse mapping.
    pub lift: Box<dyn Lift + 's>,
}

impl fmt::Debug for PassResult<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}
