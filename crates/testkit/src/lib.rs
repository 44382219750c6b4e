//! Random systems and formulas, the brute-force oracle, and the differential harness.

#![forbid(unsafe_code)]

pub mod case;
pub mod formulas;
pub mod harness;
pub mod interpret;
pub mod lassos;
pub mod nets;
pub mod oracle;
pub mod programs;
pub mod rng;
pub mod shrink;

pub use case::{Atom, Case};
pub use formulas::Ltl;
pub use harness::{Answer, Campaign, Counters, Failure, Subject, Tally};
pub use rng::Rng;
