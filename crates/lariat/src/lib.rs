//! Lariat, an LTL model checker whose answers can be trusted.
//!
//! One way leads through it: a model file becomes a [`System`], a formula an automaton of its
//! negation; an engine searches their product; what it finds is replayed on the original
//! system by an independent checker before anything is called a [`Verdict`].

#![forbid(unsafe_code)]

mod auto;
mod check;
mod engine;
mod explored;
mod features;
mod prepare;
pub mod property_process;
pub mod replay;
pub mod report;
mod states;
mod verdict;

pub use lariat_automata as automata;
pub use lariat_ltl as ltl;
pub use lariat_model as model;
pub use lariat_space as space;

pub use check::{Attempt, Options, Property, Report, Subject, check};
pub use engine::{Choice, Kind, Needs, Tuning};
pub use explored::Explored;
pub use lariat_budget::{Budget, Cancel, Figure, Observer, Progress, Quiet, Stats, Stop};
pub use lariat_engines::Proofs;
pub use lariat_engines::hybrid::Check;
pub use lariat_model::{Deadlock, InputError, Lasso, Proposition, Step, System};
pub use lariat_space::symbolic::{OrderChoice, Pumping, Schedule};
pub use states::{Counting, StateSpace, states, states_and_claims};
pub use verdict::{Complete, Reason, Replayed, Verdict};
