//! A single engine as a decider: no early searches, no facts; reductions only on request.

use crate::cache::SpaceCache;
use crate::check_one::Decider;
use crate::decision::{Attempt, Fact};
use crate::plan::Plan;
use crate::query::Query;
use crate::reduce::Reduced;
use crate::search::{SearchOutcome, SearchTask, Unliftable, without_reductions};
use lariat_budget::Stop;

/// One engine, which gets the property as the user wrote it.
pub(crate) struct SingleEngine<'q, 's> {
    query: Query<'q, 's>,
    plan: Plan,
    reduced: Option<Reduced<'s>>,
}

impl<'q, 's> SingleEngine<'q, 's> {
    pub fn new(query: Query<'q, 's>, plan: Plan) -> SingleEngine<'q, 's> {
        SingleEngine {
            query,
            plan,
            reduced: None,
        }
    }
}

impl<'s> Decider<'s> for SingleEngine<'_, 's> {
    fn look_first(&mut self, _: &mut SpaceCache<'s>) -> Result<Option<SearchOutcome>, Stop> {
        Ok(None)
    }

    fn simplify(&mut self, _: &mut SpaceCache<'s>) -> Result<(), Stop> {
        Ok(())
    }

    fn reduce(&mut self, cache: &mut SpaceCache<'s>) -> Result<(), Stop> {
        self.reduced = self.query.reduce(cache)?;
        Ok(())
    }

    /// Searches the reduced net or, if a run cannot be lifted from there, the original net.
    fn search(&mut self, cache: &mut SpaceCache<'s>) -> Result<SearchOutcome, Stop> {
        let query = &self.query;
        let task = SearchTask::whole(self.plan, query.budget());
        if let Some(Reduced { subject, removed }) = &self.reduced {
            let on_reduced = Query { subject, ..*query };
            match on_reduced.search(&task, removed, cache) {
                Ok(outcome) => return Ok(outcome),
                Err(Unliftable(why)) => query.remark(&without_reductions(&why)),
            }
        }
        let outcome = query.search(&task, &[], cache);
        outcome.map_err(|Unliftable(why)| Stop::Internal(why))
    }

    fn stopped(&self, stop: Stop) -> SearchOutcome {
        SearchOutcome::stopped(self.plan.id, stop)
    }

    fn history(&mut self) -> (Vec<Attempt>, Vec<Fact>) {
        Default::default()
    }
}
