//! The state space of a [`lariat_model::System`]: as an explicit graph, and as sets of states.
//!
//! This is the room in which deadlocks are decided, once: under
//! [`Deadlock::Stutter`](lariat_model::Deadlock::Stutter) a dead state has one silent step to itself,
//! and nothing behind this crate adds another.

#![forbid(unsafe_code)]

pub mod explicit;
