//! The state space of a [`lariat_model::System`]: as an explicit graph, and as sets of states.
//!
//! Deadlocks are decided in this crate only: under
//! [`Deadlock::Stutter`](lariat_model::Deadlock::Stutter) a dead state has one silent step to
//! itself, and no other crate adds one.

#![forbid(unsafe_code)]

pub mod explicit;
pub mod symbolic;
