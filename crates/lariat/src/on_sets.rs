//! Engines on sets, on the fly: an order from a race that is cut short, and another where the engine drowns.
//!
//! The reachable states need not be known, and usually cost more than the answer. What engines on sets do need is an order of
//! the variables, and little is known of orders before states are explored. So order and engine take turns, in counted work:
//!
//! ```text
//! the engine near the initial states, under the order of the best score
//! race the orders with work w; all states found?   yes: the engine uses them, and ends
//!                                                  no:  the engine under the favourite, with work ENGINE · w
//! still undecided?                                 w := GROWTH · w, and again
//! ```
//!
//! A race with more work may have another favourite; if not, the engine goes on in the same space, where what it computed is remembered. With a growth of 8
//! what is done in vain is a small part of the whole. Programs learn their relations from the states that the engine meets.

use crate::explored::{Explored, Ground, States};
use lariat_budget::{Abort, Budget, Late, Quiet, Statistic, Stop};
use lariat_engines::sets::Procedure;
use lariat_engines::{Claims, Found, Task, sets};
use lariat_model::{Predicate, System};
use lariat_space::symbolic::{OrderChoice, Reached, Set, Symbolic};
use std::num::NonZeroUsize;
use std::thread::{Builder, scope};

/// Work of a look near the initial states before any race, under an order that nobody has tried: a tenth of a second. A race on a wide net takes
/// longer than seeing what is violated within a few steps: on PolyORBNT-PT-S05J30 3 s for a violation one step away, where the look takes 0.4 s and
/// a quarter of it is not enough; on Echo-PT-d03r03, four steps, 1.3 s and 0.15 s.
const FIRST_LOOK: u64 = 400_000;

/// The part of the work there is that it may take.
const LOOK_SHARE: u64 = 4;

/// The work of a race whose favourite nobody has tried.
const UNTRIED: u64 = 0;

/// Stack of a thread that looks: that of a main thread, several times.
const STACK: usize = 64 << 20;

/// Work of the first race: a hundredth of a second, in which small state spaces are found completely.
const FIRST_RACE: u64 = 50_000;

/// Work of the engine for each unit of the race.
const ENGINE: u64 = 4;

/// How much more there is for both in the next turn.
const GROWTH: u64 = 8;

/// Who decides, about which system, and under which order.
#[derive(Clone, Copy)]
pub(crate) struct OnSets<'a, 's> {
    pub procedure: Procedure,
    pub system: &'s System,
    pub order: &'a OrderChoice,
}

/// Decides a task with a procedure on sets.
pub(crate) fn on_sets<'s>(
    how: OnSets<'_, 's>,
    task: &mut Task<'_>,
    explored: &mut Explored<'s>,
) -> Found {
    let OnSets {
        procedure,
        system,
        order,
    } = how;
    let (deadlock, budget, observer) = (task.problem.deadlock, task.budget, task.observer);
    if task.variant.reachable_first {
        let states = explored.states(system, order, deadlock, budget, observer)?;
        return among(states, procedure, task);
    }
    let looks =
        is_tried(order) && !task.variant.published && explored.effort(system, order, deadlock) == 0;
    if !looks {
        return in_turns(how, task, explored);
    }
    match explored.ground(system, order, deadlock, UNTRIED, budget, observer)? {
        Ground::States(states) => among(states, procedure, task),
        Ground::Order { space, name } => {
            task.account.order = Some(name.to_owned());
            if budget.threads() > NonZeroUsize::MIN && !space.learns() {
                let space = space.anew()?;
                return beside_a_look(space, how, task, explored);
            }
            let found = sets::near(procedure, task, space, work_of_look(budget));
            look(space, task);
            match found {
                Ok(None) => in_turns(how, task, explored),
                Ok(Some(found)) => Ok(found),
                Err(stop) => {
                    explored.empty(system);
                    Err(stop)
                }
            }
        }
    }
}

/// Are orders raced?
pub(crate) fn is_tried(order: &OrderChoice) -> bool {
    matches!(order, OrderChoice::Auto | OrderChoice::Scheduled(_))
}

fn work_of_look(budget: &Budget) -> u64 {
    let left = budget.work_left().unwrap_or(u64::MAX);
    FIRST_LOOK.min(left / LOOK_SHARE)
}

/// Looks near the initial states on a thread of its own, in `space`, while orders are raced and the engine begins. What the look finds is the answer, as it is on one
/// thread, and nobody is done before it has ended: so it does not matter who is quicker. When it is over, its thread is a builder's.
fn beside_a_look<'s>(
    mut space: Symbolic<'s>,
    how: OnSets<'_, 's>,
    task: &mut Task<'_>,
    explored: &mut Explored<'s>,
) -> Found {
    let (seen, late) = (Abort::default(), Late::default());
    let alone = task.budget.clone().with_threads(NonZeroUsize::MIN);
    let rest = task.budget.clone().with_abort(&seen).with_late(&late);
    let mut account = task.account.clone();
    let mut near = Task {
        budget: &alone,
        observer: &Quiet,
        account: &mut account,
        ..*task
    };
    let (looked, found) = scope(|scope| {
        let look = || {
            let _free = Free(&late);
            let work = work_of_look(&alone);
            let found = sets::near(how.procedure, &mut near, &mut space, work);
            if let Ok(Some(_)) = found {
                seen.because(Stop::Interrupted);
            }
            found
        };
        let thread = Builder::new().name("look".to_owned()).stack_size(STACK);
        let looking = thread.spawn_scoped(scope, look).ok();
        if looking.is_none() {
            // Where there is no thread to be had, the others do without what it would see.
            late.come();
        }
        let found = in_turns(how, &mut task.under(&rest), explored);
        let lost = || Stop::Internal("a look near the initial states failed".to_owned());
        let looked = looking.map_or(Ok(None), |looking| {
            looking.join().unwrap_or_else(|_| Err(lost()))
        });
        (looked, found)
    });
    let found = match (looked, found) {
        (Ok(Some(near)), found) => {
            if found.is_err() {
                explored.empty(how.system);
            }
            *task.account = account;
            Ok(near)
        }
        (Err(stop @ Stop::Internal(_)), _) => Err(stop),
        // Why it has stopped is why the others have, or nothing to them.
        (Ok(None) | Err(_), found) => found,
    };
    let threads = task.budget.threads().get();
    task.account.stats.set(Statistic::THREADS, threads);
    found
}

/// Lets a thread come when what it was busy with is over, however that ends.
struct Free<'a>(&'a Late);

impl Drop for Free<'_> {
    fn drop(&mut self) {
        self.0.come();
    }
}

/// Orders and the engine in turns.
fn in_turns<'s>(how: OnSets<'_, 's>, task: &mut Task<'_>, explored: &mut Explored<'s>) -> Found {
    let OnSets {
        procedure,
        system,
        order,
    } = how;
    let (deadlock, budget, observer) = (task.problem.deadlock, task.budget, task.observer);
    let known = explored.effort(system, order, deadlock);
    let mut race = known.max(FIRST_RACE);
    loop {
        let found = match explored.ground(system, order, deadlock, race, budget, observer)? {
            Ground::States(states) => return among(states, procedure, task),
            Ground::Order { space, name } => {
                task.account.order = Some(name.to_owned());
                let work = if is_tried(order) {
                    race.saturating_mul(ENGINE)
                } else {
                    u64::MAX
                };
                let limited = budget.clone().with_work(work);
                let found = sets::on_the_fly(procedure, &mut task.under(&limited), space);
                look(space, task);
                found
            }
        };
        // Was it the turn that is over, or a limit around it?
        let over = matches!(found, Err(Stop::Work(_))) && budget.spend(0).is_ok();
        if !over {
            if found.is_err() {
                explored.empty(system);
            }
            return found;
        }
        race = race.saturating_mul(GROWTH);
    }
}

/// Decides a task among all reachable states.
fn among(states: &mut States<'_>, procedure: Procedure, task: &mut Task<'_>) -> Found {
    task.account.overflow = states.overflow;
    let reached = &mut states.reached;
    task.account.claims = {
        let Reached { space, states, .. } = reached;
        let told = claims(space, states, task.problem.claims, Met::All);
        told.ok().flatten()
    };
    sets::decide(procedure, task, reached)
}

/// Looks at what went wrong in the states of a program that an engine has met. That there is nothing left to look with takes nothing from its answer.
/// Called here and for `hyb` (`learning.rs`).
pub(crate) fn look(space: &mut Symbolic<'_>, task: &mut Task<'_>) {
    if !space.learns() {
        return;
    }
    space.set_budget(task.budget);
    let states = space.learned().clone();
    if let Ok(overflow) = space.overflow(&states) {
        task.account.overflow = overflow;
    }
    let told = met(space, &states).and_then(|met| claims(space, &states, task.problem.claims, met));
    if let Ok(claims) = told {
        task.account.claims = claims;
    }
}

/// Are `states` all that can be reached?
fn met(space: &mut Symbolic<'_>, states: &Set) -> Result<Met, Stop> {
    let all = space.all();
    let behind = space.image(states, &all)?;
    let initial = space.initial()?;
    let must_be = space.store().union(&initial, &behind)?;
    Ok(if space.store().is_subset(&must_be, states)? {
        Met::All
    } else {
        Met::Some
    })
}

/// How many of the reachable states an engine has met.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    All,
    Some,
}

/// Which claims fail in one of `states`.
fn claims(
    space: &mut Symbolic<'_>,
    states: &Set,
    claims: &[Predicate],
    met: Met,
) -> Result<Option<Claims>, Stop> {
    let mut failed = Vec::with_capacity(claims.len());
    for claim in claims {
        let fine = space.select(states, claim)?;
        failed.push(fine != *states);
    }
    let states = match met {
        Met::All => None,
        Met::Some => {
            let states = space.census(states, false)?.states;
            Some(u64::try_from(states).unwrap_or(u64::MAX))
        }
    };
    Ok((!claims.is_empty()).then_some(Claims {
        failed,
        states,
        complete: met == Met::All,
    }))
}
