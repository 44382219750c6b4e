//! What can be known of a net before any search.
//!
//! Every reachable marking is `m0 + C·x` with `x >= 0`, and an inequality that holds of all such `m` and is found by linear
//! programming is a fact: an atom is constant, an event is dead, a place is bounded, every run is finite. [`Facts`] finds such facts
//! lazily and keeps them for all properties of a net. Each comes with a [`Certificate`] that was checked in exact
//! integers, so that the floating-point solver never has to be trusted: a fact whose check fails does not exist.
//!
//! One rule a file: `refute` excludes markings, `bounds` bounds places, `implicit` finds those that decide nothing, `repeat` finds events
//! that fire finitely often, `resting` describes dead markings,
//! `cycles` and `steps` look at automata, from which `prune` takes what no run does,
//! `formula` and `canonical` at formulas;
//! `skeleton` is for coloured nets that are too large, `parikh` for walks that look for the way;
//! `solver` is the only file that knows the solver.

#![forbid(unsafe_code)]

mod bounds;
mod canonical;
mod cases;
mod certificate;
mod cycles;
mod facts;
mod formula;
mod implicit;
mod most;
mod net;
mod parikh;
mod prune;
mod rational;
mod refute;
mod repeat;
mod resting;
mod samples;
mod skeleton;
mod solver;
mod steps;

pub use bounds::{Answers, Bound};
pub use certificate::{Certificate, Statement, Weights};
pub use cycles::Barren;
pub use facts::{Constant, Facts, Limits};
pub use formula::Simplified;
pub use parikh::{Destination, Directions, Effect};
pub use prune::Pruned;
pub use repeat::Repeating;
pub use skeleton::Skeleton;
