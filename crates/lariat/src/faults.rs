//! Faults of a program, independent of the property: failed assertions, the error state, overflow.
//!
//! A verdict about a faulty program may be a verdict about the fault. So a check explores some
//! thousand states before the first property, which are all states of a small program. For a larger
//! one, engines check the same claims in the states that they visit
//! ([`lariat_engines::Account::claims`]). If neither covers all states, this is reported: no fault
//! is claimed to be absent. If one covers all states, the findings that it has not met are absent,
//! and no engine searches for them.

use crate::checker::CheckEvent;
use crate::properties::{Properties, Property};
use crate::search::SearchOutcome;
use crate::states::{CountOptions, CountingMethod, count_states};
use lariat_budget::{Budget, RunContext, StatValue, Statistic, Stop};
use lariat_engines::{Account, EngineId, Outcome};
use lariat_formats::LoadedModel;
use lariat_model::{Event, Finding, FindingKind, OVERFLOW, Predicate};
use lariat_space::symbolic::UBig;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Limit on the states explored before the first property.
const STATES: u64 = 50_000;
/// The divisor of the time per property that this may take.
const SHARE: u32 = 10;
/// Limit on its time.
const MOST_TIME: Duration = Duration::from_millis(500);

/// The faults of a program that are known so far.
#[derive(Clone, Debug)]
pub struct Faults {
    /// The claims of the program: assertions, and last the absence of errors if errors are
    /// possible.
    claims: Vec<Claim>,
    /// A variable that is assigned a value beyond its range.
    overflow: Option<String>,
    /// The largest number of states that was checked.
    states: u64,
    /// Whether all states were checked.
    complete: bool,
}

/// The parts of a check of all properties.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckStage {
    /// The properties that are no findings.
    Asked,
    FirstFinding,
    /// The findings behind the first.
    Findings,
}

impl CheckStage {
    /// All stages in order.
    pub const ALL: [CheckStage; 3] = [
        CheckStage::Asked,
        CheckStage::FirstFinding,
        CheckStage::Findings,
    ];

    /// The properties of the stage. The findings that are `due` are determined once, before the
    /// first.
    pub fn list<'c>(
        self,
        properties: &'c Properties<'_>,
        due: &mut Vec<&'c Property>,
        met: impl Fn(FindingKind) -> bool,
    ) -> Vec<&'c Property> {
        match self {
            CheckStage::Asked => properties.asked(),
            CheckStage::FirstFinding => {
                *due = properties.due_findings(met);
                due.drain(..due.len().min(1)).collect()
            }
            CheckStage::Findings => std::mem::take(due),
        }
    }
}

/// The faults of a program, once all states were checked. The threads that check properties read
/// them; the thread that receives events sets them.
#[derive(Default)]
pub(crate) struct SettledFindings(OnceLock<Arc<Faults>>);

impl SettledFindings {
    /// Stores these faults if all states were checked.
    pub fn learn(&self, faults: Option<&Arc<Faults>>) {
        if let Some(faults) = faults.filter(|faults| faults.complete) {
            self.0.get_or_init(|| Arc::clone(faults));
        }
    }

    pub fn get(&self) -> Option<&Faults> {
        self.0.get().map(|faults| &**faults)
    }
}

/// A finding, and whether it was met.
#[derive(Clone, Debug)]
struct Claim {
    finding: Finding,
    fails: bool,
}

impl Claim {
    fn warning(&self) -> String {
        let name = &self.finding.name;
        match self.finding.kind {
            FindingKind::Assertion => format!(
                "assertion {name} fails in a reachable state; `lariat states` counts the states"
            ),
            FindingKind::Fault => format!(
                "the program can fail (an index, a divisor or a shift) and stops there; -f 'G !{name}' shows a run"
            ),
            FindingKind::EndState | FindingKind::Overflow => {
                format!("{name}: reached; `lariat ask MODEL faults` shows a run")
            }
        }
    }
}

impl Faults {
    /// Explores the first states of a program within a share of `limit`; `None` for other models.
    pub(crate) fn look_for(
        model: &LoadedModel,
        budget: &Budget,
        limit: Option<Duration>,
    ) -> Option<Faults> {
        let system = &model.system;
        // Transitions with inhibitor arcs are programs that cannot fail.
        let has_places_only = system.has_places_only();
        let is_program = |event: &Event| event.action.is_program() && !has_places_only;
        let findings = system.declared_findings();
        if findings.is_empty() && !system.events.iter().any(is_program) {
            return None;
        }
        let name = |var| system.variable(var).name.clone();
        let claims = findings.into_iter().map(|finding| Claim {
            finding,
            fails: false,
        });
        let mut faults = Faults {
            claims: claims.collect(),
            overflow: None,
            states: 0,
            complete: false,
        };
        let time = limit.map_or(MOST_TIME, |limit| (limit / SHARE).min(MOST_TIME));
        let own = budget.clone().with_deadline(time).with_work(STATES);
        let options = CountOptions {
            method: CountingMethod::Explicit,
            claims: faults.predicates(),
            ..CountOptions::default()
        };
        let found = count_states(system, &options, RunContext::quiet(&own));
        let failed: Vec<bool> = found.failed.iter().map(|n| *n != UBig::ZERO).collect();
        faults.learn(&failed, found.overflow.map(name));
        faults.complete = found.stop.is_none();
        if let Some(StatValue::Count(states)) = found.stats.get(Statistic::STATES_SEEN) {
            faults.states = *states;
        }
        Some(faults)
    }

    /// The claims that engines check besides the property: none if all states were checked.
    pub(crate) fn open_claims(&self) -> Vec<Predicate> {
        if self.complete {
            Vec::new()
        } else {
            self.predicates()
        }
    }

    fn predicates(&self) -> Vec<Predicate> {
        self.claims
            .iter()
            .map(|claim| claim.finding.holds())
            .collect()
    }

    fn learn(&mut self, failed: &[bool], overflow: Option<String>) {
        for (claim, failed) in self.claims.iter_mut().zip(failed) {
            claim.fails |= *failed;
        }
        if self.overflow.is_none() {
            self.overflow = overflow;
        }
    }

    /// Adds what an engine has found.
    pub(crate) fn add(&mut self, account: &Account, overflow: Option<&String>) {
        let claims = account.claims.clone().unwrap_or_default();
        self.learn(&claims.failed, overflow.cloned());
        self.complete |= claims.complete;
        self.states = self.states.max(claims.states.unwrap_or(0));
    }

    /// Warnings about faults that `before` did not have, except those that are `reported` as
    /// properties of this name.
    pub fn new_warnings(
        &self,
        before: Option<&Faults>,
        reported: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let was_known = |at: usize| before.is_some_and(|before| before.claims[at].fails);
        let claims = self.claims.iter().enumerate();
        let mut warnings: Vec<String> = claims
            .filter(|(at, claim)| claim.fails && !was_known(*at))
            .filter(|(_, claim)| !reported(&claim.finding.property_name()))
            .map(|(_, claim)| claim.warning())
            .collect();
        if let Some(variable) = &self.overflow
            && before.is_none_or(|before| before.overflow.is_none())
            && !reported(OVERFLOW)
        {
            warnings.push(overflow_warning(variable));
        }
        warnings
    }

    /// The outcome of the search that has shown the absence of a finding in all states, if one has.
    pub(crate) fn absent(&self, finding: &Finding) -> Option<SearchOutcome> {
        let is_absent = |claim: &Claim| claim.finding == *finding && !claim.fails;
        let is_absent = match finding.kind {
            // A search reports every step that it computes.
            FindingKind::Overflow => self.overflow.is_none(),
            _ => self.claims.iter().any(is_absent),
        };
        (self.complete && is_absent).then(|| {
            let mut outcome = SearchOutcome::stopped(EngineId::Explicit, Stop::Work(0));
            outcome.found = Ok(Outcome::Empty);
            let stats = &mut outcome.account.stats;
            stats.set(Statistic::STATES_SEEN, self.states);
            outcome
        })
    }

    /// The number of states that were checked, if these were not all.
    pub fn incomplete_after(&self) -> Option<u64> {
        (!self.complete).then_some(self.states)
    }

    /// The assertions that fail.
    pub(crate) fn failed_assertions(&self) -> Vec<&str> {
        self.met(FindingKind::Assertion).collect()
    }

    /// The names of the findings of a kind that were met.
    fn met(&self, kind: FindingKind) -> impl Iterator<Item = &str> {
        let failed = self.claims.iter().filter(|claim| claim.fails);
        let failed = failed.filter(move |claim| claim.finding.kind == kind);
        failed.map(|claim| &*claim.finding.name)
    }

    /// Returns whether a finding of this kind was met.
    pub(crate) fn has_met(&self, kind: FindingKind) -> bool {
        match kind {
            FindingKind::Overflow => self.overflow.is_some(),
            kind => self.met(kind).next().is_some(),
        }
    }

    /// The atom of the error state, if it is reached.
    pub(crate) fn error_state(&self) -> Option<&str> {
        self.met(FindingKind::Fault).next()
    }

    /// A variable that is assigned a value beyond its range.
    pub(crate) fn overflow(&self) -> Option<&str> {
        self.overflow.as_deref()
    }
}

/// The warning about a variable whose value wraps around.
pub fn overflow_warning(variable: &str) -> String {
    format!("`{variable}` is assigned a value beyond its range, which wraps around")
}

/// Adds the faults of the program that are known to a report, and those that its search has met to
/// the known ones.
pub(crate) fn with_faults(event: CheckEvent, faults: &mut Option<Arc<Faults>>) -> CheckEvent {
    match event {
        event @ (CheckEvent::Started { .. } | CheckEvent::Postponed(_)) => event,
        CheckEvent::Verdict(mut report) => {
            report.faults.clone_from(faults);
            CheckEvent::Verdict(report)
        }
        CheckEvent::Report(mut report) => {
            if let Some(known) = faults {
                let decision = &report.decision;
                Arc::make_mut(known).add(&decision.account, decision.overflow.as_ref());
            }
            report.faults.clone_from(faults);
            CheckEvent::Report(report)
        }
    }
}
