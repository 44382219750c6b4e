//! Random systems and formulas, the brute-force oracle, and the differential harness.
//!
//! A [`Case`] is a system, a formula and a deadlock policy; [`Case::random`] makes one from a seed. The
//! [`oracle`] answers it by brute force and shares no code with the engines: of crate `model` it reads the data types
//! alone. A [`Subject`] is whatever answers cases. A [`Campaign`] asks all subjects many cases and ends at the
//! first difference, with the command that replays it. [`cases`] has fixed ones, [`kripke`] builds more in a few
//! lines. [`nets`], [`programs`], [`predicates`], [`coloured`], [`symmetric`] and [`copies`] draw systems and what can be said of them.
//!
//! This crate knows `ltl`, `model` and `formats` and nothing behind them, so that the tests of every
//! crate from `model` on can use it. The engines as subjects, and long campaigns, are in crate `differential`.
//!
//! `LARIAT_SEED` and `LARIAT_CASES` choose the first seed and the number of seeds everywhere; each seed is
//! four questions.

#![forbid(unsafe_code)]

pub mod case;
pub mod cases;
pub mod coloured;
pub mod copies;
pub mod fairness;
pub mod formulas;
pub mod harness;
pub mod interpret;
pub mod kripke;
pub mod lassos;
pub mod nets;
pub mod oracle;
pub mod predicates;
pub mod programs;
pub mod questions;
pub mod reducible;
mod shadows;
pub mod shrink;
mod stretched;
pub mod symmetric;
pub mod tableau;

pub use case::{Atom, Case};
pub use formulas::Ltl;
pub use harness::{Answer, Campaign, Counters, Failure, Subject, Tally};
pub use lariat_corpora::Random;
