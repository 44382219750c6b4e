//! Engines on sets, on the fly: the order race and the engine alternate with growing budgets.
//!
//! The reachable states are not needed, and usually cost more than the verdict. Engines on sets
//! need an order of the variables, and little is known about orders before states are explored. So
//! the race of orders and the engine alternate, in counted work:
//!
//! ```text
//! the engine near the initial states, under the order with the best score
//! race the orders with work w; all states found?  yes: the engine uses them, and ends
//!                                                 no:  engine under the favourite, work ENGINE · w
//! undecided                                       w := GROWTH · w, and again
//! ```
//!
//! A race with more work may have another favourite; if it has the same one, the engine continues
//! in the same space, whose cache is still valid. With a growth factor of 8 the repeated work is a
//! small part of the whole. The relations of programs are learned from the states that the engine
//! visits.

use crate::cache::{ReachableStates, SpaceCache, SpaceKey, StartingPoint};
use lariat_budget::{Abort, Budget, PendingPermit, Quiet, RunContext, Statistic, Stop};
use lariat_engines::sets::SetProcedure;
use lariat_engines::{Claims, Found, Task, sets};
use lariat_model::{Predicate, System};
use lariat_space::symbolic::{OrderChoice, Reached, Set, Symbolic};
use std::num::NonZeroUsize;
use std::thread::{Builder, scope};

/// Work of the search near the initial states before any race. On wide nets a race takes much
/// longer than finding a violation a few steps away.
const NEAR_WORK: u64 = 400_000;

/// The divisor of the remaining work that the search near the initial states may use.
const NEAR_SHARE: u64 = 4;

/// The effort of an order that is chosen by its score, without a race.
const NO_RACE: u64 = 0;

/// Stack size of the thread that searches near the initial states.
const STACK: usize = 64 << 20;

/// Work of the first race, in which small state spaces are explored completely.
const FIRST_RACE: u64 = 50_000;

/// Work of the engine per unit of work of the race.
const ENGINE: u64 = 4;

/// Growth factor of both budgets.
const GROWTH: u64 = 8;

/// A procedure on sets with the system and the order.
#[derive(Clone, Copy)]
pub(crate) struct OnSets<'a, 's> {
    pub procedure: SetProcedure,
    pub system: &'s System,
    pub order: &'a OrderChoice,
}

impl OnSets<'_, '_> {
    fn key(&self, task: &Task<'_>) -> SpaceKey {
        SpaceKey::new(self.order, task.problem.deadlock)
    }
}

/// Decides a task with a procedure on sets.
pub(crate) fn on_sets<'s>(
    how: OnSets<'_, 's>,
    task: &mut Task<'_>,
    cache: &mut SpaceCache<'s>,
) -> Found {
    let OnSets {
        procedure, system, ..
    } = how;
    let key = how.key(task);
    let ctx = RunContext::new(task.budget, task.observer);
    if task.variant.reachable_first {
        let states = cache.states(system, &key, ctx)?;
        return among_reachable(states, procedure, task);
    }
    let starts_near =
        is_raced(how.order) && !task.variant.published && cache.effort(system, &key) == 0;
    if !starts_near {
        return alternate(how, task, cache);
    }
    match cache.starting_point(system, &key, NO_RACE, ctx)? {
        StartingPoint::States(states) => among_reachable(states, procedure, task),
        StartingPoint::Order { space, name } => {
            task.account.order = Some(name.to_owned());
            if ctx.budget.threads() > NonZeroUsize::MIN && !space.learns() {
                let space = space.anew()?;
                return near_in_background(space, how, task, cache);
            }
            let found = sets::near(procedure, task, space, near_work(ctx.budget));
            check_claims(space, task);
            match found {
                Ok(None) => alternate(how, task, cache),
                Ok(Some(found)) => Ok(found),
                Err(stop) => {
                    cache.drop_sets(system);
                    Err(stop)
                }
            }
        }
    }
}

/// Returns whether orders are raced.
pub(crate) fn is_raced(order: &OrderChoice) -> bool {
    matches!(order, OrderChoice::Auto | OrderChoice::Scheduled(_))
}

fn near_work(budget: &Budget) -> u64 {
    let left = budget.work_left().unwrap_or(u64::MAX);
    NEAR_WORK.min(left / NEAR_SHARE)
}

/// Searches near the initial states in a background thread, in `space`, while this thread races
/// orders and runs the engine. A run found by the background thread is the result, as with one
/// thread, and this function returns only after that thread has ended: the result does not depend
/// on timing. Afterwards the thread slot is available to builder threads.
fn near_in_background<'s>(
    mut space: Symbolic<'s>,
    how: OnSets<'_, 's>,
    task: &mut Task<'_>,
    cache: &mut SpaceCache<'s>,
) -> Found {
    let (decided, late) = (Abort::default(), PendingPermit::default());
    let alone = task.budget.clone().with_threads(NonZeroUsize::MIN);
    let rest = task
        .budget
        .clone()
        .with_abort(&decided)
        .with_pending_permit(&late);
    let mut account = task.account.clone();
    let mut near = Task {
        budget: &alone,
        observer: &Quiet,
        account: &mut account,
        ..*task
    };
    let (near, found) = scope(|scope| {
        let search = || {
            let _release = ReleaseOnDrop(&late);
            let work = near_work(&alone);
            let found = sets::near(how.procedure, &mut near, &mut space, work);
            if let Ok(Some(_)) = found {
                decided.because(Stop::Interrupted);
            }
            found
        };
        let thread = Builder::new().name("near".to_owned()).stack_size(STACK);
        let searching = thread.spawn_scoped(scope, search).ok();
        if searching.is_none() {
            // Without a background thread the result is still correct.
            late.release();
        }
        let found = alternate(how, &mut task.under(&rest), cache);
        let panicked = || Stop::Internal("the search near the initial states panicked".to_owned());
        let near = searching.map_or(Ok(None), |thread| {
            thread.join().unwrap_or_else(|_| Err(panicked()))
        });
        (near, found)
    });
    let found = match (near, found) {
        (Ok(Some(near)), found) => {
            if found.is_err() {
                cache.drop_sets(how.system);
            }
            *task.account = account;
            Ok(near)
        }
        (Err(stop @ Stop::Internal(_)), _) => Err(stop),
        // The background thread's limits are those of this thread, or do not concern it.
        (Ok(None) | Err(_), found) => found,
    };
    let threads = task.budget.threads().get();
    task.account.stats.set(Statistic::THREADS, threads);
    found
}

/// Makes a pending thread slot available when the thread that occupies it ends, also by a panic.
struct ReleaseOnDrop<'a>(&'a PendingPermit);

impl Drop for ReleaseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Alternates between the race of orders and the engine.
fn alternate<'s>(how: OnSets<'_, 's>, task: &mut Task<'_>, cache: &mut SpaceCache<'s>) -> Found {
    let OnSets {
        procedure, system, ..
    } = how;
    let key = how.key(task);
    let ctx = RunContext::new(task.budget, task.observer);
    let mut race = cache.effort(system, &key).max(FIRST_RACE);
    loop {
        let found = match cache.starting_point(system, &key, race, ctx)? {
            StartingPoint::States(states) => return among_reachable(states, procedure, task),
            StartingPoint::Order { space, name } => {
                task.account.order = Some(name.to_owned());
                let work = if is_raced(how.order) {
                    race.saturating_mul(ENGINE)
                } else {
                    u64::MAX
                };
                let limited = ctx.budget.clone().with_work(work);
                let found = sets::on_the_fly(procedure, &mut task.under(&limited), space);
                check_claims(space, task);
                found
            }
        };
        // Only this turn's limit is followed by another turn, not one around it.
        let turn_is_over = matches!(found, Err(Stop::Work(_))) && ctx.budget.spend(0).is_ok();
        if !turn_is_over {
            if found.is_err() {
                cache.drop_sets(system);
            }
            return found;
        }
        race = race.saturating_mul(GROWTH);
    }
}

/// Decides a task within the reachable states.
fn among_reachable(
    states: &mut ReachableStates<'_>,
    procedure: SetProcedure,
    task: &mut Task<'_>,
) -> Found {
    task.account.overflow = states.overflow;
    let reached = &mut states.reached;
    task.account.claims = {
        let Reached { space, states, .. } = reached;
        let claims = claims(space, states, task.problem.claims, Coverage::All);
        claims.ok().flatten()
    };
    sets::decide(procedure, task, reached)
}

/// Checks the claims of a program in the states that an engine has visited. Running out of the
/// budget does not affect the engine's answer. Also used for `hyb` (`learning.rs`).
pub(crate) fn check_claims(space: &mut Symbolic<'_>, task: &mut Task<'_>) {
    if !space.learns() {
        return;
    }
    space.set_budget(task.budget);
    let states = space.learned().clone();
    if let Ok(overflow) = space.overflow(&states) {
        task.account.overflow = overflow;
    }
    let checked = coverage(space, &states)
        .and_then(|coverage| claims(space, &states, task.problem.claims, coverage));
    if let Ok(claims) = checked {
        task.account.claims = claims;
    }
}

/// Which of the reachable states an engine has visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coverage {
    All,
    Some,
}

/// Returns whether `states` are all reachable states.
fn coverage(space: &mut Symbolic<'_>, states: &Set) -> Result<Coverage, Stop> {
    let all = space.all();
    let successors = space.image(states, &all)?;
    let initial = space.initial()?;
    let required = space.store().union(&initial, &successors)?;
    Ok(if space.store().is_subset(&required, states)? {
        Coverage::All
    } else {
        Coverage::Some
    })
}

/// Returns which claims fail in some of `states`.
fn claims(
    space: &mut Symbolic<'_>,
    states: &Set,
    claims: &[Predicate],
    coverage: Coverage,
) -> Result<Option<Claims>, Stop> {
    let mut failed = Vec::with_capacity(claims.len());
    for claim in claims {
        let fine = space.select(states, claim)?;
        failed.push(fine != *states);
    }
    let states = match coverage {
        Coverage::All => None,
        Coverage::Some => {
            let states = space.census(states, false)?.states;
            Some(u64::try_from(states).unwrap_or(u64::MAX))
        }
    };
    Ok((!claims.is_empty()).then_some(Claims {
        failed,
        states,
        complete: coverage == Coverage::All,
    }))
}
