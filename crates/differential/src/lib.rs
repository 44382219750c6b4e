//! Every engine against the oracle of crate `testkit`.
//!
//! [`subjects::plans`] lists the engines; a new engine is added there. The tests run all engines on
//! a few hundred random cases and on every fixed case. The program runs longer campaigns:
//!
//! ```text
//! LARIAT_CASES=100000 cargo run --release -p lariat-differential [SUBJECT]…
//! ```
//!
//! [`questions`] compares answers to questions about reachable states.

#![forbid(unsafe_code)]

pub mod processes;
pub mod questions;
pub mod quotient;
pub mod spin;
pub mod subjects;
pub mod symmetric;
pub mod watchdog;
