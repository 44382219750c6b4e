//! Unstable interfaces for the crates of this workspace: the binary, campaigns, drawings and the
//! differential harness. They may change in every release.

pub use crate::auto::{LeftOut, Schedule, Technique};
pub use crate::cache::SpaceCache;
pub use crate::check_one::check_subject;
pub use crate::check_parallel::{CachePool, check_parallel};
pub use crate::cross_check::{Agreement, CrossCheck, agreement, reconcile, unrelated};
pub use crate::decision::{Attempt, Decision};
pub use crate::faults::{Faults, overflow_warning};
pub use crate::limits::default_memory;
pub use crate::observation::observed;
pub use crate::options::{CheckOptions, EngineChoice};
pub use crate::plan::{Plan, Preset};
pub use crate::plan_run::PlanRun;
pub use crate::properties::{automaton_claim, process_automaton};
pub use crate::reduce::{ReductionChoice, reduction};
pub use crate::replay::{Interpretation, ReplayedProperty, replay};
pub use crate::report::advice::Advice;
pub use crate::report::json::stats as stats_json;
pub use crate::report::rows::RunLayout;
pub use crate::report::text::{changes, marking};
pub use crate::shorten::Shortening;
pub use crate::shown::ShownModel;
pub use crate::states::{CountOptions, CountingMethod, count_states, orbits};
pub use crate::subject::{PropertyForm, Subject};
pub use crate::trace::{ShownRun, ShownState};
pub use crate::verdict::{EarnedVerdict, Reason};
pub use crate::{Error, StateSpace};
pub use lariat_automata as automata;
pub use lariat_budget as budget;
pub use lariat_budget::{
    Budget, Cancel, Concurrency, Observer, ProcessSize, Progress, Quiet, RunContext, StatValue,
    Statistic, Stats, Stop, ThreadPool,
};
pub use lariat_engines as engines;
pub use lariat_engines::sets::ObservationGraph;
pub use lariat_engines::{
    AbsenceProof, AbsenceProofs, Account, AutomatonKind, Claims, Emptiness, EngineId, Fixpoint,
    Needs, Recurring, Variant, Workers,
};
pub use lariat_formats as formats;
pub use lariat_ltl as ltl;
pub use lariat_model as ir;
pub use lariat_model::{
    Constraint, Deadlock, Fairness, InputError, Lasso, Proposition, Step, Strength, System,
};
pub use lariat_reductions as reductions;
pub use lariat_reductions::{Lift, PassResult, Removed, Rule, Rules, Systems};
pub use lariat_space as space;
pub use lariat_space::symbolic::{OrderChoice, OrderSchedule, Pumping};

/// Questions without a formula, with all details of the answers.
pub mod ask {
    pub use crate::ask::*;
}
