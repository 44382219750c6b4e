//! The reachable states, under an order that is given or found by trying (`race.rs`).

use super::pumping::{Pumping, pumping};
use super::race::race;
use super::space::Symbolic;
use lariat_budget::{Budget, Observer, Stop};
use lariat_dd::Set;
use lariat_dd::saturation::{Listener, Silent, Unfiltered};
use lariat_model::order::{self, Order, OrderName};
use lariat_model::{Deadlock, System};

/// Which order to use.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum OrderChoice {
    /// Whatever turns out to work.
    #[default]
    Auto,
    /// The order that a heuristic makes.
    Named(OrderName),
    /// This one.
    Given(Order),
}

/// A space with all its reachable states.
pub struct Reached<'a> {
    /// The space.
    pub space: Symbolic<'a>,
    /// The reachable states.
    pub states: Set,
    /// The order used, by name.
    pub order: String,
    /// What was tried, the successful attempt last.
    pub trail: Vec<Attempt>,
}

impl<'a> Reached<'a> {
    pub(super) fn new(
        space: Box<Symbolic<'a>>,
        states: Set,
        order: String,
        trail: Vec<Attempt>,
    ) -> Reached<'a> {
        Reached {
            space: *space,
            states,
            order,
            trail,
        }
    }
}

/// One try of an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The order, by name.
    pub order: String,
    /// Nodes created in this space so far.
    pub created: u64,
    /// Why it was given up; `None` if it succeeded.
    pub stop: Option<Stop>,
}

/// What came of looking for all reachable states.
pub enum Reach<'a> {
    /// Here they are.
    All(Box<Reached<'a>>),
    /// There are infinitely many, and this is why.
    Unbounded(Pumping),
}

/// Comparisons of places that a search for a pumping sequence may spend.
const PUMPING: u64 = 2_000_000;

/// All reachable states of `system` under an order of the given choice.
pub fn reach<'a>(
    system: &'a System,
    choice: &OrderChoice,
    deadlock: Deadlock,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Reach<'a>, Stop> {
    let question = Question {
        system,
        deadlock,
        budget,
    };
    let found = match choice {
        OrderChoice::Auto => {
            // On a net without end every order runs away, so that is asked first.
            if let Some(proof) = pumping(system, PUMPING, budget)? {
                return Ok(Reach::Unbounded(proof));
            }
            race(&question, &mut None)?
        }
        OrderChoice::Named(name) => question.single(&name.to_string(), &named(system, *name)?)?,
        OrderChoice::Given(order) => question.single("given", order)?,
    };
    match found {
        Some(mut reached) => {
            reached.space.set_budget(budget);
            observer.remark(&format!("variable order {}", reached.order));
            Ok(Reach::All(Box::new(reached)))
        }
        // Before running out is reported: is there a better reason?
        None => match pumping(system, PUMPING, budget)? {
            Some(proof) => Ok(Reach::Unbounded(proof)),
            None => Err(Stop::Memory),
        },
    }
}

/// An order, for work other than finding the reachable states.
pub struct Arrangement<'a> {
    /// The order.
    pub order: Order,
    /// Its name.
    pub name: String,
    /// The reachable states, if they were found on the way.
    pub reached: Option<Box<Reached<'a>>>,
}

/// An order of the given choice. If trying must tell, the states are sought with at most `work`, and if
/// that is too little the favourite of that moment is taken.
pub fn arrange<'a>(
    system: &'a System,
    choice: &OrderChoice,
    deadlock: Deadlock,
    work: u64,
    budget: &Budget,
) -> Result<Arrangement<'a>, Stop> {
    let untried = |order, name| Arrangement {
        order,
        name,
        reached: None,
    };
    match choice {
        OrderChoice::Given(order) => return Ok(untried(order.clone(), "given".to_owned())),
        OrderChoice::Named(name) => return Ok(untried(named(system, *name)?, name.to_string())),
        OrderChoice::Auto => {}
    }
    let mut favourite = None;
    if pumping(system, PUMPING, budget)?.is_none() {
        let question = Question {
            system,
            deadlock,
            budget: &budget.clone().with_work(work),
        };
        match race(&question, &mut favourite) {
            Ok(Some(reached)) => {
                return Ok(Arrangement {
                    order: reached.space.layout().order().clone(),
                    name: reached.order.clone(),
                    reached: Some(Box::new(reached)),
                });
            }
            Ok(None) => return Err(Stop::Memory),
            Err(Stop::Work(_)) => budget.spend(0)?,
            Err(stop) => return Err(stop),
        }
    }
    let by_score = || {
        let candidates = order::candidates(system).into_iter();
        candidates.min_by(|a, b| a.score.total_cmp(&b.score))
    };
    Ok(match favourite.or_else(by_score) {
        Some(best) => untried(best.order, best.name.to_string()),
        None => untried(Order::file(system.variables.len()), "file".to_owned()),
    })
}

fn named(system: &System, name: OrderName) -> Result<Order, Stop> {
    order::named(system, name).ok_or_else(|| {
        Stop::Unsupported(format!(
            "the order {name} needs units, which the model lacks"
        ))
    })
}

/// What every attempt is asked.
#[derive(Clone, Copy)]
pub(super) struct Question<'a, 'b> {
    pub(super) system: &'a System,
    pub(super) deadlock: Deadlock,
    pub(super) budget: &'b Budget,
}

/// How one attempt ended.
pub(super) enum End<'a> {
    /// With all reachable states.
    Reached(Box<Symbolic<'a>>, Set),
    /// The work that it was given ran out when it had closed so many levels.
    Unfinished { closed: usize },
    /// This order needs more memory than there is.
    Memory,
    /// The listener left.
    Left,
}

impl<'a> Question<'a, '_> {
    /// One order, with all that may be spent; `None` if that needs more memory than there is.
    fn single(&self, name: &str, order: &Order) -> Result<Option<Reached<'a>>, Stop> {
        let mut trail = Vec::new();
        match self.attempt(name, order, None, &mut Silent, &mut trail)? {
            End::Reached(space, states) => {
                let name = name.to_owned();
                Ok(Some(Reached::new(space, states, name, trail)))
            }
            End::Memory => Ok(None),
            // Without a limit of its own and without a listener it does neither.
            End::Unfinished { .. } | End::Left => Err(Stop::Interrupted),
        }
    }

    /// Tries one order, with at most `work`.
    pub(super) fn attempt<L: Listener<Unfiltered>>(
        &self,
        name: &str,
        order: &Order,
        work: Option<u64>,
        listener: &mut L,
        trail: &mut Vec<Attempt>,
    ) -> Result<End<'a>, Stop> {
        let budget = match work {
            Some(work) => self.budget.clone().with_work(work),
            None => self.budget.clone(),
        };
        let mut attempted = None;
        let outcome = Symbolic::new(self.system, order, self.deadlock, &budget).and_then(|space| {
            let space = attempted.insert(Box::new(space));
            let initial = space.initial()?;
            space.reach_heard(&initial, &space.all(), listener)
        });
        let figures = attempted.as_ref().map(|space| space.store_figures());
        let (created, closed) = figures.map_or((0, 0), |f| (f.created, f.closed));
        trail.push(Attempt {
            order: name.to_owned(),
            created,
            stop: match &outcome {
                Ok(Some(_)) => None,
                Ok(None) => Some(Stop::Work(self.budget.work_spent())),
                Err(stop) => Some(stop.clone()),
            },
        });
        match (outcome, attempted) {
            (Ok(Some(states)), Some(space)) => Ok(End::Reached(space, states)),
            (Ok(_), _) => Ok(End::Left),
            (Err(Stop::Work(_)), _) if work.is_some() => {
                // Was it the limit of this attempt, or one around it?
                self.budget.spend(0)?;
                Ok(End::Unfinished { closed })
            }
            (Err(Stop::Memory), _) => Ok(End::Memory),
            (Err(stop), _) => Err(stop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::UBig;
    use lariat_budget::Quiet;
    use lariat_corpora::each_case;
    use lariat_model::generate::{Family, generate};
    use lariat_testkit::{nets, programs};

    fn states(system: &System, choice: &OrderChoice) -> UBig {
        let budget = Budget::unlimited();
        match reach(system, choice, Deadlock::Stutter, &budget, &Quiet) {
            Ok(Reach::All(mut reached)) => {
                let census = reached.space.census(&reached.states, false);
                census.unwrap().states
            }
            Ok(Reach::Unbounded(_)) => panic!("unbounded"),
            Err(stop) => panic!("{stop}"),
        }
    }

    #[test]
    fn generated_nets_have_their_known_sizes() {
        for (family, size, expected) in [
            (Family::Philosophers, 10, 1_860_498u64),
            (Family::Kanban, 5, 2_546_432),
            (Family::Kanban, 10, 1_005_927_208),
            (Family::Fms, 5, 2_895_018),
            (Family::Fms, 10, 2_501_413_200),
            (Family::Peterson, 2, 20_754),
        ] {
            let system = generate(family, size).unwrap();
            let found = states(&system, &OrderChoice::Auto);
            assert_eq!(found, UBig::from(expected), "{} {size}", family.name());
        }
        // Twelve thousand levels would be too many for a plain recursion.
        let system = generate(Family::Philosophers, 2000).unwrap();
        assert!(states(&system, &OrderChoice::Auto) > UBig::from(u128::MAX));
    }

    #[test]
    fn every_order_counts_the_same() {
        for family in [Family::Philosophers, Family::Fms, Family::Kanban] {
            let system = generate(family, 4).unwrap();
            let expected = states(&system, &OrderChoice::Auto);
            for name in OrderName::all().filter(|n| order::named(&system, *n).is_some()) {
                assert_eq!(
                    states(&system, &OrderChoice::Named(name)),
                    expected,
                    "{name}"
                );
            }
            let given = Order::file(system.variables.len()).reversed();
            assert_eq!(states(&system, &OrderChoice::Given(given)), expected);
        }
    }

    #[test]
    fn many_tries_lead_to_the_same_states() {
        let system = generate(Family::Kanban, 30).unwrap();
        let budget = Budget::unlimited();
        let found = reach(
            &system,
            &OrderChoice::Auto,
            Deadlock::Stutter,
            &budget,
            &Quiet,
        );
        let Ok(Reach::All(reached)) = found else {
            panic!("not found");
        };
        let stops = || reached.trail.iter().map(|a| a.stop.clone());
        assert!(reached.trail.len() > 1 && stops().filter(Option::is_none).count() == 1);
        assert_eq!(reached.trail.last().map(|a| &a.order), Some(&reached.order));
    }

    #[test]
    fn unbounded_nets_are_called_so() {
        let mut unbounded = 0;
        each_case(300, |random| {
            let system = match random.coin() {
                true => nets::any(random),
                false => programs::any(random),
            };
            let budget = Budget::bytes(16 << 20).with_work(200_000);
            match reach(
                &system,
                &OrderChoice::Auto,
                Deadlock::Stutter,
                &budget,
                &Quiet,
            ) {
                Ok(Reach::Unbounded(_)) => unbounded += 1,
                Ok(Reach::All(_)) => {}
                Err(Stop::Memory | Stop::Work(_) | Stop::Bound(_)) => {}
                Err(stop) => panic!("{stop}"),
            }
        });
        assert!(unbounded > 3, "{unbounded}");
    }

    #[test]
    fn a_limit_around_the_tries_holds() {
        let system = generate(Family::Kanban, 100).unwrap();
        for limit in [0, 5_000, 30_000, 60_000] {
            let outer = Budget::unlimited().with_work(limit);
            let found = reach(
                &system,
                &OrderChoice::Auto,
                Deadlock::Stutter,
                &outer,
                &Quiet,
            );
            assert_eq!(found.err(), Some(Stop::Work(limit)));
            assert!(outer.work_spent() <= limit + 5_000);
        }
    }

    #[test]
    fn memory_runs_out_as_a_value() {
        let system = generate(Family::Philosophers, 1000).unwrap();
        let budget = Budget::bytes(1 << 20);
        let found = reach(
            &system,
            &OrderChoice::Auto,
            Deadlock::Stutter,
            &budget,
            &Quiet,
        );
        assert_eq!(found.err(), Some(Stop::Memory));
    }
}
