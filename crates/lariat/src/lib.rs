//! Lariat, an LTL model checker for Petri nets and programs.
//!
//! A [`Model`] is read from a file; a [`Checker`] decides linear-time properties of it. The answer
//! is a [`Verdict`]: *holds* after an exhaustive search, *violated* with a [`Trace`] that was
//! replayed on the original model, or *unknown* with the reason.
//!
//! ```
//! use lariat::{Checker, Model, Verdict};
//! use std::time::Duration;
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mutex.pnml");
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! let model = Model::open("examples/mutex.pnml")?;
//! let report = Checker::new(&model)
//!     .weak_fairness("all")
//!     .timeout(Duration::from_secs(10))
//!     .check("G (waiting_1 -> F critical_1)")?;
//! match report.verdict() {
//!     Verdict::Violated(trace) => println!("{trace}"),
//!     Verdict::Holds => println!("holds"),
//!     Verdict::Unknown(reason) => println!("unknown: {reason}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Several properties share reachable states and analyses, and are checked in parallel; reports
//! arrive as verdicts are known:
//!
//! ```
//! use lariat::{Checker, Model, Properties};
//! use std::num::NonZeroUsize;
//! use std::ops::ControlFlow;
//!
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! let model = Model::open("examples/mutex.pnml")?;
//! let mut properties = Properties::new(&model);
//! properties.add_named("exclusion", "G !(critical_1 & critical_2)")?;
//! properties.add_named("progress", "G (waiting_1 -> F critical_1)")?;
//! let checker = Checker::new(&model).threads(NonZeroUsize::new(2).unwrap());
//! checker.check_all(&properties, |report| {
//!     println!("{}: {:?}", report.name(), report.holds());
//!     ControlFlow::Continue(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Questions about reachable states need no formula:
//!
//! ```
//! use lariat::{Answer, Checker, Model, Question};
//!
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! let model = Model::open("examples/mutex.pnml")?;
//! let checker = Checker::new(&model);
//! assert!(matches!(checker.ask(&Question::deadlock())?, Answer::No(_)));
//! assert!(matches!(checker.ask(&Question::bound("critical_1"))?, Answer::Number(1)));
//! let states = checker.count_states().states.expect("a small net");
//! println!("{states} states");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod advice;
mod ask;
mod auto;
mod by_need;
mod cache;
mod check_one;
mod check_parallel;
mod check_partial_atoms;
mod checker;
mod cross_check;
mod decision;
mod error;
mod fair_run;
mod faults;
mod features;
pub mod internals;
mod learning;
mod limits;
mod model;
pub mod modelling;
mod observation;
mod on_sets;
mod options;
mod phases;
mod plan;
mod plan_run;
mod premises;
mod properties;
mod query;
mod question;
mod recurrence;
mod reduce;
mod replay;
mod report;
mod search;
mod settled;
mod shorten;
mod shown;
mod single;
mod states;
mod subject;
mod time_slices;
mod trace;
mod translate;
mod vacuity;
mod verdict;

pub use checker::{CheckEvent, Checker, ObserverFactory};
pub use error::Error;
#[doc(inline)]
pub use lariat_budget::{Budget, Cancel, Observer, Progress, Quiet, Stop};
#[doc(inline)]
pub use lariat_engines::EngineId;
#[doc(inline)]
pub use lariat_model::{Deadlock, Errors, InputError};
pub use model::Model;
pub use phases::{Phase, PhaseLog};
pub use properties::{Properties, Property};
pub use question::{Answer, Question};
pub use report::{Report, Verdict};
pub use states::StateSpace;
pub use trace::{Trace, TraceStep};
pub use verdict::Reason;
