//! What the properties of one model share: its reachable states as sets.
//!
//! Finding an order and saturating usually costs far more than deciding one property afterwards. The
//! first engine that needs the reachable states leaves them here for the next property; residuals and
//! products of a property go with it. After an engine ran out of memory no states are kept. Where they could
//! not be found it is remembered with which means, and not tried again with the same or less.

use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::hyb::ORDER_WORK;
use lariat_engines::hybrid::{Hybrid, explore};
use lariat_engines::{Lasso, Outcome, Problem};
use lariat_model::order::Order;
use lariat_model::{Deadlock, System};
use lariat_space::symbolic::{OrderChoice, Reached, arrange};
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
    /// What there was to find them.
    given: Means,
}

/// Time and work, where they are limited.
#[derive(Clone, Copy)]
struct Means {
    time: Option<Duration>,
    work: Option<u64>,
}

impl Means {
    fn left(budget: &Budget) -> Means {
        Means {
            time: budget.time_left(),
            work: budget.work_left(),
        }
    }
}

impl Kept<'_> {
    /// Is this what finding the states anew with what is `left` would bring?
    fn lasts(&self, left: Means) -> bool {
        let given = self.given;
        // A little more would hardly help.
        match self.states {
            Ok(_) | Err(Stop::Bound(_) | Stop::Memory) => true,
            Err(Stop::Time) => given
                .time
                .zip(left.time)
                .is_some_and(|(given, left)| left <= given + given / 10),
            Err(Stop::Work(_)) => given
                .work
                .zip(left.work)
                .is_some_and(|(given, left)| left <= given.saturating_add(given / 10)),
            Err(_) => false,
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
        let left = Means::left(budget);
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
        deadlock: Deadlock,
        budget: &Budget,
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
            _ => {
                let given = Means::left(budget);
                let found = arrange(self.system, choice, deadlock, ORDER_WORK, budget)?;
                if let Some(reached) = found.reached {
                    self.kept = Some(Kept {
                        order: choice.clone(),
                        deadlock,
                        states: Ok(*reached),
                        given,
                    });
                }
                (found.order, found.name)
            }
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
    fn states_that_could_not_be_found_are_sought_again_only_with_more() {
        let seconds = |seconds| Means {
            time: Some(Duration::from_secs(seconds)),
            work: None,
        };
        let units = |units| Means {
            time: None,
            work: Some(units),
        };
        let endless = Means {
            time: None,
            work: None,
        };
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
        assert!(!lasts(Stop::Time, seconds(10), endless));
        assert!(lasts(Stop::Memory, seconds(10), endless));
        assert!(lasts(Stop::Bound("infinite".to_owned()), endless, endless));
        assert!(!lasts(Stop::Interrupted, endless, endless));
        assert!(lasts(Stop::Work(5), units(5), units(5)));
        assert!(!lasts(Stop::Work(5), units(5), units(10)));
        assert!(!lasts(Stop::Work(5), units(5), endless));
    }
}
