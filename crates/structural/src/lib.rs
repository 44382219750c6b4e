//! Structural facts about a net, proved before any state-space search.
//!
//! Every reachable marking is `m0 + C·x` with `x >= 0`. An inequality that all such markings
//! satisfy and that linear programming finds is a fact: an atom is constant, an event is dead, a
//! place is bounded, every run is finite. [`Facts`] proves facts on demand and caches them for all
//! properties of a net. Each fact has a [`Certificate`] that was checked in exact integers, so the
//! floating-point solver is not trusted: a fact whose check fails is discarded.
//!
//! One rule per file: `refute` excludes markings, `bounds` bounds places, `implicit` finds implicit
//! places, `repeat` finds events that fire finitely often, `resting` describes dead markings,
//! `cycles` and `steps` analyse automata for `prune`, `formula` and `canonical` simplify formulas,
//! `skeleton` abstracts coloured nets, `parikh` guides walks. Only `solver` knows the LP library.

#![forbid(unsafe_code)]

mod bounds;
mod canonical;
mod cases;
mod certificate;
mod cycles;
mod draining;
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
mod start;
mod steps;

pub use bounds::{Answers, Bound};
pub use certificate::{Certificate, PlaceWeights, Statement};
pub use cycles::BarrenComponent;
pub use facts::{Constant, FactLimits, Facts};
pub use formula::Simplified;
pub use parikh::{Destination, Directions, EffectClass};
pub use prune::Pruned;
pub use repeat::Repeating;
pub use skeleton::Skeleton;
