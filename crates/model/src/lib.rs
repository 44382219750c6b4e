//! Models: the neutral [`System`] that every input format is translated to, its names, properties
//! and runs.
//!
//! A system has variables with domains and events that change them. A Petri-net transition is one
//! kind of event, a guarded program another, a table a third; crates that use this one do not
//! depend on the input format. Formula atoms and guards are the same [`Predicate`].
//!
//! The reference semantics of events and predicates is [`System::successors`] and
//! [`System::holds`]: slow, small, and used to replay counterexamples.

#![forbid(unsafe_code)]

mod atoms;
mod chain;
pub mod coloured;
mod error;
mod expr;
mod fairness;
mod finding;
pub mod generate;
mod labels;
mod lasso;
mod names;
mod nearest;
pub mod order;
mod overflow;
mod partial;
mod predicate;
mod properties;
pub mod property_file;
mod reachability;
mod semantics;
mod source;
mod system;
mod transition;
mod visible;

pub use atoms::{ParsedAtom, TokenSum};
pub use chain::{ChainEnds, Changes};
pub use error::{Errors, InputError, Location};
pub use expr::{BinaryOp, EvalError, Expr, LValue, UnaryOp};
pub use fairness::{Constraint, Fairness, Strength};
pub use finding::{Finding, FindingKind, OVERFLOW};
pub use labels::{Label, Labels, NodeKind};
pub use lasso::{EvidenceKind, Lasso, ReplayError, RunCursor, RunRecorder, Step};
pub use names::{Definition, Expressions, Names};
pub use nearest::suggestion;
pub use overflow::Overflow;
pub use predicate::{Comparison, Linear, Predicate, Proposition};
pub use properties::{NamedProperty, PropertyList, printed};
pub use reachability::{Modality, Reachability, state_predicate};
pub use source::{Source, SourceRef, SourceStep};
pub use system::{
    Action, Arc, Assignment, Chain, ChainChoice, ChainPoint, ChainStep, Deadlock, Domain, Event,
    EventId, Row, State, System, Unit, Value, VarId, Variable,
};
pub use transition::{MOST_GUARDED, Transition};
pub use visible::{escape, is_invisible, visible};
