//! The result of deciding one property: the verdict and how it was found.

use crate::fair_run::FairnessEvidence;
use crate::options::CheckOptions;
use crate::verdict::{EarnedVerdict, Reason};
use lariat_budget::{StatValue, Statistic, Stop};
use lariat_engines::{Account, EngineId};
use lariat_model::Deadlock;
use lariat_reductions::Removed;
use std::time::Duration;

/// Product states up to which a search counts as small.
const SMALL_EFFORT: u64 = 200_000;
/// Steps up to which a trace counts as short.
const SMALL_TRACE: usize = 64;

/// One engine that `auto` ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The engine.
    pub engine: EngineId,
    /// How the attempt ended: `decided`, or `gave up: …`.
    pub outcome: String,
    /// Why the engine was chosen.
    pub why: String,
    /// Units of counted work.
    pub work: u64,
    /// Wall-clock time.
    pub time: Duration,
}

/// A structural fact about all runs that replaced a part of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The statement, as a sentence.
    pub statement: String,
    /// Its certificate: inequalities that hold in every reachable marking, or a ranking function.
    /// Empty if the fact needs none.
    pub reasons: Vec<String>,
}

/// The verdict on one property, with how it was found.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The verdict.
    pub verdict: EarnedVerdict,
    /// The engine that found it.
    pub engine: EngineId,
    /// The deadlock policy.
    pub deadlock: Deadlock,
    /// The fairness assumptions, as the user wrote them.
    pub fairness: Vec<String>,
    /// Where a violating run meets each fairness constraint, by the constraint's name.
    pub met: Vec<(String, FairnessEvidence)>,
    /// Set if the property holds because no run counts: the reason.
    pub vacuous: Option<&'static str>,
    /// A summary of the reductions of the searched net.
    pub passes: Vec<Removed>,
    /// The engines that `auto` ran; empty for an engine selected by name.
    pub trail: Vec<Attempt>,
    /// The structural facts that `auto` used.
    pub facts: Vec<Fact>,
    /// The engine's statistics, about the system that it searched.
    pub account: Account,
    /// A variable that was assigned a value beyond its range, which wraps around.
    pub overflow: Option<String>,
    /// The position of a violating run after which every continuation violates the property.
    pub bad: Option<usize>,
    /// Counted work of the search that decided.
    pub work: u64,
}

impl Decision {
    /// The decision before anything was run.
    pub fn undecided(options: &CheckOptions, reason: Reason) -> Decision {
        Decision {
            verdict: EarnedVerdict::Unknown(reason),
            engine: options.engine.id(),
            deadlock: options.deadlock,
            fairness: Vec::new(),
            met: Vec::new(),
            vacuous: None,
            passes: Vec::new(),
            trail: Vec::new(),
            facts: Vec::new(),
            account: Account::default(),
            overflow: None,
            bad: None,
            work: 0,
        }
    }

    /// Returns whether the property holds, and not because no run counts.
    pub(crate) fn holds_for_a_reason(&self) -> bool {
        matches!(self.verdict, EarnedVerdict::Holds(_)) && self.vacuous.is_none()
    }

    /// Returns whether the final report follows at once: the effort for a shorter trace and for
    /// vacuity is bounded by that of the search and by the length of the trace.
    pub(crate) fn is_final_soon(&self) -> bool {
        let steps = match &self.verdict {
            EarnedVerdict::Violated(run) => run.lasso().steps().count(),
            _ => 0,
        };
        self.search_effort() <= SMALL_EFFORT && steps <= SMALL_TRACE
    }

    /// Returns whether memory was exhausted.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(
            self.verdict,
            EarnedVerdict::Unknown(Reason::Stopped(Stop::Memory))
        )
    }

    /// Work of the search that decided, at least the product states that the engine reports.
    pub(crate) fn search_effort(&self) -> u64 {
        self.work.max(product_states(&self.account))
    }
}

/// Returns the number of product nodes that an engine reports.
pub(crate) fn product_states(account: &Account) -> u64 {
    match account.stats.get(Statistic::PRODUCT_STATES) {
        Some(StatValue::Count(count)) => *count,
        _ => 0,
    }
}
