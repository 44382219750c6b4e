//! Models written in Rust.
//!
//! A [`Model`] is a program: its initial states, the actions possible in a state, and the state
//! after an action. A [`Checker`] decides formulas of linear temporal logic about it, whose atoms
//! are named predicates on states and on actions. Products, emptiness checks and verdicts are those
//! of model files: *holds* after an exhaustive search, *violated* with a run that was found again
//! by calling the model, or *unknown* with the reason.
//!
//! ```
//! use lariat::modelling::{Checker, Model};
//!
//! /// A light that a person switches, and that may break.
//! struct Light;
//!
//! #[derive(Clone, PartialEq, Eq, Hash, Debug)]
//! enum Lamp { Off, On, Broken }
//!
//! #[derive(Clone, Debug)]
//! enum Action { Switch, Break }
//!
//! impl Model for Light {
//!     type State = Lamp;
//!     type Action = Action;
//!
//!     fn initial(&self) -> Vec<Lamp> {
//!         vec![Lamp::Off]
//!     }
//!
//!     fn actions(&self, lamp: &Lamp, actions: &mut Vec<Action>) {
//!         if *lamp != Lamp::Broken {
//!             actions.extend([Action::Switch, Action::Break]);
//!         }
//!     }
//!
//!     fn next(&self, lamp: &Lamp, action: &Action) -> Option<Lamp> {
//!         Some(match (lamp, action) {
//!             (_, Action::Break) => Lamp::Broken,
//!             (Lamp::Off, Action::Switch) => Lamp::On,
//!             (_, Action::Switch) => Lamp::Off,
//!         })
//!     }
//! }
//!
//! let checker = Checker::new(Light)
//!     .atom("on", |lamp| *lamp == Lamp::On)
//!     .atom("broken", |lamp| *lamp == Lamp::Broken)
//!     .action_atom("breaks", |_, action| matches!(action, Action::Break));
//! assert_eq!(checker.check("G (on -> X !on)")?.holds(), Some(true));
//! assert_eq!(checker.check("G (breaks -> X G broken)")?.holds(), Some(true));
//! let report = checker.check("G (!broken -> F on)")?;
//! let trace = report.trace().expect("it may break first");
//! assert!(trace.steps().any(|step| matches!(step.action, Some(Action::Break))));
//! # Ok::<(), lariat::Error>(())
//! ```
//!
//! # Conditions
//!
//! `initial`, `actions`, `next`, the predicates and `Eq` and `Hash` of states are functions: equal
//! arguments give equal results. The checker calls them any number of times, with several threads
//! concurrently. A panic in one of them ends the check and reaches the caller of
//! [`Checker::check`]. A call that does not return is not interrupted: limits are polled between
//! calls.

pub mod actors;
mod assert;
mod builder;
mod checker;
mod fields;
mod program;
mod quotient;
mod report;
mod run;
mod shown;
mod store;

#[doc(hidden)]
pub use assert::assert_holds;
pub use builder::{Assigned, EventBuilder, ModelBuilder, Term, Var};
pub use checker::Checker;
pub use report::Report;
pub use run::{Trace, TraceStep};

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// A model as a program.
pub trait Model: Send + Sync + 'static {
    /// A state. Equal states have equal futures.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// A step that may be possible in a state.
    type Action: Clone + Debug + Send + Sync + 'static;

    /// The initial states.
    fn initial(&self) -> Vec<Self::State>;

    /// Appends the actions that may be possible in a state, always in the same order.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// The state after an action; `None` if it is not possible.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// The parts of a state that traces and pages show, by names: by default the fields of its
    /// `Debug` text.
    fn parts(&self, state: &Self::State) -> Vec<(String, String)> {
        fields::fields(&format!("{state:?}"))
    }

    /// The message that an action sends or delivers, which a page shows as an arrow between the
    /// lanes of two parts.
    fn message(&self, _state: &Self::State, _action: &Self::Action) -> Option<Message> {
        None
    }

    /// The bytes that a state owns besides its own size, on average; counted against the limit on
    /// memory.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// Appends a short form of a state, and returns true; by default states are stored as they are.
    ///
    /// A model that packs its states must pack all of them: equal states into equal bytes, different
    /// states into different bytes, from which [`unpack`](Model::unpack) restores them. This is
    /// tested for every new state; if it is not so, the verdict is *unknown*.
    fn pack(&self, _state: &Self::State, _bytes: &mut Vec<u8>) -> bool {
        false
    }

    /// The state that was packed into these bytes.
    fn unpack(&self, _bytes: &[u8]) -> Option<Self::State> {
        None
    }

    /// The bytes of tables that [`pack`](Model::pack) uses; counted against the limit on memory.
    fn table_bytes(&self) -> usize {
        0
    }
}

/// A message between two [parts](Model::parts) of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The name of the sending part.
    pub from: String,
    /// The name of the receiving part.
    pub to: String,
    /// The text of the arrow.
    pub text: String,
}

/// The programs of the book's chapter.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/modelling.md")]
struct Chapter;

type StateTest<M> = Arc<dyn Fn(&<M as Model>::State) -> bool + Send + Sync>;
type ActionTest<M> = Arc<dyn Fn(&<M as Model>::State, &<M as Model>::Action) -> bool + Send + Sync>;
type Canonical<M> = Arc<dyn Fn(&<M as Model>::State) -> <M as Model>::State + Send + Sync>;
