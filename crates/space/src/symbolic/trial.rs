//! One try of one order: on the system itself, or on a rehearsal.

use super::reach::Reached;
use super::rehearsal::Rehearsal;
use super::space::Symbolic;
use lariat_budget::{Budget, Stop};
use lariat_dd::Set;
use lariat_dd::saturation::{Listener, Silent, Unfiltered};
use lariat_model::order::{Order, ScoredOrder};
use lariat_model::{Deadlock, System};

/// No work limit of a try besides those around it.
pub(super) const UNLIMITED: u64 = u64::MAX;

/// One try of an order on the system itself, for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderTrial {
    /// Name of the order.
    pub order: String,
    /// Nodes created in its diagram.
    pub created: u64,
    /// Reason for giving it up; `None` if it succeeded.
    pub stop: Option<Stop>,
}

/// Context of all tries.
#[derive(Clone, Copy)]
pub(super) struct TrialContext<'a, 'b> {
    pub(super) system: &'a System,
    pub(super) deadlock: Deadlock,
    pub(super) budget: &'b Budget,
}

pub(super) enum TrialEnd<'a> {
    Reached(Box<Symbolic<'a>>, Set),
    /// Its own work limit ran out.
    Unfinished,
    /// This order needs more memory than is available.
    Memory,
    /// The listener ended it.
    Left,
}

impl<'a> TrialContext<'a, '_> {
    pub(super) fn levels(&self) -> usize {
        self.system.variables.len()
    }

    /// Computes all reachable states under one order, within the budget of the task.
    pub(super) fn only(&self, name: &str, order: &Order) -> Result<Box<Reached<'a>>, Stop> {
        let mut trail = Vec::new();
        let budget = self.with_work(UNLIMITED);
        match self.try_order(name, order, &budget, &mut Silent, &mut trail)? {
            TrialEnd::Reached(space, states) => {
                Ok(Reached::new(space, states, name.to_owned(), trail))
            }
            TrialEnd::Memory => Err(Stop::Memory),
            // Impossible without a separate limit and without a listener.
            TrialEnd::Unfinished | TrialEnd::Left => Err(Stop::Interrupted),
        }
    }

    /// The budget of the task, with at most `work` more.
    pub(super) fn with_work(&self, work: u64) -> Budget {
        self.budget.clone().with_work(work)
    }

    /// Tries one order under a budget [within](TrialContext::with_work) that of the task, and
    /// appends the result to `trail`.
    pub(super) fn try_order<L: Listener<Unfiltered>>(
        &self,
        name: &str,
        order: &Order,
        budget: &Budget,
        listener: &mut L,
        trail: &mut Vec<OrderTrial>,
    ) -> Result<TrialEnd<'a>, Stop> {
        let mut tried = None;
        let outcome = Symbolic::new(self.system, order, self.deadlock, budget).and_then(|space| {
            let space = tried.insert(Box::new(space));
            let initial = space.initial()?;
            space.reach_with_listener(&initial, &space.all(), listener)
        });
        let figures = tried.as_ref().map(|space| space.store_figures());
        let created = figures.map_or(0, |figures| figures.created);
        trail.push(OrderTrial {
            order: name.to_owned(),
            created,
            stop: match &outcome {
                Ok(Some(_)) => None,
                Ok(None) => Some(Stop::Work(self.budget.work_spent())),
                Err(stop) => Some(stop.clone()),
            },
        });
        match (outcome, tried) {
            (Ok(Some(states)), Some(space)) => Ok(TrialEnd::Reached(space, states)),
            (Ok(_), _) => Ok(TrialEnd::Left),
            (Err(Stop::Work(_)), _) => {
                // Distinguishes the limit of this try from one around it.
                self.budget.spend(0)?;
                Ok(TrialEnd::Unfinished)
            }
            (Err(Stop::Memory), _) => Ok(TrialEnd::Memory),
            (Err(stop), _) => Err(stop),
        }
    }

    /// Work of a candidate on a rehearsal, if it is at most `allowed`.
    pub(super) fn rehearse(
        &self,
        candidate: &ScoredOrder,
        rehearsal: &Rehearsal,
        allowed: u64,
    ) -> Result<Option<u64>, Stop> {
        let budget = self.with_work(allowed);
        let outcome = (|| {
            let mut space = Symbolic::new(self.system, &candidate.order, self.deadlock, &budget)?;
            let from = space.set_of(&rehearsal.initial)?;
            let steps = space.steps(&rehearsal.events);
            space.reach(&from, &steps)
        })();
        match outcome {
            Ok(_) => Ok(Some(budget.work_spent())),
            Err(Stop::Work(_)) => self.budget.spend(0).map(|()| None),
            Err(Stop::Memory | Stop::Bound(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
