//! Every engine against the oracle of crate `testkit`.
//!
//! [`subjects::plans`] lists the engines, and a new one is a new line there. The tests of this crate ask
//! all of them a few hundred random cases and every fixed one; the program asks as many as it is told:
//!
//! ```text
//! LARIAT_CASES=100000 cargo run --release -p lariat-differential [SUBJECT]…
//! ```
//!
//! [`questions`] does the same for questions about reachable states.

#![forbid(unsafe_code)]

pub mod processes;
pub mod questions;
pub mod subjects;
pub mod symmetric;
