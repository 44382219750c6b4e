//! Random systems and formulas, the brute-force oracle, and the differential harness.
//!
//! A [`Case`] is a system, a formula and a deadlock policy; [`Case::random`] makes one from a seed. The
//! [`oracle`] answers it by brute force and shares no code with the engines: of crate `model` it reads the data types
//! alone. A [`Subject`] is whatever answers cases; [`subjects::engines`] lists the engines, and a new
//! one is a new line there. A [`Campaign`] asks all subjects many cases and ends at the first difference,
//! with the command that replays it. [`cases`] has fixed ones, [`kripke`] builds more in a few lines.
//!
//! `LARIAT_SEED` and `LARIAT_CASES` choose the first seed and the number of seeds everywhere; each seed is
//! four questions. Long campaigns: the example `differential`.

#![forbid(unsafe_code)]

pub mod case;
pub mod cases;
pub mod coloured;
pub mod formulas;
pub mod harness;
pub mod interpret;
pub mod kripke;
pub mod lassos;
pub mod nets;
pub mod oracle;
pub mod programs;
pub mod rng;
pub mod shrink;
pub mod subjects;
pub mod tableau;

pub use case::{Atom, Case};
pub use formulas::Ltl;
pub use harness::{Answer, Campaign, Counters, Failure, Subject, Tally};
pub use rng::Rng;
