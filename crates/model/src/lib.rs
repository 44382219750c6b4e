//! Models: the neutral [`System`] that every input format denotes, and the readers that make one.
//!
//! A system has variables with domains and events that change them. A Petri-net transition is one
//! kind of event, a guarded program another, a table a third; nothing behind this crate knows
//! which format a model came from. Formula atoms and guards are the same [`Predicate`].
//!
//! A pass returns a system and the way back, see [`passes`]. The reference meaning of events and predicates is in [`System::successors`] and
//! [`System::holds`]: slow, small, and what a counterexample is replayed with.

#![forbid(unsafe_code)]

mod atoms;
pub mod coloured;
pub mod dve;
mod error;
pub mod etf;
mod expr;
mod fairness;
pub mod generate;
mod lasso;
mod load;
mod mcc;
mod names;
pub mod order;
mod outline;
mod partial;
pub mod passes;
pub mod pnml;
mod predicate;
mod properties;
mod reachability;
mod semantics;
pub mod symmetry;
mod system;
mod xml;

pub use atoms::Atom;
pub use dve::nearest::suggestion;
pub use error::{Errors, InputError, Location};
pub use expr::{BinaryOp, Expr, Fault, LValue, UnaryOp};
pub use fairness::{Constraint, Fairness, Strength};
pub use lasso::{EvidenceKind, Lasso, Step};
pub use load::{Coloured, Format, LoadError, Model, load, read, read_model};
pub use names::{Meaning, Names};
pub use outline::Outline;
pub use predicate::{Comparison, Linear, Predicate, Proposition};
pub use properties::{Properties, Property};
pub use reachability::{Modality, Reachability, read_mcc_bounds, state_predicate};
pub use system::{
    Action, Arc, Deadlock, Domain, Effect, Event, EventId, Row, State, System, Unit, Value, VarId,
    Variable,
};
