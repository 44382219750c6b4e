//! Random systems and formulas, the brute-force oracle, and the differential harness.
//!
//! A [`Case`] is a system, a formula and a deadlock policy. The [`oracle`] decides it by brute
//! force and shares no code with the engines: of crate `model` it uses the data types alone. A
//! [`Subject`] is anything that answers cases. A [`Campaign`] runs many cases on all subjects and
//! stops at the first difference. [`cases`] has fixed cases, [`kripke`] is a builder for more.
//! [`nets`], [`claims`], [`programs`], [`predicates`], [`coloured`], [`symmetric`], [`copies`] and [`interleaved`] generate
//! random systems and properties.
//!
//! This crate depends only on `ltl`, `model` and `formats`, so that the tests of all later crates
//! can use it. Engines as subjects, and long campaigns, are in crate `differential`.
//!
//! `LARIAT_SEED` and `LARIAT_CASES` set the first seed and the number of seeds, of four cases each.

#![forbid(unsafe_code)]

pub mod case;
pub mod cases;
pub mod claims;
pub mod coloured;
pub mod copies;
pub mod fairness;
pub mod formulas;
pub mod guarded;
pub mod harness;
pub mod interleaved;
pub mod interpret;
pub mod kripke;
pub mod lassos;
pub mod nets;
pub mod oracle;
pub mod predicates;
pub mod programs;
pub mod promela;
pub mod questions;
pub mod quotients;
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
