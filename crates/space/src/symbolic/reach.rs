//! The reachable states, under an order that is found by trying.
//!
//! No static score may choose an order alone, so `auto` tries. Budgets are counted in nodes and
//! steps, never in seconds, so that runs repeat:
//!
//! 1. on nets that make tokens, a short search for a proof that there is no end (`pumping.rs`);
//! 2. the file order, under a small budget and before any other order has been computed;
//! 3. the other candidates under the same budget. Saturation closes an initial state level by level
//!    from the bottom, so an attempt that was given up has still shown how far it came for its
//!    work. The better half goes on with twice the budget, until one is left;
//! 4. that one goes on with doubling budgets, from where it stopped. Because the start of a
//!    race says little of some systems, each time another candidate gets half as much, in
//!    the order of the scores, and takes over if it came further.
//!
//! Most systems have several good orders and end in the first rounds, which cost a constant. A system
//! that needs much even under its best order pays about as much again.

use super::pumping::{Pumping, pumping};
use super::space::Symbolic;
use lariat_budget::{Budget, Observer, Stop};
use lariat_dd::Set;
use lariat_model::order::{self, Candidate, Order, OrderName};
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

/// Nodes that the file order may create at first: little for a few places, in proportion for many.
fn first_budget(levels: usize) -> u64 {
    10_000 + 10 * levels as u64
}

/// How many heuristics take part: on large systems trying each of them costs too much.
fn field(levels: usize) -> usize {
    if levels < 2000 {
        usize::MAX
    } else {
        FAVOURITES
    }
}

/// How many heuristics take part on large systems.
const FAVOURITES: usize = 2;

/// What part of the favourite's budget another candidate gets.
const SHARE: u64 = 2;

/// A candidate in the race.
struct Runner {
    candidate: Candidate,
    pace: Pace,
}

/// How an attempt went that was given up; smaller is better.
///
/// Of many levels, those that were not closed. A few levels say nothing: the last can be as
/// much work as all others. There, the nodes created: at equal work, an order under which
/// fewer are needed finds again what it has already.
type Pace = u64;

/// Below this many levels the closed ones are not counted.
const MANY_LEVELS: usize = 64;

fn pace(levels: usize, closed: usize, created: u64) -> Pace {
    if levels < MANY_LEVELS {
        created
    } else {
        (levels - closed.min(levels)) as u64
    }
}

/// All reachable states of `system` under an order of the given choice.
pub fn reach<'a>(
    system: &'a System,
    choice: &OrderChoice,
    deadlock: Deadlock,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Reach<'a>, Stop> {
    let search = Search {
        system,
        deadlock,
        budget,
        observer,
        trail: Vec::new(),
    };
    match choice {
        OrderChoice::Auto => search.auto(),
        OrderChoice::Named(name) => {
            let Some(order) = order::named(system, *name) else {
                return Err(Stop::Unsupported(format!(
                    "the order {name} needs units, which the model lacks"
                )));
            };
            search.single(&name.to_string(), &order)
        }
        OrderChoice::Given(order) => search.single("given", order),
    }
}

struct Search<'a, 'b> {
    system: &'a System,
    deadlock: Deadlock,
    budget: &'b Budget,
    observer: &'b dyn Observer,
    trail: Vec<Attempt>,
}

/// How one attempt ended.
enum End<'a> {
    Reached(Box<Reached<'a>>),
    /// The work ran out with this pace, in this space.
    Unfinished(Pace, Box<Symbolic<'a>>),
    /// This order needs more memory than there is.
    Memory,
}

impl<'a> Search<'a, '_> {
    /// One order, with all that may be spent.
    fn single(mut self, name: &str, order: &Order) -> Result<Reach<'a>, Stop> {
        match self.attempt(name, order, None, None)? {
            End::Reached(reached) => Ok(Reach::All(reached)),
            End::Memory => self.give_up(Stop::Memory),
            End::Unfinished(..) => self.give_up(Stop::Work(0)),
        }
    }

    /// Before running out is reported: is there a better reason?
    fn give_up(&self, stop: Stop) -> Result<Reach<'a>, Stop> {
        match pumping(self.system, PUMPING, self.budget)? {
            Some(proof) => Ok(Reach::Unbounded(proof)),
            None => Err(stop),
        }
    }

    fn auto(mut self) -> Result<Reach<'a>, Stop> {
        // On a net without end every order runs away, so that is asked first.
        if let Some(proof) = pumping(self.system, PUMPING, self.budget)? {
            return Ok(Reach::Unbounded(proof));
        }
        let levels = self.system.variables.len();
        let small = first_budget(levels);
        let file = OrderName::FILE;
        let order = order::named(self.system, file).unwrap_or_else(|| Order::file(levels));
        let first = match self.attempt(&file.to_string(), &order, Some(small), None)? {
            End::Reached(reached) => return Ok(Reach::All(reached)),
            End::Unfinished(pace, _) => Some(pace),
            End::Memory => None,
        };
        let mut candidates = order::candidates(self.system);
        let score = order::score(self.system, &order);
        candidates.push(Candidate {
            name: file,
            order,
            score,
        });
        let mut groups = by_heuristic(candidates);
        groups.truncate(field(levels));
        let mut race = Vec::new();
        for candidate in groups.into_iter().flatten() {
            let tried = match first {
                Some(pace) if candidate.name == file => Some(pace),
                _ if candidate.name == file => None,
                _ => match self.try_out(&candidate, small)? {
                    End::Reached(reached) => return Ok(Reach::All(reached)),
                    End::Unfinished(pace, _) => Some(pace),
                    End::Memory => None,
                },
            };
            race.extend(tried.map(|pace| Runner { candidate, pace }));
        }
        let mut work = small;
        let mut running = race.len();
        while running > 1 {
            rank(&mut race[..running]);
            running = running.div_ceil(2);
            work *= 2;
            if running == 1 {
                break;
            }
            for runner in &mut race[..running] {
                match self.try_out(&runner.candidate, work)? {
                    End::Reached(reached) => return Ok(Reach::All(reached)),
                    End::Unfinished(pace, _) => runner.pace = pace,
                    End::Memory => runner.pace = Pace::MAX,
                }
            }
        }
        self.favour(race, work)
    }

    /// The first of the race with doubling budgets, the others with a share of them in turn.
    fn favour(mut self, mut race: Vec<Runner>, mut work: u64) -> Result<Reach<'a>, Stop> {
        let levels = self.system.variables.len();
        let mut space = None;
        let mut turn = 0;
        if let [_, others @ ..] = &mut race[..] {
            others.sort_by(|a, b| a.candidate.score.total_cmp(&b.candidate.score));
        }
        while let Some(first) = race.first_mut() {
            let Candidate { name, order, .. } = &first.candidate;
            match self.attempt(&name.to_string(), order, Some(work), space.take())? {
                End::Reached(reached) => return Ok(Reach::All(reached)),
                End::Unfinished(pace, begun) => {
                    first.pace = pace;
                    space = Some(begun);
                }
                End::Memory => {
                    race.remove(0);
                    continue;
                }
            }
            work = work.saturating_mul(2);
            if race.len() > 1 {
                turn = turn % (race.len() - 1) + 1;
                match self.try_out(&race[turn].candidate, work / SHARE)? {
                    End::Reached(reached) => return Ok(Reach::All(reached)),
                    End::Unfinished(pace, begun) => {
                        race[turn].pace = pace;
                        if levels >= MANY_LEVELS && pace < race[0].pace {
                            race.swap(0, turn);
                            space = Some(begun);
                        }
                    }
                    // The favourite has the memory that this one lacked.
                    End::Memory => {}
                }
            }
        }
        Err(Stop::Memory)
    }

    fn try_out(&mut self, candidate: &Candidate, work: u64) -> Result<End<'a>, Stop> {
        let name = candidate.name.to_string();
        self.attempt(&name, &candidate.order, Some(work), None)
    }

    /// Tries one order, from the start or where a space was left, with at most `work`.
    fn attempt(
        &mut self,
        name: &str,
        order: &Order,
        work: Option<u64>,
        begun: Option<Box<Symbolic<'a>>>,
    ) -> Result<End<'a>, Stop> {
        let budget = match work {
            Some(work) => self.budget.clone().with_work(work),
            None => self.budget.clone(),
        };
        let (system, deadlock) = (self.system, self.deadlock);
        let mut attempted = begun;
        let outcome = (|| {
            let space = match &mut attempted {
                Some(space) => {
                    space.set_budget(&budget);
                    space
                }
                None => {
                    let space = Symbolic::new(system, order, deadlock, &budget)?;
                    attempted.insert(Box::new(space))
                }
            };
            let initial = space.initial()?;
            space.reach(&initial, &space.all())
        })();
        let figures = attempted.as_ref().map(|space| space.store_figures());
        let (created, closed) = figures.map_or((0, 0), |f| (f.created, f.closed));
        self.trail.push(Attempt {
            order: name.to_owned(),
            created,
            stop: outcome.as_ref().err().cloned(),
        });
        match (outcome, attempted) {
            (Ok(states), Some(mut space)) => {
                space.set_budget(self.budget);
                self.observer.remark(&format!("variable order {name}"));
                Ok(End::Reached(Box::new(Reached {
                    space: *space,
                    states,
                    order: name.to_owned(),
                    trail: std::mem::take(&mut self.trail),
                })))
            }
            (Err(Stop::Work(_)), Some(space)) if work.is_some() => {
                self.budget.spend(work.unwrap_or(0))?;
                let pace = pace(order.len(), closed, created);
                Ok(End::Unfinished(pace, space))
            }
            (Err(Stop::Memory), _) => Ok(End::Memory),
            (Err(stop), _) => Err(stop),
            (Ok(_), None) => Err(Stop::Interrupted),
        }
    }
}

/// The best pace first; where two are equal, the better score.
fn rank(race: &mut [Runner]) {
    race.sort_by(|a, b| {
        let score = || a.candidate.score.total_cmp(&b.candidate.score);
        a.pace.cmp(&b.pace).then_with(score)
    });
}

/// The candidates of each heuristic, the heuristic with the best score first.
fn by_heuristic(mut candidates: Vec<Candidate>) -> Vec<Vec<Candidate>> {
    candidates.sort_by(|a, b| a.score.total_cmp(&b.score));
    let mut groups: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates {
        let heuristic = candidate.name.heuristic;
        match groups.iter_mut().find(|g| g[0].name.heuristic == heuristic) {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::UBig;
    use crate::symbolic::testing::{Random, random_system};
    use lariat_budget::Quiet;
    use lariat_model::generate::{Family, generate};

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
        let mut random = Random::seeded();
        let mut unbounded = 0;
        for _ in 0..300 {
            let system = random_system(&mut random);
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
        }
        assert!(unbounded > 3, "{unbounded}");
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
