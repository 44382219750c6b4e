//! What the properties of one model share: its reachable states as sets.
//!
//! Finding an order and saturating usually costs far more than deciding one property afterwards. The
//! first engine that needs the reachable states leaves them here for the next property; residuals and
//! products of a property go with it. After an engine ran out of memory no states are kept. Where they could
//! not be found it is remembered with which means, and not tried again with the same or less.

use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::hyb::arrange;
use lariat_engines::hybrid::{Hybrid, explore};
use lariat_engines::{Lasso, Outcome, Problem};
use lariat_model::order::Order;
use lariat_model::{Deadlock, System};
use lariat_space::symbolic::{OrderChoice, Reached};
use std::time::Duration;

/// The reachable states of a model, once an engine has needed them.
pub struct Explored<'s> {
    system: &'s System,
    kept: Option<Kept<'s>>,
    arranged: Option<Arranged>,
}

/// An order, by what was chosen, and its name.
struct Arranged {
    choice: OrderChoice,
    order: Order,
    name: String,
}

struct Kept<'s> {
    order: OrderChoice,
    deadlock: Deadlock,
    states: Result<Reached<'s>, Stop>,
    /// The time there was to find them, if it was limited.
    given: Option<Duration>,
}

impl Kept<'_> {
    /// Is this what finding the states anew in the time `left` would bring?
    fn lasts(&self, left: Option<Duration>) -> bool {
        match (&self.states, self.given, left) {
            (Ok(_) | Err(Stop::Bound(_) | Stop::Memory), _, _) => true,
            // A little more would hardly help.
            (Err(Stop::Time), Some(given), Some(left)) => left <= given + given / 10,
            (Err(_), _, _) => false,
        }
    }
}

impl<'s> Explored<'s> {
    /// Nothing is explored of `system` yet.
    pub fn new(system: &'s System) -> Explored<'s> {
        Explored {
            system,
            kept: None,
            arranged: None,
        }
    }

    /// Decides `problem`, which is about this system, with an engine on sets: in the states that are
    /// kept if they serve, otherwise in its own, which are kept instead.
    pub(crate) fn run(
        &mut self,
        hybrid: &Hybrid,
        problem: &Problem<'_>,
        budget: &Budget,
        observer: &dyn Observer,
        stats: &mut Stats,
    ) -> Result<Outcome<Lasso>, Stop> {
        let (order, deadlock) = (&hybrid.order, problem.deadlock);
        let left = budget.time_left();
        let serves =
            |kept: &Kept<'_>| kept.order == *order && kept.deadlock == deadlock && kept.lasts(left);
        let kept = match self.kept.take().filter(serves) {
            Some(kept) => {
                if let Err(stop) = &kept.states {
                    observer.remark(&format!(
                        "the reachable states were not found before ({stop}) and are not tried again"
                    ));
                }
                kept
            }
            None => Kept {
                order: order.clone(),
                deadlock,
                states: explore(self.system, order, deadlock, budget, observer),
                given: left,
            },
        };
        let reached = match kept.states {
            Ok(reached) => reached,
            Err(ref stop) => {
                let stop = stop.clone();
                self.kept = Some(kept);
                return Err(stop);
            }
        };
        let (found, reached) = hybrid.run_in(problem, reached, budget, observer, stats);
        if !matches!(found, Err(Stop::Memory)) {
            let states = Ok(reached);
            self.kept = Some(Kept { states, ..kept });
        }
        found
    }

    /// The order for engines that do without the reachable states: that of the states that are kept, or
    /// one that is found once.
    pub(crate) fn order(
        &mut self,
        choice: &OrderChoice,
        problem: &Problem<'_>,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(Order, String), Stop> {
        let serves = |arranged: &&Arranged| arranged.choice == *choice;
        if let Some(arranged) = self.arranged.as_ref().filter(serves) {
            return Ok((arranged.order.clone(), arranged.name.clone()));
        }
        let (order, name) = match &self.kept {
            Some(Kept {
                order,
                states: Ok(reached),
                ..
            }) if order == choice => {
                let order = reached.space.layout().order().clone();
                (order, reached.order.clone())
            }
            _ => arrange(self.system, choice, problem.deadlock, budget, observer)?,
        };
        self.arranged = Some(Arranged {
            choice: choice.clone(),
            order: order.clone(),
            name: name.clone(),
        });
        Ok((order, name))
    }

    /// Gives the states back, to make room.
    pub(crate) fn clear(&mut self) {
        self.kept.take_if(|kept| kept.states.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_could_not_be_found_are_sought_again_only_with_more_time() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let lasts = |stop: Stop, given, left| {
            let kept = Kept {
                order: OrderChoice::default(),
                deadlock: Deadlock::default(),
                states: Err(stop),
                given,
            };
            kept.lasts(left)
        };
        assert!(lasts(Stop::Time, seconds(10), seconds(3)));
        assert!(lasts(Stop::Time, seconds(10), seconds(10)));
        assert!(!lasts(Stop::Time, seconds(10), seconds(20)));
        assert!(!lasts(Stop::Time, seconds(10), None));
        assert!(lasts(Stop::Memory, seconds(10), None));
        assert!(lasts(Stop::Bound("infinite".to_owned()), None, None));
        assert!(!lasts(Stop::Interrupted, None, None));
        assert!(!lasts(Stop::Work(5), seconds(10), seconds(1)));
    }
}
