//! The reachable states, under a given variable order or one found by trials ([race](super::race)).

use super::pumping::{Pumping, pumping};
use super::race::{Raced, first_try, race};
use super::schedule::OrderSchedule;
use super::space::Symbolic;
use super::trial::{OrderTrial, TrialContext, UNLIMITED};
use lariat_budget::{Budget, RunContext, Stop};
use lariat_dd::Set;
use lariat_model::order::{self, Order, OrderName, ScoredOrder};
use lariat_model::{Deadlock, System};

/// Choice of the variable order.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum OrderChoice {
    /// Found by trials.
    #[default]
    Auto,
    /// Found by trials with this schedule.
    Scheduled(OrderSchedule),
    /// The order of a heuristic.
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
    /// Name of the order.
    pub order: String,
    /// The trials, the successful one last.
    pub trail: Vec<OrderTrial>,
}

impl<'a> Reached<'a> {
    pub(super) fn new(
        space: Box<Symbolic<'a>>,
        states: Set,
        order: String,
        trail: Vec<OrderTrial>,
    ) -> Box<Reached<'a>> {
        Box::new(Reached {
            space: *space,
            states,
            order,
            trail,
        })
    }
}

/// Result of [`reach`].
pub enum ReachResult<'a> {
    /// All reachable states.
    All(Box<Reached<'a>>),
    /// A proof that there are infinitely many.
    Unbounded(Pumping),
}

/// Comparisons of places for the search for a pumping sequence.
const PUMPING: u64 = 2_000_000;

/// Computes all reachable states of `system` under an order of the given choice.
pub fn reach<'a>(
    system: &'a System,
    choice: &OrderChoice,
    deadlock: Deadlock,
    ctx: RunContext<'_>,
) -> Result<ReachResult<'a>, Stop> {
    let task = TrialContext {
        system,
        deadlock,
        budget: ctx.budget,
    };
    let found = match choice {
        OrderChoice::Auto => search(&task, &OrderSchedule::default(), || grows(&task))?,
        OrderChoice::Scheduled(schedule) => search(&task, schedule, || grows(&task))?,
        OrderChoice::Named(name) => only(&task, &name.to_string(), &named(system, *name)?)?,
        OrderChoice::Given(order) => only(&task, "given", order)?,
    };
    match found {
        Search::Unbounded(proof) => Ok(ReachResult::Unbounded(proof)),
        Search::Raced(Raced { reached, .. }) => {
            let mut reached = reached?;
            reached.space.set_budget(ctx.budget);
            ctx.observer
                .remark(&format!("variable order {}", reached.order));
            Ok(ReachResult::All(reached))
        }
    }
}

/// Result of a search; a race includes its favourite, for further work.
enum Search<'a> {
    Raced(Raced<'a>),
    Unbounded(Pumping),
}

/// Searches for a proof that the net is unbounded.
fn grows(task: &TrialContext<'_, '_>) -> Result<Option<Pumping>, Stop> {
    pumping(task.system, PUMPING, task.budget)
}

/// Tries one order. A proof of unboundedness replaces the report that memory ran out.
fn only<'a>(task: &TrialContext<'a, '_>, name: &str, order: &Order) -> Result<Search<'a>, Stop> {
    let reached = task.only(name, order);
    if let Err(Stop::Memory) = reached
        && let Some(proof) = grows(task)?
    {
        return Ok(Search::Unbounded(proof));
    }
    Ok(without_race(reached))
}

/// The result of a search that has tried one order only.
fn without_race(reached: Result<Box<Reached<'_>>, Stop>) -> Search<'_> {
    Search::Raced(Raced {
        reached,
        favourite: None,
    })
}

/// Finds an order by trials. Small systems end with the first try at no other cost. On an unbounded
/// net every order diverges, so that is tested before more is spent.
///
/// `growth` searches for a proof that the net is unbounded ([`grows`]).
fn search<'a>(
    task: &TrialContext<'a, '_>,
    schedule: &OrderSchedule,
    growth: impl FnOnce() -> Result<Option<Pumping>, Stop>,
) -> Result<Search<'a>, Stop> {
    // Counts all work from here on.
    let budget = task.budget.clone().with_work(UNLIMITED);
    let task = TrialContext {
        budget: &budget,
        ..*task
    };
    let mut trail = Vec::new();
    let first = match first_try(&task, schedule, &mut trail) {
        // A count that exceeds the range of a diagram may be that of an unbounded place.
        Err(stop) if !matches!(stop, Stop::Bound(_)) => Err(stop)?,
        first => first.transpose(),
    };
    if let Some(Ok(reached)) = first {
        return Ok(without_race(Ok(reached)));
    }
    if let Some(proof) = growth()? {
        return Ok(Search::Unbounded(proof));
    }
    Ok(match first {
        Some(bound) => without_race(bound),
        None => Search::Raced(race(&task, schedule, trail)),
    })
}

/// An order, for work other than finding the reachable states.
pub struct Arrangement<'a> {
    /// The order.
    pub order: Order,
    /// Its name.
    pub name: String,
    /// The reachable states, if they have been found.
    pub reached: Option<Box<Reached<'a>>>,
    /// The reason why they were not found, if they were searched for; with the same budget, another
    /// search would fail too.
    pub unreached: Option<Unreached>,
    /// Work spent on finding the order.
    pub spent: u64,
}

/// The reason why the search for an order did not find the reachable states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unreached {
    /// The search was stopped; the order is its favourite.
    Stopped(Stop),
    /// There are infinitely many; the order is the one with the best score.
    Unbounded(Pumping),
}

/// Determines an order of the given choice. If it requires trials, the states are searched for with
/// at most `work`, and if that does not suffice, the current favourite is taken.
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
        unreached: None,
        spent: 0,
    };
    let schedule = match choice {
        OrderChoice::Given(order) => return Ok(untried(order.clone(), "given".to_owned())),
        OrderChoice::Named(name) => return Ok(untried(named(system, *name)?, name.to_string())),
        OrderChoice::Auto => &OrderSchedule::default(),
        OrderChoice::Scheduled(schedule) => schedule,
    };
    let limited = budget.clone().with_work(work);
    let task = TrialContext {
        system,
        deadlock,
        budget: &limited,
    };
    let (favourite, unreached) = match search(&task, schedule, || grows(&task)) {
        Ok(Search::Unbounded(proof)) => (None, Unreached::Unbounded(proof)),
        Ok(Search::Raced(Raced { reached, favourite })) => match reached {
            Ok(reached) => {
                return Ok(Arrangement {
                    order: reached.space.layout().order().clone(),
                    name: reached.order.clone(),
                    reached: Some(reached),
                    unreached: None,
                    spent: limited.work_spent(),
                });
            }
            Err(stop) => (favourite, Unreached::Stopped(stop)),
        },
        Err(stop) => (None, Unreached::Stopped(stop)),
    };
    match &unreached {
        // Distinguishes the limit `work` from one around it.
        Unreached::Stopped(Stop::Work(_)) => budget.spend(0)?,
        Unreached::Stopped(stop) => return Err(stop.clone()),
        Unreached::Unbounded(_) => {}
    }
    let ScoredOrder { name, order, .. } = match favourite {
        Some(favourite) => favourite,
        None => best_score(system),
    };
    Ok(Arrangement {
        unreached: Some(unreached),
        spent: limited.work_spent(),
        ..untried(order, name.to_string())
    })
}

fn best_score(system: &System) -> ScoredOrder {
    let candidates = order::candidates(system).into_iter();
    let best = candidates.min_by(|a, b| a.score.total_cmp(&b.score));
    best.unwrap_or_else(|| ScoredOrder {
        name: OrderName::FILE,
        order: Order::file(system.variables.len()),
        score: 0.0,
    })
}

fn named(system: &System, name: OrderName) -> Result<Order, Stop> {
    order::named(system, name).ok_or_else(|| {
        Stop::Unsupported(format!(
            "the order {name} needs units, which the model lacks"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::UBig;
    use lariat_budget::{FaultTarget, InjectedFault};
    use lariat_corpora::{each_case, which_ends};
    use lariat_model::generate::{Family, generate};
    use lariat_testkit::{nets, programs};
    use std::num::NonZeroUsize;

    fn found<'a>(
        system: &'a System,
        choice: &OrderChoice,
        budget: &Budget,
    ) -> Result<ReachResult<'a>, Stop> {
        reach(system, choice, Deadlock::Stutter, RunContext::quiet(budget))
    }

    /// All states, which are found under `budget`, and their number.
    fn all<'a>(
        system: &'a System,
        choice: &OrderChoice,
        budget: &Budget,
    ) -> (UBig, Box<Reached<'a>>) {
        let Ok(ReachResult::All(mut reached)) = found(system, choice, budget) else {
            panic!("all states are reached");
        };
        let census = reached.space.census(&reached.states, false);
        (census.unwrap().states, reached)
    }

    fn states(system: &System, choice: &OrderChoice) -> UBig {
        all(system, choice, &Budget::unlimited()).0
    }

    /// A schedule with as many interludes as possible, from the beginning.
    fn frequent_interludes() -> OrderChoice {
        OrderChoice::Scheduled(OrderSchedule {
            first_try: 0,
            level_work: 0,
            noise: 0,
            telling: 0,
            ..OrderSchedule::default()
        })
    }

    #[test]
    fn background_interludes_are_deterministic() {
        for (family, size) in [(Family::SlottedRing, 12), (Family::Fms, 8)] {
            let system = generate(family, size).unwrap();
            let seen = |threads: usize| {
                let threads = NonZeroUsize::new(threads).unwrap();
                let budget = Budget::unlimited().with_threads(threads);
                let (states, reached) = all(&system, &frequent_interludes(), &budget);
                (states, reached.order, reached.trail)
            };
            let (alone, two) = (seen(1), seen(2));
            assert_eq!(alone.0, two.0);
            assert_eq!(two, seen(2));
        }
    }

    #[test]
    fn background_interludes_stop_with_the_favourite() {
        let system = generate(Family::SlottedRing, 10).unwrap();
        let mut stopped = 0;
        which_ends(|| {
            each_case(60, |random| {
                let stops = [Stop::Memory, Stop::Time, Stop::Interrupted];
                let stop = random.one_of(&stops).clone();
                let victim = *random.one_of(&[FaultTarget::One, FaultTarget::All]);
                let exponent = random.below(8_u32);
                let at = random.below(1_u64 << exponent);
                let budget = Budget::faulty(InjectedFault::new(stop.clone(), at, victim));
                let budget = budget.with_threads(NonZeroUsize::new(2).unwrap());
                match found(&system, &frequent_interludes(), &budget) {
                    Ok(ReachResult::All(mut reached)) => {
                        let census = reached.space.census(&reached.states, false);
                        let expected = UBig::from(8_291_791_872u64);
                        assert!(census.is_err() || census.unwrap().states == expected);
                    }
                    Ok(ReachResult::Unbounded(_)) => panic!("unbounded"),
                    Err(met) => {
                        stopped += 1;
                        assert_eq!(met, stop);
                    }
                }
                assert_eq!(budget.bytes_used(), 0);
            });
        });
        assert!(stopped > 0);
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
        // Twelve thousand levels exceed the stack of a plain recursion.
        let system = generate(Family::Philosophers, 2000).unwrap();
        assert!(states(&system, &OrderChoice::Auto) > UBig::from(u128::MAX));
    }

    #[test]
    fn every_order_counts_the_same() {
        for family in [Family::Philosophers, Family::Fms, Family::Kanban] {
            let system = generate(family, 4).unwrap();
            let expected = states(&system, &OrderChoice::Auto);
            for name in OrderName::all().filter(|n| order::named(&system, *n).is_some()) {
                let found = states(&system, &OrderChoice::Named(name));
                assert_eq!(found, expected, "{name}");
            }
            let given = Order::file(system.variables.len()).reversed();
            assert_eq!(states(&system, &OrderChoice::Given(given)), expected);
        }
    }

    #[test]
    fn many_tries_lead_to_the_same_states() {
        let system = generate(Family::Kanban, 30).unwrap();
        let (_, reached) = all(&system, &OrderChoice::Auto, &Budget::unlimited());
        let stops = || reached.trail.iter().map(|a| a.stop.clone());
        assert!(reached.trail.len() > 1 && stops().filter(Option::is_none).count() == 1);
        assert_eq!(reached.trail.last().map(|a| &a.order), Some(&reached.order));
    }

    #[test]
    fn unbounded_nets_are_recognized() {
        let mut unbounded = 0;
        each_case(300, |random| {
            let system = if random.coin() {
                nets::any(random)
            } else {
                programs::any(random)
            };
            let budget = Budget::bytes(16 << 20).with_work(200_000);
            match found(&system, &OrderChoice::Auto, &budget) {
                Ok(ReachResult::Unbounded(_)) => unbounded += 1,
                Ok(ReachResult::All(_)) => {}
                Err(Stop::Memory | Stop::Work(_) | Stop::Bound(_)) => {}
                Err(stop) => panic!("{stop}"),
            }
        });
        assert!(unbounded > 3, "{unbounded}");
    }

    /// A small net that creates tokens: `grows` would consider it possibly unbounded, and walk for
    /// much longer than its states take.
    #[test]
    fn small_nets_do_not_pay_for_the_search() {
        let net = |place: &str, marking: u32| {
            format!(
                "<place id='{place}'><initialMarking><text>{marking}</text></initialMarking></place>"
            )
        };
        let arc =
            |from: &str, to: &str| format!("<arc id='{from}{to}' source='{from}' target='{to}'/>");
        let text = format!(
            "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>\
             {}{}{}<transition id='fork'/>{}{}{}</page></net></pnml>",
            net("a", 6),
            net("b", 0),
            net("c", 0),
            arc("a", "fork"),
            arc("fork", "b"),
            arc("fork", "c"),
        );
        let system = lariat_formats::read_model("fork", text.as_bytes()).unwrap();
        assert!(system.makes_tokens());
        let budget = Budget::unlimited().with_work(UNLIMITED);
        let task = TrialContext {
            system: &system,
            deadlock: Deadlock::Stutter,
            budget: &budget,
        };
        let found = search(&task, &OrderSchedule::default(), || {
            panic!("growth was tested")
        });
        let Ok(Search::Raced(Raced { reached, .. })) = found else {
            panic!("not found");
        };
        let mut reached = reached.unwrap();
        let census = reached.space.census(&reached.states, false).unwrap();
        assert_eq!(census.states, UBig::from(7u8));
        assert_eq!(reached.trail.len(), 1);
        assert!(budget.work_spent() < 200, "{}", budget.work_spent());
    }

    #[test]
    fn every_schedule_finds_the_same_states() {
        let system = generate(Family::Fms, 5).unwrap();
        for row in OrderSchedule::TABLE {
            for value in [*row.range.start(), row.default / 2, row.default * 2] {
                let value = value.clamp(*row.range.start(), *row.range.end());
                // Without a first try, so that there is a race.
                let schedule: OrderSchedule =
                    format!("first-try=0,{}={value}", row.name).parse().unwrap();
                let found = states(&system, &OrderChoice::Scheduled(schedule));
                assert_eq!(found, UBig::from(2_895_018u64), "{schedule}");
            }
        }
    }

    #[test]
    fn a_stopped_race_reports_its_favourite_and_its_work() {
        let system = generate(Family::Kanban, 100).unwrap();
        let arranged = |work| {
            let budget = Budget::unlimited();
            let choice = OrderChoice::Auto;
            arrange(&system, &choice, Deadlock::Stutter, work, &budget).unwrap()
        };
        let cut = arranged(50_000);
        assert!(cut.reached.is_none());
        assert_eq!(cut.unreached, Some(Unreached::Stopped(Stop::Work(50_000))));
        assert!((50_000..60_000).contains(&cut.spent), "{}", cut.spent);
        let whole = arranged(10_000_000);
        assert!(whole.reached.is_some() && whole.unreached.is_none());
        assert!(whole.spent > cut.spent);
        let named = OrderChoice::Named(OrderName::FILE);
        let budget = Budget::unlimited();
        let named = arrange(&system, &named, Deadlock::Stutter, 1, &budget).unwrap();
        assert!(named.reached.is_none() && named.unreached.is_none() && named.spent == 0);
    }

    #[test]
    fn a_limit_around_the_tries_holds() {
        let system = generate(Family::Kanban, 100).unwrap();
        for limit in [0, 5_000, 30_000, 60_000] {
            let outer = Budget::unlimited().with_work(limit);
            let found = found(&system, &OrderChoice::Auto, &outer);
            assert_eq!(found.err(), Some(Stop::Work(limit)));
            assert!(outer.work_spent() <= limit + 5_000);
        }
    }

    #[test]
    fn a_memory_limit_stops_the_search() {
        let system = generate(Family::Philosophers, 1000).unwrap();
        let budget = Budget::bytes(1 << 20);
        let found = found(&system, &OrderChoice::Auto, &budget);
        assert_eq!(found.err(), Some(Stop::Memory));
    }
}
