//! Per-model cache of variable orders, reachable states, structural facts and symmetries.
//!
//! Finding an order and saturating usually cost more than deciding one property afterwards. The
//! cache keeps the results for each system separately: passes make several systems of one model. It
//! runs no engine and makes no choice; a failed attempt is stored with the budget it had, and is
//! repeated only with more.
//!
//! A diagram store belongs to one thread, so each thread that decides properties has a cache of its
//! own. Results that need no diagrams are shared by all of them ([`SharedAnalyses`]).

use crate::subject::Subject;
use lariat_budget::{Budget, Progress, RunContext, Stop};
use lariat_model::{Deadlock, System, VarId};
use lariat_parallel::{OnceMap, Outside};
use lariat_reductions::Systems;
use lariat_reductions::symmetry::{Symmetry, detect};
use lariat_space::symbolic::{
    OrderChoice, ReachResult, Reached, Symbolic, Unreached, arrange, reach,
};
use lariat_structural::{Answers, Facts};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// Cached analyses of the systems of one model, for one thread.
pub struct SpaceCache<'s> {
    systems: &'s Systems,
    entries: Vec<CacheEntry<'s>>,
    shared: SharedAnalyses<'s>,
}

/// Analyses shared by the threads that check one model; clones share one table. Each result is
/// computed once, within a limit of counted work; other threads that request it wait for it.
#[derive(Clone, Default)]
pub struct SharedAnalyses<'s> {
    symmetries: OnceMap<SystemId<'s>, Arc<Symmetry<'s>>>,
    answers: OnceMap<SystemId<'s>, Answers>,
}

/// A system by identity, not by equality.
#[derive(Clone, Copy)]
struct SystemId<'s>(&'s System);

impl PartialEq for SystemId<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for SystemId<'_> {}

impl Hash for SystemId<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

/// Cached results for one system.
struct CacheEntry<'s> {
    system: &'s System,
    facts: Option<Facts>,
    states: Option<ReachAttempt<'s>>,
    order: Option<CachedOrder<'s>>,
}

/// The reachable states, or why they were not found.
struct ReachAttempt<'s> {
    key: SpaceKey,
    found: Result<ReachableStates<'s>, Stop>,
    /// The budget that the attempt had.
    given: BudgetLeft,
}

/// A symbolic space under an order, for engines that do not need the reachable states.
struct CachedOrder<'s> {
    key: SpaceKey,
    space: Symbolic<'s>,
    name: String,
    /// The work that finding the order was allowed.
    effort: u64,
}

/// The parameters of a symbolic space.
#[derive(Clone, PartialEq, Debug)]
pub struct SpaceKey {
    /// How the order of the variables is chosen.
    pub order: OrderChoice,
    /// The deadlock policy.
    pub deadlock: Deadlock,
}

impl SpaceKey {
    /// Combines an order with a deadlock policy.
    pub fn new(order: &OrderChoice, deadlock: Deadlock) -> SpaceKey {
        SpaceKey {
            order: order.clone(),
            deadlock,
        }
    }
}

/// The reachable states of a system.
pub struct ReachableStates<'s> {
    /// The states, and the space that contains them.
    pub reached: Reached<'s>,
    /// A variable to which some step assigns a value beyond its range.
    pub overflow: Option<VarId>,
}

/// A system under an order.
pub struct OrderedSystem<'e, 's> {
    /// The space. The steps of programs have been learned.
    pub space: &'e Symbolic<'s>,
    /// The name of the order.
    pub name: &'e str,
    /// A variable to which some step assigns a value beyond its range, as far as known.
    pub overflow: Option<VarId>,
}

/// The input of engines on sets.
pub(crate) enum StartingPoint<'e, 's> {
    /// All reachable states.
    States(&'e mut ReachableStates<'s>),
    /// An order.
    Order {
        /// The system under it.
        space: &'e mut Symbolic<'s>,
        /// The name of the order.
        name: &'e str,
    },
}

/// Remaining time and work, where they are limited.
#[derive(Clone, Copy)]
struct BudgetLeft {
    time: Option<Duration>,
    work: Option<u64>,
}

impl BudgetLeft {
    fn of(budget: &Budget) -> BudgetLeft {
        BudgetLeft {
            time: budget.time_left(),
            work: budget.work_left(),
        }
    }
}

impl ReachAttempt<'_> {
    /// Returns whether a new attempt with the budget `left` would end in the same way. A tenth more
    /// time or work makes no difference.
    fn still_valid(&self, left: BudgetLeft) -> bool {
        let given = self.given;
        match self.found {
            Ok(_) | Err(Stop::Bound(_) | Stop::Memory) => true,
            Err(Stop::Time) => {
                let times = given.time.zip(left.time);
                times.is_some_and(|(given, left)| left <= given + given / 10)
            }
            Err(Stop::Work(_)) => {
                let works = given.work.zip(left.work);
                works.is_some_and(|(given, left)| left <= given.saturating_add(given / 10))
            }
            Err(_) => false,
        }
    }
}

impl<'s> SpaceCache<'s> {
    /// An empty cache; systems made by passes are stored in `systems`.
    pub fn new(systems: &'s Systems) -> SpaceCache<'s> {
        SpaceCache::sharing(systems, SharedAnalyses::default())
    }

    /// An empty cache for one of several threads that share analyses.
    pub fn sharing(systems: &'s Systems, shared: SharedAnalyses<'s>) -> SpaceCache<'s> {
        SpaceCache {
            systems,
            entries: Vec::new(),
            shared,
        }
    }

    /// The store of the systems that passes make.
    pub fn systems(&self) -> &'s Systems {
        self.systems
    }

    /// An empty cache for another thread, which shares the analyses of this one.
    pub(crate) fn for_another_thread(&self) -> SpaceCache<'s> {
        SpaceCache::sharing(self.systems, self.shared.clone())
    }

    fn entry(&mut self, system: &'s System) -> &mut CacheEntry<'s> {
        let same = |entry: &CacheEntry<'s>| std::ptr::eq(entry.system, system);
        let at = self.entries.iter().position(same).unwrap_or_else(|| {
            self.entries.push(CacheEntry {
                system,
                facts: None,
                states: None,
                order: None,
            });
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }

    /// Structural facts about `system`; each is computed when it is first requested.
    pub fn facts(&mut self, system: &'s System) -> &mut Facts {
        let shared = self.shared.answers.clone();
        let facts = &mut self.entry(system).facts;
        facts.get_or_insert_with(|| {
            let fresh = || Ok::<_, Stop>(Answers::default());
            let unlimited = Budget::unlimited();
            let answers = shared.get(Outside::of_thread(&unlimited), &SystemId(system), fresh);
            Facts::of(system).sharing(&answers.unwrap_or_default())
        })
    }

    /// Structural facts about a subject's system, including those that follow from its colours.
    pub fn facts_about(
        &mut self,
        subject: &Subject<'s>,
        budget: &Budget,
    ) -> Result<&mut Facts, Stop> {
        let facts = self.facts(subject.system());
        if let Some(coloured) = subject.coloured() {
            facts.unfolded_from(coloured, subject.system(), budget)?;
        }
        Ok(facts)
    }

    /// The symmetries of a subject's system.
    pub fn symmetry(
        &mut self,
        subject: &Subject<'s>,
        budget: &Budget,
    ) -> Result<Arc<Symmetry<'s>>, Stop> {
        let system = subject.system();
        let find = || detect(system, subject.coloured(), budget).map(Arc::new);
        self.shared
            .symmetries
            .get(Outside::of_thread(budget), &SystemId(system), find)
    }

    /// The reachable states of `system`.
    pub fn states(
        &mut self,
        system: &'s System,
        key: &SpaceKey,
        ctx: RunContext<'_>,
    ) -> Result<&mut ReachableStates<'s>, Stop> {
        let entry = self.entry(system);
        let left = BudgetLeft::of(ctx.budget);
        let serves = |attempt: &ReachAttempt<'_>| attempt.key == *key && attempt.still_valid(left);
        if !entry.states.as_ref().is_some_and(serves) {
            entry.states = None;
            entry.states = Some(ReachAttempt {
                key: key.clone(),
                found: reachable(system, key, ctx),
                given: left,
            });
        } else if let Some(ReachAttempt {
            found: Err(stop), ..
        }) = &entry.states
        {
            ctx.observer.remark(&format!(
                "the reachable states could not be computed before ({stop}); not trying again"
            ));
        }
        match &mut entry.states {
            Some(ReachAttempt { found, .. }) => found.as_mut().map_err(|stop| stop.clone()),
            None => Err(Stop::Internal("cached states are missing".to_owned())),
        }
    }

    /// `system` under an order, without exploring more states than learning its programs and
    /// finding the order takes. At most `effort` units of work go into finding the order; an order
    /// that was found with as much is reused.
    pub fn ordered(
        &mut self,
        system: &'s System,
        key: &SpaceKey,
        effort: u64,
        ctx: RunContext<'_>,
    ) -> Result<OrderedSystem<'_, 's>, Stop> {
        let start = self.starting_point(system, key, effort, ctx)?;
        if let StartingPoint::Order { space, .. } = start
            && space.learns()
        {
            self.entry(system).learn(key, ctx)?;
        }
        let start = self.starting_point(system, key, effort, ctx)?;
        Ok(match start {
            StartingPoint::States(states) => OrderedSystem {
                space: &states.reached.space,
                name: &states.reached.order,
                overflow: states.overflow,
            },
            StartingPoint::Order { space, name } => OrderedSystem {
                space,
                name,
                overflow: None,
            },
        })
    }

    /// The reachable states of `system` if they are known or found while an order is chosen, else
    /// the system under that order.
    pub(crate) fn starting_point(
        &mut self,
        system: &'s System,
        key: &SpaceKey,
        effort: u64,
        ctx: RunContext<'_>,
    ) -> Result<StartingPoint<'_, 's>, Stop> {
        let entry = self.entry(system);
        let serves = |order: &CachedOrder<'_>| order.key == *key && order.effort >= effort;
        if !entry.has_states(key) && !entry.order.as_ref().is_some_and(serves) {
            ctx.observer.progress(Progress::new("ordering", &[]));
            entry.arrange(key, effort, ctx.budget)?;
        }
        if let Some(ReachAttempt {
            key: of,
            found: Ok(states),
            ..
        }) = &mut entry.states
            && of == key
        {
            return Ok(StartingPoint::States(states));
        }
        match &mut entry.order {
            Some(CachedOrder { space, name, .. }) => Ok(StartingPoint::Order { space, name }),
            None => Err(Stop::Internal("the cached order is missing".to_owned())),
        }
    }

    /// The work that was allowed for finding the cached order of `system`; 0 if there is none.
    pub(crate) fn effort(&mut self, system: &'s System, key: &SpaceKey) -> u64 {
        let order = self.entry(system).order.as_ref();
        let order = order.filter(|order| order.key == *key);
        order.map_or(0, |order| order.effort)
    }

    /// Drops the reachable states of `system`.
    pub fn forget(&mut self, system: &'s System) {
        self.entry(system).states = None;
    }

    /// Drops the sets that an engine made under the cached order of `system`; keeps the order.
    pub(crate) fn drop_sets(&mut self, system: &'s System) {
        self.entry(system).drop_sets();
    }

    /// Drops all states to free memory.
    pub fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.states.take_if(|attempt| attempt.found.is_ok());
            entry.drop_sets();
        }
    }
}

impl<'s> CacheEntry<'s> {
    fn drop_sets(&mut self) {
        if let Some(mut order) = self.order.take()
            && let Ok(space) = order.space.anew()
        {
            order.space = space;
            self.order = Some(order);
        }
    }

    fn has_states(&self, key: &SpaceKey) -> bool {
        let states = self.states.as_ref();
        states.is_some_and(|s| s.key == *key && s.found.is_ok())
    }

    /// Explores the system completely under the cached order, which learns all steps of programs.
    fn learn(&mut self, key: &SpaceKey, ctx: RunContext<'_>) -> Result<(), Stop> {
        let Some(CachedOrder { space, .. }) = self.order.take() else {
            return Err(Stop::Internal("no order to learn under".to_owned()));
        };
        let given = BudgetLeft::of(ctx.budget);
        let order = OrderChoice::Given(space.layout().order().clone());
        drop(space);
        let under_order = SpaceKey::new(&order, key.deadlock);
        let states = reachable(self.system, &under_order, ctx)?;
        self.states = Some(ReachAttempt {
            key: key.clone(),
            found: Ok(states),
            given,
        });
        Ok(())
    }

    /// Finds an order, and the reachable states if the search for the order comes to its end.
    fn arrange(&mut self, key: &SpaceKey, effort: u64, budget: &Budget) -> Result<(), Stop> {
        let given = BudgetLeft::of(budget);
        let found = arrange(self.system, &key.order, key.deadlock, effort, budget)?;
        let states = if let Some(reached) = found.reached {
            Ok(with_overflow(*reached)?)
        } else {
            let (order, name) = (found.order, found.name);
            let before = self.order.take().filter(|order| order.key == *key);
            let space = match before {
                // The order is unchanged: results computed in the old space stay usable.
                Some(CachedOrder { space, .. }) if *space.layout().order() == order => space,
                _ => Symbolic::new(self.system, &order, key.deadlock, budget)?,
            };
            self.order = Some(CachedOrder {
                key: key.clone(),
                space,
                name,
                effort,
            });
            match found.unreached {
                Some(Unreached::Unbounded(_)) => Err(infinite()),
                _ => return Ok(()),
            }
        };
        self.states = Some(ReachAttempt {
            key: key.clone(),
            found: states,
            given,
        });
        Ok(())
    }
}

/// Explores a system completely.
fn reachable<'s>(
    system: &'s System,
    key: &SpaceKey,
    ctx: RunContext<'_>,
) -> Result<ReachableStates<'s>, Stop> {
    match reach(system, &key.order, key.deadlock, ctx)? {
        ReachResult::All(reached) => with_overflow(*reached),
        ReachResult::Unbounded(_) => Err(infinite()),
    }
}

fn infinite() -> Stop {
    Stop::Bound("the system has infinitely many states".to_owned())
}

fn with_overflow(mut reached: Reached<'_>) -> Result<ReachableStates<'_>, Stop> {
    let overflow = reached.space.overflow(&reached.states)?;
    Ok(ReachableStates { reached, overflow })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_attempts_are_repeated_only_with_more_budget() {
        let left = |time, work| BudgetLeft { time, work };
        let seconds = |seconds| left(Some(Duration::from_secs(seconds)), None);
        let units = |units| left(None, Some(units));
        let unlimited = left(None, None);
        let valid = |stop: Stop, given, left| {
            let attempt = ReachAttempt {
                key: SpaceKey::new(&OrderChoice::default(), Deadlock::default()),
                found: Err(stop),
                given,
            };
            attempt.still_valid(left)
        };
        assert!(valid(Stop::Time, seconds(10), seconds(3)));
        assert!(valid(Stop::Time, seconds(10), seconds(10)));
        assert!(!valid(Stop::Time, seconds(10), seconds(20)));
        assert!(!valid(Stop::Time, seconds(10), unlimited));
        assert!(valid(Stop::Memory, seconds(10), unlimited));
        let infinite = Stop::Bound("infinite".to_owned());
        assert!(valid(infinite, unlimited, unlimited));
        assert!(!valid(Stop::Interrupted, unlimited, unlimited));
        assert!(valid(Stop::Work(5), units(5), units(5)));
        assert!(!valid(Stop::Work(5), units(5), units(10)));
        assert!(!valid(Stop::Work(5), units(5), unlimited));
    }
}
