//! Lariat, an LTL model checker whose answers can be trusted.
//!
//! One way leads through it: a model file becomes a [`System`], a formula an automaton of its
//! negation; an engine searches their product; what it finds is replayed on the original
//! system by an independent checker before anything is called a [`Verdict`].

#![forbid(unsafe_code)]

mod check;
pub mod property_process;
pub mod replay;
pub mod report;
mod verdict;

pub use lariat_automata as automata;
pub use lariat_ltl as ltl;
pub use lariat_model as model;
pub use lariat_space as space;

pub use check::{Attempt, Choice, Options, Property, Report, Subject, check};
pub use lariat_budget::{Budget, Cancel, Observer, Progress, Quiet, Stats, Stop};
pub use lariat_model::{Deadlock, InputError, Lasso, Proposition, Step, System};
pub use verdict::{Complete, Reason, Replayed, Verdict};
