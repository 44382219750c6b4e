//! The state space of a [`lariat_model::System`]: as an explicit graph, and as sets of states.

#![forbid(unsafe_code)]

pub mod symbolic;
