//! The figures of a whole state space, counted explicitly or on decision diagrams.

use std::num::NonZeroUsize;

use crate::on_sets::is_tried;
use lariat_budget::{Budget, Observer, Statistic, Stats, Stop};
use lariat_engines::Workers;
use lariat_formats::Model;
use lariat_model::{Deadlock, Predicate, System, VarId};
use lariat_reductions::symmetry::detect;
use lariat_space::explicit::{self, Explicit};
use lariat_space::symbolic::{OrderChoice, Pumping, Reach, Reached, UBig, reach};

/// What the state space is counted with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Single states and diagrams in turns, with ever more work.
    #[default]
    Auto,
    /// Single states, packed.
    Explicit,
    /// Sets of states in decision diagrams, by saturation.
    Symbolic,
}

impl Counting {
    /// All of them.
    pub const ALL: [Counting; 3] = [Counting::Auto, Counting::Explicit, Counting::Symbolic];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Counting::Auto => "auto",
            Counting::Explicit => "explicit",
            Counting::Symbolic => "symbolic",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Counting::Auto => "single states and diagrams in turns, with ever more work",
            Counting::Explicit => "single states, packed",
            Counting::Symbolic => "sets of states in decision diagrams, by saturation",
        }
    }
}

/// How `auto` shares the work. Whoever comes to the end of it in a turn has counted: nobody knows before which nets are small as a list and
/// large as a diagram, and some are a hundred times slower one way than the other.
#[derive(Clone, Copy)]
struct Turns {
    /// States that are counted one by one before diagrams are tried.
    first: u64,
    /// Nodes of diagrams for each state of the turn before; as in [`AskSchedule::sets`](crate::ask::AskSchedule::sets).
    nodes: u64,
    /// How much more work there is in a turn than in the one before. Each begins anew: all before it together cost a seventh of the last.
    growth: u64,
}

const TURNS: Turns = Turns {
    first: 50_000,
    nodes: 7,
    growth: 8,
};

/// What was counted. A figure is `None` where it is not known.
#[derive(Clone, Debug, Default)]
pub struct StateSpace {
    /// Different states.
    pub states: Option<UBig>,
    /// Different states modulo symmetries, if they were counted so.
    pub orbits: Option<u64>,
    /// Pairs of a state and a step from it; stuttering is none.
    pub edges: Option<UBig>,
    /// States without a step.
    pub deadlocks: Option<UBig>,
    /// The largest number of tokens in one place.
    pub max_tokens_in_place: Option<u64>,
    /// The largest number of tokens in all places together.
    pub max_tokens: Option<u128>,
    /// Is the number of states finite?
    pub bounded: Option<bool>,
    /// If not: this can be repeated for ever.
    pub pumping: Option<Pumping>,
    /// Why the counting ended early.
    pub stop: Option<Stop>,
    /// For each claim, the number of states found in which it does not hold.
    pub failed: Vec<UBig>,
    /// A variable that is assigned a value beyond its range, which wraps around.
    pub overflow: Option<VarId>,
    /// `explicit` or `symbolic`.
    pub engine: &'static str,
    /// The order of the variables in the diagrams.
    pub order: Option<String>,
    /// What else was counted, also of an unfinished state space.
    pub stats: Stats,
    /// What each worker has counted, where several divide the states.
    pub workers: Vec<Stats>,
}

/// Counts the state space of `system`.
pub fn states(
    system: &System,
    counting: Counting,
    order: &OrderChoice,
    budget: &Budget,
    observer: &dyn Observer,
) -> StateSpace {
    states_and_claims(system, &[], counting, order, budget, observer)
}

/// Counts the state space of `system`, and the states in which `claims` do not hold.
pub fn states_and_claims(
    system: &System,
    claims: &[Predicate],
    counting: Counting,
    order: &OrderChoice,
    budget: &Budget,
    observer: &dyn Observer,
) -> StateSpace {
    let one = Workers::ONE;
    states_together(system, claims, counting, order, one, budget, observer)
}

/// The same; single states are explored by so many workers together. What is counted does not depend on their number.
pub fn states_together(
    system: &System,
    claims: &[Predicate],
    counting: Counting,
    order: &OrderChoice,
    workers: Workers,
    budget: &Budget,
    observer: &dyn Observer,
) -> StateSpace {
    let explicit = |budget: &Budget| explicit(system, claims, workers, budget, observer);
    let symbolic = |budget: &Budget| symbolic(system, claims, order, budget, observer);
    match counting {
        Counting::Explicit => explicit(budget),
        Counting::Symbolic => symbolic(budget),
        // Programs are quick to run, and some are slow to learn as relations.
        Counting::Auto if !system.is_net() => {
            let all = explicit(budget);
            let full = matches!(all.stop, Some(Stop::Memory));
            if full { symbolic(budget) } else { all }
        }
        Counting::Auto => in_turns(TURNS, budget, &explicit, &symbolic),
    }
}

/// Lists and diagrams in turns. Whoever cannot go on leaves the rest to the other.
fn in_turns(
    turns: Turns,
    budget: &Budget,
    explicit: &dyn Fn(&Budget) -> StateSpace,
    symbolic: &dyn Fn(&Budget) -> StateSpace,
) -> StateSpace {
    let mut work = turns.first;
    loop {
        let listed = explicit(&budget.clone().with_work(work));
        match listed.stop {
            Some(Stop::Work(_)) => {}
            Some(Stop::Memory) => return symbolic(budget),
            _ => return listed,
        }
        let nodes = work.saturating_mul(turns.nodes);
        let sets = symbolic(&budget.clone().with_work(nodes));
        match sets.stop {
            Some(Stop::Work(_)) => {}
            Some(Stop::Memory | Stop::Unsupported(_) | Stop::Bound(_)) => return explicit(budget),
            _ => return sets,
        }
        // A limit around all of it ends the turns.
        if work == u64::MAX || budget.spend(0).is_err() {
            return sets;
        }
        work = work.saturating_mul(turns.growth);
    }
}

/// Counts the state space of a net modulo its symmetries; `None` if none are found.
///
/// States, and deadlocks among them, are known if the symmetries keep the initial marking and no orbit can have been counted twice.
pub fn orbits(
    model: &Model,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Option<StateSpace>, Stop> {
    let symmetry = detect(&model.system, model.coloured.as_deref(), budget)?;
    if symmetry.is_trivial() {
        return Ok(None);
    }
    let space = Explicit::new(&model.system, Deadlock::Stutter);
    let count = explicit::orbits(&space, &symmetry, budget, observer);
    let mut stats = Stats::default();
    stats.set(Statistic::SYMMETRIES, symmetry.magnitude());
    stats.set(Statistic::STATES_SEEN, count.orbits);
    stats.set(Statistic::EDGES_SEEN, count.edges);
    stats.set(Statistic::BYTES_PEAK, count.bytes);
    let complete = count.stop.is_none();
    let states = count.states.filter(|_| complete);
    Ok(Some(StateSpace {
        states: states.map(|(all, _)| all.into()),
        orbits: complete.then_some(count.orbits),
        deadlocks: match states {
            Some((_, dead)) => Some(dead.into()),
            None => (complete && count.dead == 0).then_some(UBig::ZERO),
        },
        max_tokens_in_place: complete.then_some(count.max_tokens_in_place),
        max_tokens: complete.then_some(count.max_tokens),
        bounded: complete.then_some(true),
        stop: count.stop,
        engine: "explicit modulo symmetries",
        stats,
        ..StateSpace::default()
    }))
}

fn explicit(
    system: &System,
    claims: &[Predicate],
    workers: Workers,
    budget: &Budget,
    observer: &dyn Observer,
) -> StateSpace {
    let space = Explicit::new(system, Deadlock::Stutter);
    let several = workers.count();
    let count = explicit::count_together(&space, claims, several, budget, observer);
    let mut stats = Stats::default();
    if workers != Workers::ONE {
        stats.set(Statistic::WORKERS, several.get());
    }
    stats.set(Statistic::STATES_SEEN, count.states);
    stats.set(Statistic::EDGES_SEEN, count.edges);
    stats.set(Statistic::PACKED_BITS, count.packed_bits);
    let each = count.bytes as f64 / count.states.max(1) as f64;
    stats.set(Statistic::BYTES_PER_STATE, each);
    stats.set(Statistic::BYTES_PEAK, count.bytes);
    let complete = count.stop.is_none();
    StateSpace {
        orbits: None,
        states: complete.then(|| count.states.into()),
        edges: complete.then(|| count.edges.into()),
        deadlocks: complete.then(|| count.deadlocks.into()),
        max_tokens_in_place: complete.then_some(count.max_tokens_in_place),
        max_tokens: complete.then_some(count.max_tokens),
        bounded: complete.then_some(true),
        pumping: None,
        failed: count.failed.into_iter().map(UBig::from).collect(),
        overflow: count.overflow,
        stop: count.stop,
        engine: Counting::Explicit.name(),
        order: None,
        stats,
        workers: Vec::new(),
    }
}

fn symbolic(
    system: &System,
    claims: &[Predicate],
    order: &OrderChoice,
    budget: &Budget,
    observer: &dyn Observer,
) -> StateSpace {
    let mut found = StateSpace {
        engine: Counting::Symbolic.name(),
        ..StateSpace::default()
    };
    let start = budget.elapsed();
    let counted = budget.clone().with_work(u64::MAX);
    let reached = reach(system, order, Deadlock::Stutter, &counted, observer);
    let seconds = (budget.elapsed() - start).as_secs_f64();
    found.stats.set(Statistic::REACH_SECONDS, seconds);
    if budget.threads() > NonZeroUsize::MIN && is_tried(order) {
        // One thread saturates, the other searches for a better order.
        found.stats.set(Statistic::THREADS, 2_usize);
    }
    found.stats.set(Statistic::REACH_WORK, counted.work_spent());
    match reached {
        Ok(Reach::All(mut reached)) => {
            found.bounded = Some(true);
            found.order = Some(reached.order.clone());
            found.stop = figures(&mut reached, claims, &mut found).err();
        }
        Ok(Reach::Unbounded(proof)) => {
            found.bounded = Some(false);
            found.pumping = Some(proof);
        }
        Err(stop) => found.stop = Some(stop),
    }
    found.stats.set(Statistic::BYTES_PEAK, budget.bytes_peak());
    found
}

fn figures(
    reached: &mut Reached<'_>,
    claims: &[Predicate],
    found: &mut StateSpace,
) -> Result<(), Stop> {
    let set = reached.states.clone();
    let store = reached.space.store_figures();
    let census = reached.space.census(&set, true)?;
    found.stats.set(Statistic::NODES_FINAL, census.nodes);
    found.stats.set(Statistic::NODES_PEAK, store.peak);
    found.stats.set(Statistic::NODES_CREATED, store.created);
    found.stats.set(Statistic::CACHE_LOOKUPS, store.lookups);
    found.stats.set(Statistic::CACHE_HITS, store.hits);
    found.stats.set(Statistic::COLLECTIONS, store.collections);
    found
        .stats
        .set(Statistic::ORDERS_TRIED, reached.trail.len());
    found.states = Some(census.states);
    found.edges = census.edges;
    found.max_tokens_in_place = Some(census.max_tokens_in_place);
    found.max_tokens = Some(census.max_tokens);
    let dead = reached.space.dead(&set)?;
    found.deadlocks = Some(reached.space.census(&dead, false)?.states);
    found.overflow = reached.space.overflow(&set)?;
    for claim in claims {
        let fine = reached.space.select(&set, claim)?;
        let failed = reached.space.store().difference(&set, &fine)?;
        let failed = reached.space.census(&failed, false)?.states;
        found.failed.push(failed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_budget::Quiet;
    use lariat_model::generate::{Family, generate};

    /// Many turns count what one does, whoever comes to the end first.
    #[test]
    fn turns_begin_anew() {
        let system = generate(Family::Philosophers, 6).unwrap();
        let (budget, order) = (Budget::bytes(64 << 20), OrderChoice::default());
        let one_by_one = |budget: &Budget| explicit(&system, &[], Workers::ONE, budget, &Quiet);
        let as_sets = |budget: &Budget| symbolic(&system, &[], &order, budget, &Quiet);
        let stuck = |stop: Stop| {
            move |_: &Budget| StateSpace {
                stop: Some(stop.clone()),
                ..StateSpace::default()
            }
        };
        let turns = Turns {
            first: 3,
            nodes: 2,
            growth: 2,
        };
        let all = one_by_one(&budget);
        let counted = |found: &StateSpace| (found.states.clone(), found.edges.clone());
        let both = in_turns(turns, &budget, &one_by_one, &as_sets);
        assert_eq!(counted(&both), counted(&all));
        for stop in [Stop::Work(1), Stop::Memory] {
            let sets = in_turns(turns, &budget, &stuck(stop), &as_sets);
            assert_eq!((counted(&sets), sets.engine), (counted(&all), "symbolic"));
        }
        for stop in [Stop::Work(1), Stop::Memory, Stop::Bound("so".to_owned())] {
            let list = in_turns(turns, &budget, &one_by_one, &stuck(stop));
            assert_eq!((counted(&list), list.engine), (counted(&all), "explicit"));
        }
    }

    /// Work that is limited as a whole ends all turns.
    #[test]
    fn a_limit_ends_all_turns() {
        let system = generate(Family::Philosophers, 12).unwrap();
        let budget = Budget::bytes(64 << 20).with_work(5000);
        let found = states(
            &system,
            Counting::Auto,
            &OrderChoice::default(),
            &budget,
            &Quiet,
        );
        assert!(
            matches!(found.stop, Some(Stop::Work(_))),
            "{:?}",
            found.stop
        );
    }
}
