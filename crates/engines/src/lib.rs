//! Engines: procedures that decide whether a system has a run that an automaton accepts.
//!
//! A procedure takes a [`Task`] (a [`Problem`], a budget, an observer) and the system in the form
//! that it needs. It returns an [`Outcome`] whose evidence is a concrete [`Lasso`] of that system.
//! One family combines a product graph with an emptiness check, another computes fixpoints over
//! sets of states.
//!
//! Each engine is described by one constant of type [`Engine`] in its own file. Only a completed
//! search returns `Outcome::Empty`.

#![forbid(unsafe_code)]

mod acceptance_map;
mod account;
mod alphabet;
mod engine;
mod engine_id;
mod explicit;
mod hyb;
mod problem;
pub mod questions;
mod runs;
pub mod sets;
mod shorten;
mod sums;
mod symmetry;
#[cfg(test)]
mod testing;
pub mod testing_automata;
mod walk;

pub use account::Account;
pub use alphabet::{Alphabet, ClassId, EventClass, event_classes};
pub use engine::{
    AutomatonKind, Emptiness, Engine, Found, Needs, Procedure, Task, Team, Variant, Workers,
};
pub use engine_id::EngineId;
pub use explicit::{Claims, EXPLICIT, FairnessAutomaton, Size, product_size};
pub use hyb::{AbsenceProof, AbsenceProofs, EL_COMPOSED, HYB, OWCTY_COMPOSED, Recurring};
pub use lariat_emptiness::Outcome;
pub use lariat_model::Lasso;
pub use problem::{Invariance, Problem};
pub use sets::{BCZ, EL, Fixpoint, OWCTY, SLAP, SLAP_FST, SOG, SOP};
pub use shorten::{ShortenEffort, folded, shorten};
pub use symmetry::{SSP, SYM, symmetries_kept};
pub use walk::WALK;
