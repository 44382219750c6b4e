//! A system as sets of states, on decision diagrams.
//!
//! [`reach`] computes the reachable states, under a given variable order or one found by trials.
//! Its result holds a [`Symbolic`] space with the operations that engines use:
//!
//! - single steps: [`image`](Symbolic::image), [`pre_image`](Symbolic::pre_image), and the states
//!   with a stutter loop, [`stuttering`](Symbolic::stuttering);
//! - closures, each one saturation: [`reach`](Symbolic::reach), [`freach`](Symbolic::freach)
//!   (filtered by source), [`reachf`](Symbolic::reachf) (by target),
//!   [`reach_within`](Symbolic::reach_within) and [`back_within`](Symbolic::back_within) a set;
//! - [`select`](Symbolic::select) by a predicate, [`dead`](Symbolic::dead) states;
//! - statistics: [`census`](Symbolic::census).
//!
//! Operations with events take a subset of them, [`StepSet`]. Predicates are residuals of a query,
//! [`Residuals`]; they and the cache entries computed with them are dropped with the query. Sets
//! are handles that keep their nodes alive; the set algebra is that of [`Symbolic::store`].

mod enabled;
mod figures;
mod layout;
mod moves;
mod order_race_thread;
mod partial;
mod program;
mod pumping;
mod race;
mod ranking;
mod reach;
mod rehearsal;
mod residual;
mod schedule;
mod space;
mod steps;
#[cfg(test)]
mod tests;
mod trial;
mod walk;

pub use figures::SymbolicCounts;
pub use lariat_dd::{Residual, Set, UBig};
pub use layout::LevelLayout;
pub use pumping::{Pumping, pumping};
pub use reach::{Arrangement, OrderChoice, ReachResult, Reached, Unreached, arrange, reach};
pub use residual::Residuals;
pub use schedule::{OrderSchedule, ScheduleRow};
pub use space::Symbolic;
pub use steps::StepSet;
pub use trial::OrderTrial;
