//! The state of the schedule for one question: the engines of the field, round by round.

use super::field::{EngineRun, add_fair_engines, field, first_look};
use super::schedule::Schedule;
use super::simplify::{History, ReducedQuestion, SimplifiedQuestion};
use super::technique::Technique;
use crate::cache::SpaceCache;
use crate::decision::Attempt;
use crate::features::{Boundedness, Features};
use crate::plan::Plan;
use crate::query::Query;
use crate::search::{SearchOutcome, SearchTask, Unliftable, without_reductions};
use lariat_budget::{Budget, Stop, ThreadPermit};
use lariat_engines::{EngineId, Outcome, Workers};
use std::num::NonZeroUsize;

/// Work from which on several workers search single states together: for less, starting threads
/// does not pay, and one worker is deterministic.
const SHARED_WORK: u64 = 1_000_000;

/// Numbers of threads that help a search of single states: fewer do not pay.
const LEAST_HELPERS: usize = 3;
const MOST_HELPERS: usize = 63;

/// The question in its forms, and the engines that are left.
pub(super) struct ScheduleState<'q, 's> {
    pub query: Query<'q, 's>,
    pub schedule: &'q Schedule,
    /// The question after structural facts.
    pub simplified: Option<SimplifiedQuestion>,
    /// The reduced net and the question about it, as long as runs found there can be lifted.
    pub reduced: Option<ReducedQuestion<'s>>,
    pub history: History,
    /// The engine that ran last.
    pub engine: EngineId,
    field: Vec<EngineRun>,
    due: Vec<EngineRun>,
    round: u32,
    out_of_memory: bool,
}

/// How a sequence of runs ended.
pub(super) enum RoundResult {
    /// The question is decided, or nothing can decide it.
    Done(SearchOutcome),
    /// Another round may decide it; the outcome is that of the last run.
    Open(SearchOutcome),
}

impl RoundResult {
    pub fn done(self) -> Option<SearchOutcome> {
        match self {
            RoundResult::Done(outcome) => Some(outcome),
            RoundResult::Open(_) => None,
        }
    }
}

pub(super) struct RunResult {
    pub outcome: SearchOutcome,
    attempt: Attempt,
    /// Whether a run of the reduced net could not be lifted, so that the net is not used any more.
    drops_reduced: bool,
}

/// Returns whether everything explored is released before the run, which may need all memory.
pub(super) fn needs_memory(run: &EngineRun, round: u32) -> bool {
    run.plan.has_single_states() && run.plan.is_complete() && round > 1
}

impl<'q, 's> ScheduleState<'q, 's> {
    pub fn new(query: Query<'q, 's>, schedule: &'q Schedule) -> ScheduleState<'q, 's> {
        ScheduleState {
            query,
            schedule,
            simplified: None,
            reduced: None,
            history: History::default(),
            engine: EngineId::Auto,
            field: Vec::new(),
            due: Vec::new(),
            round: 0,
            out_of_memory: false,
        }
    }

    /// Chooses the field by the question and the net that is searched.
    pub fn choose(&mut self, known: Boundedness, symmetries: f64) {
        let (subject, formulas, property) = match (&self.reduced, &self.simplified) {
            (Some(reduced), _) => {
                let simplified = &reduced.simplified;
                let property = simplified.property();
                (&reduced.subject, &simplified.formulas, property)
            }
            (None, Some(simplified)) => {
                let property = simplified.property();
                (self.query.subject, &simplified.formulas, property)
            }
            (None, None) => (self.query.subject, self.query.formulas, self.query.property),
        };
        let features = Features {
            symmetries,
            ..Features::of(subject, formulas, property, known)
        };
        let schedule = self.schedule;
        self.due = first_look(&features, schedule);
        self.field = field(&features, schedule);
        if features.net
            && let Some(strength) = self.query.subject.fairness().strength()
        {
            add_fair_engines(&mut self.field, strength, schedule);
        }
        let left_out = |technique| schedule.without.contains(technique);
        let stays = |run: &EngineRun| !run.technique().is_some_and(left_out);
        self.field.retain(stays);
    }

    /// Returns whether a technique is switched off.
    pub fn leaves_out(&self, technique: Technique) -> bool {
        self.schedule.without.contains(technique)
    }

    /// Returns whether the question is about a net.
    pub fn is_net(&self) -> bool {
        self.query.subject.system().is_net()
    }

    /// Runs rounds until an engine decides or none is left.
    pub fn rounds(&mut self, cache: &mut SpaceCache<'s>) -> SearchOutcome {
        loop {
            if let Some(outcome) = self.next_round(cache).done() {
                return outcome;
            }
        }
    }

    /// Runs the next round: the first look, or the whole field with more work than before.
    pub fn next_round(&mut self, cache: &mut SpaceCache<'s>) -> RoundResult {
        let runs = std::mem::take(&mut self.due);
        let mut last = match self.run_all(runs, self.round, cache) {
            RoundResult::Open(last) => last,
            done => return done,
        };
        // Walks alone never complete.
        if !self.field.iter().any(|other| other.plan.is_complete()) {
            if self.out_of_memory {
                // More memory would have helped, whatever stopped the last engine.
                last.found = Err(Stop::Memory);
            }
            return RoundResult::Done(last);
        }
        // The first look was the first round of the explicit search.
        let has_looked = |plan: &Plan| plan.has_single_states() && plan.is_complete();
        let is_due = |other: &&EngineRun| self.round > 0 || !has_looked(&other.plan);
        self.due = self.field.iter().filter(is_due).cloned().collect();
        for run in &mut self.field {
            run.work = run.work.saturating_mul(self.schedule.growth);
        }
        self.round += 1;
        RoundResult::Open(last)
    }

    /// Adds an engine to the field, before all others.
    pub fn join(&mut self, run: EngineRun) {
        let later = EngineRun {
            work: run.work.saturating_mul(self.schedule.growth),
            ..run.clone()
        };
        self.due.insert(0, run);
        self.field.insert(0, later);
    }

    /// Runs some engines in the order of the list; the first to decide answers. Engines that cannot
    /// continue leave the field.
    pub fn run_all(
        &mut self,
        runs: Vec<EngineRun>,
        round: u32,
        cache: &mut SpaceCache<'s>,
    ) -> RoundResult {
        let budget = self.query.budget();
        let parallel = self.run_round_parallel(&runs, round, cache);
        let is_decided = parallel.iter().flatten().any(|r| r.outcome.is_decided());
        let mut last = SearchOutcome::stopped(self.engine, Stop::Work(0));
        for (run, result) in runs.into_iter().zip(parallel) {
            let result = match result {
                Some(result) => result,
                None if is_decided => continue,
                None => self.run(&self.query, &run, round, cache),
            };
            // If some engine has decided, stops of engines before it do not matter.
            let is_overridden = is_decided && !result.outcome.is_decided();
            last = self.record(result);
            let leaves = match &last.found {
                _ if is_overridden => continue,
                Err(Stop::Work(_)) => match budget.spend(0) {
                    Ok(()) => false,
                    Err(stop) => {
                        last.found = Err(stop);
                        return RoundResult::Done(last);
                    }
                },
                // Another engine may succeed.
                Ok(Outcome::Undecided(_)) => true,
                Err(Stop::Bound(_) | Stop::Unsupported(_) | Stop::Memory) => true,
                // The engine knows that its states take longer than the time left, which is not
                // over yet.
                Err(Stop::Time) if budget.check().is_ok() => true,
                _ => return RoundResult::Done(last),
            };
            self.out_of_memory |= matches!(last.found, Err(Stop::Memory));
            if leaves && round > 0 {
                let id = run.plan.id;
                self.field.retain(|other| other.plan.id != id);
            }
        }
        RoundResult::Open(last)
    }

    fn record(&mut self, result: RunResult) -> SearchOutcome {
        self.history.trail.push(result.attempt);
        self.engine = result.outcome.engine;
        if result.drops_reduced {
            self.reduced = None;
        }
        result.outcome
    }

    /// Returns whether all workers search the states of this run together.
    pub fn is_shared(&self, run: &EngineRun) -> bool {
        let are_several = self.query.options.workers != Workers::ONE;
        are_several && run.plan.works_together() && run.work >= SHARED_WORK
    }

    /// Takes the permits of idle threads for a long search of single states: where fewer properties
    /// are left than threads, the rest help.
    fn helpers(&self, run: &EngineRun, budget: &Budget) -> Vec<ThreadPermit> {
        if self.is_shared(run) || !run.plan.works_together() || run.work < SHARED_WORK {
            return Vec::new();
        }
        let permits = budget.thread_pool().take_up_to(MOST_HELPERS);
        if permits.len() < LEAST_HELPERS {
            return Vec::new();
        }
        permits
    }

    /// Runs one engine on the question, under the budget of `query`: on the reduced net, if there
    /// is one, unless the engine uses symmetries, which reductions do not preserve; on the original
    /// net if a run cannot be lifted.
    pub fn run(
        &self,
        query: &Query<'_, 's>,
        run: &EngineRun,
        round: u32,
        cache: &mut SpaceCache<'s>,
    ) -> RunResult {
        let budget = query.budget();
        let begun = budget.elapsed();
        // The permits are returned when the run has ended.
        let helpers = self.helpers(run, budget);
        let plan = match NonZeroUsize::new(1 + helpers.len()) {
            _ if self.is_shared(run) => run.plan.by(self.query.options.workers),
            Some(workers) if !helpers.is_empty() => run.plan.by(Workers::new(workers)),
            _ => run.plan,
        };
        if needs_memory(run, round) {
            cache.clear();
        }
        let task = SearchTask {
            plan,
            budget: budget.clone().with_work(run.work),
            most_tokens: run.most_tokens,
        };
        let mut drops_reduced = false;
        let on_reduced = self.reduced.as_ref().filter(|_| !plan.divides());
        let on_reduced = on_reduced.and_then(|reduced| {
            let query = reduced.query(query, &plan);
            match query.search(&task, &reduced.removed, cache) {
                Ok(outcome) => Some(outcome),
                Err(Unliftable(why)) => {
                    query.remark(&without_reductions(&why));
                    drops_reduced = true;
                    None
                }
            }
        });
        let outcome = on_reduced.unwrap_or_else(|| {
            let mut query = *query;
            if let Some(simplified) = &self.simplified {
                query.formulas = &simplified.formulas;
                query.property = simplified.property_for(&plan);
            }
            // Facts remove constant atoms whose constancy a covering run may not show: another
            // engine may find another run.
            let unliftable =
                |Unliftable(why)| SearchOutcome::stopped(plan.id, Stop::Unsupported(why));
            let outcome = query.search(&task, &[], cache);
            outcome.unwrap_or_else(unliftable)
        });
        let attempt = Attempt {
            engine: plan.id,
            outcome: match &outcome.found {
                Ok(Outcome::Undecided(_)) => "undecided".to_owned(),
                Ok(_) => "decided".to_owned(),
                Err(Stop::Work(limit)) => format!("gave up: {limit} units of work"),
                Err(stop) => format!("gave up: {stop}"),
            },
            why: match round {
                0 | 1 => run.why.clone(),
                _ => format!("once more, with {} times the work", self.schedule.growth),
            },
            work: task.budget.work_spent(),
            time: budget.elapsed().saturating_sub(begun),
        };
        RunResult {
            outcome,
            attempt,
            drops_reduced,
        }
    }
}
