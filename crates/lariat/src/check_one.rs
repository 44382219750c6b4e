//! The pipeline from one property to its verdict.
//!
//! ```text
//! look first   cheap searches before anything is known (`auto` only)
//! simplify     structural facts, legal letters, canonical atoms (`auto` only)
//! reduce       a smaller net for this property
//! search       translate, search the product, lift the run: one engine, or `auto`'s rounds
//! replay       the run on the original model → verdict
//! check partial atoms, shorten, vacuity, cross-check
//! ```

use crate::auto::auto;
use crate::cache::SpaceCache;
use crate::check_parallel::CheckOutput;
use crate::check_partial_atoms::{check_holds, check_run};
use crate::checker::{CheckEvent, CheckTask, Checker, Session};
use crate::decision::{Attempt, Decision, Fact};
use crate::options::{CheckOptions, EngineChoice};
use crate::phases::{Phase, PhaseLog};
use crate::query::{Query, WHOLE_RUNS, atoms_of};
use crate::report::Report;
use crate::search::SearchOutcome;
use crate::single::SingleEngine;
use crate::subject::{PropertyForm, Subject};
use crate::verdict::{EarnedVerdict, Reason};
use lariat_budget::{RunContext, Stop};
use lariat_engines::Outcome;
use lariat_model::Modality;
use std::sync::Arc;

/// Decides a query in stages: a single engine, or the schedule `auto`.
///
/// The stages are called in the order of the methods, each at most once; every one may return early
/// with a stop. The decider stores the results of a stage for the next ones.
pub(crate) trait Decider<'s> {
    /// Cheap searches before anything is known about the net. `None` if they do not decide.
    fn look_first(&mut self, cache: &mut SpaceCache<'s>) -> Result<Option<SearchOutcome>, Stop>;

    /// Simplifies the property by structural facts about the net.
    fn simplify(&mut self, cache: &mut SpaceCache<'s>) -> Result<(), Stop>;

    /// Reduces the net for the property.
    fn reduce(&mut self, cache: &mut SpaceCache<'s>) -> Result<(), Stop>;

    /// Searches for a violating run and lifts it to the original system.
    fn search(&mut self, cache: &mut SpaceCache<'s>) -> Result<SearchOutcome, Stop>;

    /// The outcome of a stage that stopped the check.
    fn stopped(&self, stop: Stop) -> SearchOutcome;

    /// The attempts that were made and the facts that were used.
    fn history(&mut self) -> (Vec<Attempt>, Vec<Fact>);
}

impl EngineChoice {
    /// The implementation of the stages for this choice.
    fn decider<'q, 's: 'q>(&'q self, query: &Query<'q, 's>) -> Box<dyn Decider<'s> + 'q> {
        match self {
            EngineChoice::Auto(schedule) => auto(*query, schedule),
            EngineChoice::Plan(plan) => Box::new(SingleEngine::new(*query, *plan)),
        }
    }
}

impl<'s> Query<'_, 's> {
    /// Decides the property, as far as all its atoms have values: the run that was found is lifted
    /// to the original and replayed there.
    pub fn decide(&self, cache: &mut SpaceCache<'s>) -> Decision {
        let mut decider = self.options.engine.decider(self);
        let mut stages = || -> Result<SearchOutcome, Stop> {
            self.enter(Phase::FirstSearch);
            if let Some(outcome) = decider.look_first(cache)? {
                return Ok(outcome);
            }
            self.enter(Phase::Simplification);
            decider.simplify(cache)?;
            self.enter(Phase::Reduction);
            decider.reduce(cache)?;
            self.enter(Phase::Search);
            decider.search(cache)
        };
        let outcome = stages();
        let outcome = outcome.unwrap_or_else(|stop| decider.stopped(stop));
        self.enter(Phase::Replay);
        if let Ok(Outcome::Accepting(lasso)) = &outcome.found
            && self.is_inconclusive_prefix(lasso)
        {
            self.remark(WHOLE_RUNS);
            return self.about_whole_runs().decide(cache);
        }
        self.conclude(outcome, decider.history())
    }

    /// The decision by an outcome, whose run is replayed on the original.
    fn conclude(
        &self,
        outcome: SearchOutcome,
        (trail, facts): (Vec<Attempt>, Vec<Fact>),
    ) -> Decision {
        let not_run = Reason::Inconclusive("no engine was run".to_owned());
        Decision {
            verdict: EarnedVerdict::earn(outcome.found, self.budget(), |lasso| self.replay(lasso)),
            engine: outcome.engine,
            fairness: self.subject.fairness().told.clone(),
            vacuous: outcome.vacuous,
            passes: outcome.passes,
            trail,
            facts,
            account: outcome.account,
            overflow: outcome.overflow,
            work: outcome.work,
            ..Decision::undecided(self.options, not_run)
        }
    }

    /// Returns the verdict that replaces one about all reachable states, if some atom has no value
    /// in one of them.
    pub fn missing_in_states(&self, cache: &mut SpaceCache<'s>) -> Option<EarnedVerdict> {
        check_holds(self.subject, self.atoms, |subject, always| {
            let query = Query {
                subject,
                formulas: subject.formulas(),
                property: PropertyForm::Formula(always),
                atoms: &subject.formulas().atoms_of(always),
                phases: None,
                ..*self
            };
            query.decide(cache).verdict
        })
    }

    /// Replaces `holds` if some atom has no value in a reachable state, and `violated` if some atom
    /// has no value along the run.
    pub fn check_partial_atoms(&self, decision: &mut Decision, cache: &mut SpaceCache<'s>) {
        let doubt = match &decision.verdict {
            EarnedVerdict::Holds(_) => self.missing_in_states(cache),
            EarnedVerdict::Violated(run) => check_run(self.subject, self.atoms, run.lasso()),
            EarnedVerdict::Unknown(_) => None,
        };
        if let Some(verdict) = doubt {
            decision.verdict = verdict;
        }
    }
}

impl<'m> Checker<'m> {
    /// Checks one property: the pipeline.
    ///
    /// Emits the verdict with the trace as found, then the final report. If memory is exhausted and
    /// the property `may_repeat`, emits nothing.
    pub(crate) fn check_one(
        &self,
        session: &Session<'_, 'm>,
        task: &CheckTask<'_>,
        may_repeat: bool,
        cache: &mut SpaceCache<'m>,
        output: &mut CheckOutput<'_, CheckEvent>,
    ) {
        let CheckTask {
            property,
            strengthenings,
            settled,
        } = *task;
        let budget = self.for_property(&session.budget).with_work(u64::MAX);
        let begun = budget.elapsed();
        let fairness = property.fairness.clone().and(&session.fairness);
        let subject = session.subject.clone().assuming(fairness);
        let options = property.options(&session.options);
        let ctx = RunContext::quiet(&budget);
        let phases = PhaseLog::default();
        let query = Query::new(&subject, property.form(), &property.atoms, &options, ctx);
        let query = query.logged_in(&phases);
        output.emit(CheckEvent::Started {
            property: property.name.clone(),
            phases: phases.clone(),
        });
        if property.is_nested() {
            return self.check_nested(session, &query, property, cache, output);
        }

        let observer = self.observer();
        let observed = query.observed_by(&*observer);
        let finding = property.finding.as_deref();
        let absent = settled.and_then(|faults| finding.and_then(|f| faults.absent(f)));
        let mut decision = match absent {
            Some(outcome) => observed.conclude(outcome, Default::default()),
            None => observed.decide(cache),
        };
        query.enter(Phase::PartialAtoms);
        observed.check_partial_atoms(&mut decision, cache);
        drop(observer);
        if may_repeat && decision.is_out_of_memory() {
            output.emit(CheckEvent::Postponed(property.name.clone()));
            return output.out_of_memory();
        }
        let found_in = budget.elapsed() - begun;

        let vocabulary = Arc::clone(&session.vocabulary);
        let mut report = Report::new(vocabulary, property, decision, session.concurrency);
        report.phases = phases.clone();
        report.seconds = found_in.as_secs_f64();
        if !self.cross_checks && report.holds().is_some() && !report.decision.is_final_soon() {
            output.emit(CheckEvent::Verdict(Box::new(report.clone())));
        }

        let observer = self.observer();
        let query = query.observed_by(&*observer);
        query.enter(Phase::Shortening);
        let for_trace = options.shortening.budget(&budget, found_in);
        query.within(&for_trace).shorten(&mut report.decision);
        report.seconds = (budget.elapsed() - begun).as_secs_f64();

        if self.cross_checks && report.decision.verdict.is_known() {
            query.enter(Phase::CrossCheck);
            report.cross_check = Some(query.cross_check(&mut report.decision, cache));
        }
        if report.decision.holds_for_a_reason() {
            query.enter(Phase::Vacuity);
            report.vacuity = query.vacuity(strengthenings, found_in, cache);
        }
        if property.modality == Some(Modality::Some) {
            // A run that reaches the state is a witness, not a violation.
            report.decision.bad = None;
        }
        phases.end(&budget);
        report.conclude();
        drop(observer);
        output.emit(CheckEvent::Report(Box::new(report)));
    }
}

/// Decides one property about a subject and shortens its counterexample; the pipeline without the
/// options of a [`Checker`](crate::Checker). `cache` serves further properties of the subject's
/// systems.
pub fn check_subject<'s>(
    subject: &Subject<'s>,
    property: PropertyForm<'_>,
    options: &CheckOptions,
    cache: &mut SpaceCache<'s>,
    ctx: RunContext<'_>,
) -> Decision {
    let atoms = atoms_of(subject, property);
    let query = Query::new(subject, property, &atoms, options, ctx);
    let mut decision = query.decide(cache);
    query.check_partial_atoms(&mut decision, cache);
    query.shorten(&mut decision);
    decision
}
