//! Lariat, an LTL model checker whose answers can be trusted.
//!
//! One way leads through it: a model file becomes a [`System`], a formula an automaton of its
//! negation; an engine searches their product; what it finds is replayed on the original
//! system by an independent checker before anything is called a [`Verdict`].
//!
//! ```
//! use lariat::formats::read;
//! use lariat::model::Properties;
//! use lariat::{Budget, Explored, Options, Property, Quiet, Subject, Systems, Verdict, check};
//!
//! let text = b"process Light { state red, green; init red;
//!                trans red -> green {}, red -> red {}, green -> red {}; }
//!              system async;";
//! let model = read("light.dve", text)?;
//! let mut properties = Properties::new();
//! properties.add_formula(&model.names(), "example", None, "G F \"Light.green\"")?;
//!
//! let subject = Subject::new(&model, &properties);
//! let report = check(
//!     &subject,
//!     Property::Formula(properties.list[0].formula),
//!     &Options::default(),
//!     &mut Explored::new(&Systems::new()),
//!     &Budget::bytes(1 << 30),
//!     &Quiet,
//! );
//! // The light may stay red for ever, and here is how.
//! let Verdict::Violated(replayed) = report.verdict else {
//!     panic!("{:?}", report.verdict);
//! };
//! let event = replayed.lasso().cycle[0].event.expect("a step of the light");
//! assert_eq!(model.system.event(event).name, "Light:red->red");
//! # Ok::<(), lariat::InputError>(())
//! ```

#![forbid(unsafe_code)]

mod advice;
pub mod ask;
mod auto;
mod by_need;
mod check;
mod cross;
mod explored;
mod fair_run;
mod features;
mod finish;
mod learning;
mod on_sets;
mod partial;
mod plan;
mod premises;
mod prepare;
pub mod property_process;
mod reduce;
pub mod replay;
pub mod report;
mod run;
mod settled;
mod shortening;
mod side_by_side;
mod states;
mod subject;
mod verdict;

pub use lariat_automata as automata;
pub use lariat_formats as formats;
pub use lariat_ltl as ltl;
pub use lariat_model as model;
pub use lariat_reductions as reductions;
pub use lariat_space as space;

pub use auto::{LeftOut, Schedule, Technique};
pub use check::{Attempt, Choice, Fact, Options, Report, check, decide};
pub use cross::{Agreement, agreement, reconciled, unrelated};
pub use explored::{Explored, InCommon, Ordered, States};
pub use fair_run::Met;
pub use finish::finished;
pub use lariat_budget::{
    Budget, Cancel, Company, Figure, Idle, Observer, Progress, Quiet, Statistic, Stats, Stop,
};
pub use lariat_engines::{
    Account, AutomatonKind, Claims, Emptiness, Fixpoint, Needs, Proof, Proofs, Recurring, Variant,
    Workers,
};
pub use lariat_model::{
    Constraint, Deadlock, Fairness, InputError, Lasso, Proposition, Step, Strength, System,
};
pub use lariat_reductions::{Lift, Pass, Removed, Rule, Rules, Systems};
pub use lariat_space::symbolic::{OrderChoice, OrderSchedule, Pumping};
pub use plan::{Plan, Preset};
pub use reduce::{Reduce, reduction};
pub use run::Run;
pub use shortening::Shortening;
pub use side_by_side::{Decided, Shelf, side_by_side};
pub use states::{Counting, StateSpace, orbits, states, states_and_claims, states_together};
pub use subject::{Property, Subject};
pub use verdict::{Complete, Reason, Replayed, Verdict};
