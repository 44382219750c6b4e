//! `auto`: a schedule of engines, with facts and reductions in between.
//!
//! Small models end in a short search of their states, and many violations show on random walks.
//! Then structural facts about the net are used ([`lariat_structural`]): constant atoms, finite
//! runs, automata pruned to the runs of the net. The net is reduced for the simplified property,
//! and engines search the reduced net. Most counterexamples are near the initial state, so a short
//! explicit search comes next. If it does not decide, programs continue with single states. Nets
//! continue in *rounds*: every engine of the field gets a work limit, engines that are likely to
//! finish come first, and the next round has a multiple of the work. So an engine that does not
//! terminate does not block others, and repeated work is a small part of the whole. An engine that
//! ran out of memory, or that does not support the question, is removed. Symmetries are scheduled
//! in `symmetries.rs`.
//!
//! The field depends on the [features](crate::features) of the question. Work is counted, and the
//! clock does not influence the schedule: the same question is decided by the same engines in every
//! run. The data of an engine is released before the next one starts, except the reachable states,
//! which the next property reuses. If threads are idle, several engines of a round run in
//! parallel (`run_round_parallel.rs`); the answering engine does not depend on timing.

mod field;
mod run_round_parallel;
mod schedule;
mod schedule_state;
mod simplify;
mod symmetries;
mod technique;

pub use schedule::Schedule;
pub use technique::{LeftOut, Technique};

use crate::cache::SpaceCache;
use crate::check_one::Decider;
use crate::decision::{Attempt, Fact};
use crate::features::Boundedness;
use crate::plan::Plan;
use crate::query::Query;
use crate::search::{SearchOutcome, SearchTask, Unliftable};
use field::{early_walk, glance};
use lariat_budget::Stop;
use lariat_engines::EngineId;
use schedule_state::ScheduleState;
use simplify::{SimplifiedQuestion, reduce, simplify, unsimplified};
use symmetries::Origin;

/// The schedule as a decider.
pub(crate) fn auto<'q, 's: 'q>(
    query: Query<'q, 's>,
    schedule: &'q Schedule,
) -> Box<dyn Decider<'s> + 'q> {
    Box::new(ScheduleState::new(query, schedule))
}

impl<'s> Decider<'s> for ScheduleState<'_, 's> {
    fn look_first(&mut self, cache: &mut SpaceCache<'s>) -> Result<Option<SearchOutcome>, Stop> {
        if !self.is_net() {
            return Ok(None);
        }
        let schedule = self.schedule;
        let mut runs = vec![glance(schedule)];
        if !self.leaves_out(Technique::Walk) {
            runs.push(early_walk(schedule));
        }
        if let Some(outcome) = self.run_all(runs, 0, cache).done() {
            return Ok(Some(outcome));
        }
        let runs = symmetries::glance(&self.query, schedule, cache)?;
        Ok(self.run_all(runs, 0, cache).done())
    }

    fn simplify(&mut self, cache: &mut SpaceCache<'s>) -> Result<(), Stop> {
        if !self.is_net() {
            return Ok(());
        }
        let query = self.query;
        let simplified = if self.leaves_out(Technique::Facts) {
            unsimplified(&query)?
        } else {
            // A stop from here on is not one of the engine before.
            self.engine = EngineId::Facts;
            simplify(&query, cache, &mut self.history)?
        };
        self.simplified = Some(simplified);
        Ok(())
    }

    fn reduce(&mut self, cache: &mut SpaceCache<'s>) -> Result<(), Stop> {
        if let Some(simplified) = &self.simplified
            && !simplified.leaves_nothing()
        {
            let with_facts = !self.leaves_out(Technique::Facts);
            let history = &mut self.history;
            self.reduced = reduce(&self.query, simplified, with_facts, cache, history)?;
        }
        Ok(())
    }

    /// Runs the field in rounds until an engine decides or none is left.
    fn search(&mut self, cache: &mut SpaceCache<'s>) -> Result<SearchOutcome, Stop> {
        let (query, schedule) = (self.query, self.schedule);
        if let Some(reduced) = &self.reduced
            && reduced.simplified.leaves_nothing()
        {
            let query = Query {
                subject: &reduced.subject,
                ..query
            };
            let outcome = decided_by_facts(&query, &reduced.simplified, cache);
            return Ok(SearchOutcome {
                passes: reduced.removed.clone(),
                ..outcome
            });
        }
        let Some(simplified) = &self.simplified else {
            self.choose(Boundedness::Open, 0.0);
            return Ok(self.rounds(cache));
        };
        if simplified.leaves_nothing() {
            return Ok(decided_by_facts(&query, simplified, cache));
        }
        let boundedness = simplified.boundedness;
        let symmetries =
            symmetries::kept(&query, Some(simplified), Origin::Colours, schedule, cache)?;
        self.choose(boundedness, symmetries);
        if let Some(outcome) = self.next_round(cache).done() {
            return Ok(outcome);
        }
        let simplified = self.simplified.as_ref();
        if let Some(run) = symmetries::of_places(&query, simplified, schedule, cache)? {
            self.join(run);
        }
        Ok(self.rounds(cache))
    }

    fn stopped(&self, stop: Stop) -> SearchOutcome {
        SearchOutcome::stopped(self.engine, stop)
    }

    fn history(&mut self) -> (Vec<Attempt>, Vec<Fact>) {
        let history = std::mem::take(&mut self.history);
        (history.trail, history.facts)
    }
}

/// The outcome of a question of which facts have left nothing. The empty automaton is searched like
/// any other, which takes no time and includes the checks that every answer gets.
fn decided_by_facts<'s>(
    query: &Query<'_, 's>,
    simplified: &SimplifiedQuestion,
    cache: &mut SpaceCache<'s>,
) -> SearchOutcome {
    let plan = Plan::of("explicit");
    let query = Query {
        formulas: &simplified.formulas,
        property: simplified.property_for(&plan),
        ..*query
    };
    let outcome = match query.search(&SearchTask::whole(plan, query.budget()), &[], cache) {
        Ok(outcome) => outcome,
        Err(Unliftable(why)) => SearchOutcome::stopped(EngineId::Facts, Stop::Internal(why)),
    };
    SearchOutcome {
        engine: EngineId::Facts,
        ..outcome
    }
}
