//! Statistics of a whole state space, counted explicitly or on decision diagrams.

use crate::on_sets::is_raced;
use lariat_budget::{Budget, RunContext, Statistic, Stats, Stop};
use lariat_engines::Workers;
use lariat_formats::LoadedModel;
use lariat_model::{Deadlock, Predicate, System, VarId};
use lariat_reductions::symmetry::detect;
use lariat_space::explicit::{self, Explicit};
use lariat_space::symbolic::{OrderChoice, Pumping, ReachResult, Reached, UBig, reach};
use std::num::NonZeroUsize;

/// The method by which a state space is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CountingMethod {
    /// Single states and diagrams in turns, with growing budgets.
    #[default]
    Auto,
    /// Single states, packed.
    Explicit,
    /// Sets of states in decision diagrams, by saturation.
    Symbolic,
}

impl CountingMethod {
    /// All methods.
    pub const ALL: [CountingMethod; 3] = [
        CountingMethod::Auto,
        CountingMethod::Explicit,
        CountingMethod::Symbolic,
    ];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CountingMethod::Auto => "auto",
            CountingMethod::Explicit => "explicit",
            CountingMethod::Symbolic => "symbolic",
        }
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        match self {
            CountingMethod::Auto => "single states and diagrams in turns, with growing budgets",
            CountingMethod::Explicit => "single states, packed",
            CountingMethod::Symbolic => "sets of states in decision diagrams, by saturation",
        }
    }
}

/// How `auto` divides the work. Which nets are small as a list of states and which as a diagram is
/// not known in advance, so both methods run in turns.
#[derive(Clone, Copy)]
struct CountingTurns {
    /// Single states counted before diagrams are tried.
    first: u64,
    /// Diagram nodes per single state of the turn before.
    nodes: u64,
    /// Growth factor of the work per turn. Each turn starts again: all turns before it cost a small
    /// part of the last.
    growth: u64,
}

const TURNS: CountingTurns = CountingTurns {
    first: 50_000,
    nodes: 7,
    growth: 8,
};

/// The figures of a state space. A figure is `None` where it is not known.
///
/// ```
/// # let text = b"process Light { state red, green; init red;
/// #              trans red -> green {}, green -> red {}; }
/// #              system async;";
/// # let model = lariat::Model::parse("light.dve", text)?;
/// use lariat::{Checker, StateSpace};
///
/// let space: StateSpace = Checker::new(&model).count_states();
/// assert_eq!(space.states.map(|n| n.to_string()), Some("2".to_owned()));
/// assert_eq!(space.bounded, Some(true));
/// # Ok::<(), lariat::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StateSpace {
    /// The number of states.
    pub states: Option<UBig>,
    /// The number of states modulo symmetries, if counted so.
    pub orbits: Option<u64>,
    /// Pairs of a state and an event enabled in it.
    pub edges: Option<UBig>,
    /// States in which no event is enabled.
    pub deadlocks: Option<UBig>,
    /// The largest number of tokens in one place.
    pub max_tokens_in_place: Option<u64>,
    /// The largest number of tokens in all places together.
    pub max_tokens: Option<u128>,
    /// Whether the number of states is finite.
    pub bounded: Option<bool>,
    /// For an unbounded net: a sequence that can be repeated indefinitely.
    pub pumping: Option<Pumping>,
    /// Why the counting ended early.
    pub stop: Option<Stop>,
    /// Per claim, the number of states in which it does not hold.
    pub failed: Vec<UBig>,
    /// A variable that is assigned a value beyond its range, which wraps around.
    pub overflow: Option<VarId>,
    /// `explicit` or `symbolic`.
    pub engine: &'static str,
    /// The order of the variables in the diagrams.
    pub order: Option<String>,
    /// Further statistics, also of an incomplete state space.
    pub stats: Stats,
    /// Statistics per worker, where several share the states.
    pub workers: Vec<Stats>,
}

/// How a state space is counted.
#[derive(Clone, Debug, Default)]
pub struct CountOptions {
    /// Single states, sets, or both in turns.
    pub method: CountingMethod,
    /// Predicates; for each, the states in which it does not hold are counted.
    pub claims: Vec<Predicate>,
    /// The order of the variables in decision diagrams.
    pub order: OrderChoice,
    /// Workers that explore single states together; the figures do not depend on their number.
    pub workers: Workers,
}

/// Counts the state space of `system`.
pub fn count_states(system: &System, options: &CountOptions, ctx: RunContext<'_>) -> StateSpace {
    let explicit = |budget: &Budget| explicit(system, options, ctx.with_budget(budget));
    let symbolic = |budget: &Budget| symbolic(system, options, ctx.with_budget(budget));
    let budget = ctx.budget;
    match options.method {
        CountingMethod::Explicit => explicit(budget),
        CountingMethod::Symbolic => symbolic(budget),
        // Programs are fast to execute, and the relations of some are slow to learn.
        CountingMethod::Auto if !system.is_net() => {
            let all = explicit(budget);
            let out_of_memory = matches!(all.stop, Some(Stop::Memory));
            if out_of_memory { symbolic(budget) } else { all }
        }
        CountingMethod::Auto => in_turns(TURNS, budget, &explicit, &symbolic),
    }
}

/// Alternates single states and diagrams. If one method cannot continue, the other gets the rest.
fn in_turns(
    turns: CountingTurns,
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
        // An exhausted outer limit ends all turns.
        if work == u64::MAX || budget.spend(0).is_err() {
            return sets;
        }
        work = work.saturating_mul(turns.growth);
    }
}

/// Counts the state space of a net modulo its symmetries; `None` if none are found.
///
/// The numbers of states and deadlocks are known if the symmetries preserve the initial marking and
/// no orbit can have been counted twice.
pub fn orbits(model: &LoadedModel, ctx: RunContext<'_>) -> Result<Option<StateSpace>, Stop> {
    let budget = ctx.budget;
    let symmetry = detect(&model.system, model.coloured.as_deref(), budget)?;
    if symmetry.is_trivial() {
        return Ok(None);
    }
    let space = Explicit::new(&model.system, Deadlock::Stutter);
    let count = explicit::orbits(&space, &symmetry, ctx);
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

fn explicit(system: &System, options: &CountOptions, ctx: RunContext<'_>) -> StateSpace {
    let space = Explicit::new(system, Deadlock::Stutter);
    let workers = options.workers;
    let several = workers.count();
    let count = explicit::count_together(&space, &options.claims, several, ctx);
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
        states: complete.then(|| count.states.into()),
        edges: complete.then(|| count.edges.into()),
        deadlocks: complete.then(|| count.deadlocks.into()),
        max_tokens_in_place: complete.then_some(count.max_tokens_in_place),
        max_tokens: complete.then_some(count.max_tokens),
        bounded: complete.then_some(true),
        failed: count.failed.into_iter().map(UBig::from).collect(),
        overflow: count.overflow,
        stop: count.stop,
        engine: CountingMethod::Explicit.name(),
        stats,
        ..StateSpace::default()
    }
}

fn symbolic(system: &System, options: &CountOptions, ctx: RunContext<'_>) -> StateSpace {
    let budget = ctx.budget;
    let mut found = StateSpace {
        engine: CountingMethod::Symbolic.name(),
        ..StateSpace::default()
    };
    let start = budget.elapsed();
    let counted = budget.clone().with_work(u64::MAX);
    let counting = ctx.with_budget(&counted);
    let reached = reach(system, &options.order, Deadlock::Stutter, counting);
    let seconds = (budget.elapsed() - start).as_secs_f64();
    found.stats.set(Statistic::REACH_SECONDS, seconds);
    if budget.threads() > NonZeroUsize::MIN && is_raced(&options.order) {
        // One thread saturates, the other searches for a better order.
        found.stats.set(Statistic::THREADS, 2_usize);
    }
    found.stats.set(Statistic::REACH_WORK, counted.work_spent());
    match reached {
        Ok(ReachResult::All(mut reached)) => {
            found.bounded = Some(true);
            found.order = Some(reached.order.clone());
            found.stop = figures(&mut reached, &options.claims, &mut found).err();
        }
        Ok(ReachResult::Unbounded(proof)) => {
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
    let tried = reached.trail.len();
    found.stats.set(Statistic::ORDERS_TRIED, tried);
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
    use lariat_model::generate::{Family, generate};

    /// The figures do not depend on the number of turns or on the method that ends first.
    #[test]
    fn counting_in_turns_yields_the_figures_of_one_search() {
        let system = generate(Family::Philosophers, 6).unwrap();
        let (budget, options) = (Budget::bytes(64 << 20), CountOptions::default());
        let single = |budget: &Budget| explicit(&system, &options, RunContext::quiet(budget));
        let sets_of = |budget: &Budget| symbolic(&system, &options, RunContext::quiet(budget));
        let stuck = |stop: Stop| {
            move |_: &Budget| StateSpace {
                stop: Some(stop.clone()),
                ..StateSpace::default()
            }
        };
        let turns = CountingTurns {
            first: 3,
            nodes: 2,
            growth: 2,
        };
        let all = single(&budget);
        let counted = |found: &StateSpace| (found.states.clone(), found.edges.clone());
        let both = in_turns(turns, &budget, &single, &sets_of);
        assert_eq!(counted(&both), counted(&all));
        for stop in [Stop::Work(1), Stop::Memory] {
            let sets = in_turns(turns, &budget, &stuck(stop), &sets_of);
            assert_eq!((counted(&sets), sets.engine), (counted(&all), "symbolic"));
        }
        for stop in [Stop::Work(1), Stop::Memory, Stop::Bound("so".to_owned())] {
            let list = in_turns(turns, &budget, &single, &stuck(stop));
            assert_eq!((counted(&list), list.engine), (counted(&all), "explicit"));
        }
    }

    /// An outer work limit ends all turns.
    #[test]
    fn a_limit_ends_all_turns() {
        let system = generate(Family::Philosophers, 12).unwrap();
        let budget = Budget::bytes(64 << 20).with_work(5000);
        let options = CountOptions::default();
        let stop = count_states(&system, &options, RunContext::quiet(&budget)).stop;
        assert!(matches!(stop, Some(Stop::Work(_))), "{stop:?}");
    }
}
