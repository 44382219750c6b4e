//! Engines: procedures that decide whether a system has a run that an automaton accepts.
//!
//! A procedure takes a [`Problem`], a budget and an observer, and returns an
//! [`Outcome`] whose evidence is a concrete [`Lasso`] of the system it was given. "Product
//! graph × emptiness check" is one family of procedures; fixpoints over sets are another.
//! `Outcome::Empty` is only ever returned by a completed search.

#![forbid(unsafe_code)]

mod explicit;
pub mod hyb;
pub mod hybrid;
mod labels;
mod pairs;
mod problem;
mod single;
mod size;
mod steps;
pub mod sync;
pub mod testing;

pub use explicit::explicit;
pub use hyb::{Hyb, Proofs, hyb};
pub use hybrid::{Hybrid, bcz, el, owcty, slap, slap_fst};
pub use lariat_emptiness::Outcome;
pub use lariat_model::Lasso;
pub use problem::{Engine, Invariance, Problem};
pub use size::{Size, explicit_size, ta_size, tgta_size};
pub use testing::{as_buchi, ba, ta, tgta};
