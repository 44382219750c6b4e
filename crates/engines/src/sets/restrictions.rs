//! Restrictions of the system that set engines search if the reachable states are not known.
//!
//! If the reachable states are known, one search decides. Otherwise engines start from the initial
//! states, and a violation near them must not wait for closures over distant states. So engines
//! search *restrictions* of the transition relation first:
//!
//! ```text
//! sliced  C_w = states reached by an event slice, w = 1, 2 …            its events inside of C_w
//! near    B_d = states within d steps of the initial ones, d = 2, 3 …   steps inside of B_d
//! capped  N_c = {s → s' | s'(p) ≤ c for all p}, c doubling              all steps of N_c
//! ```
//!
//! Every run of a restriction is a run of the system, so every violation found is genuine. Absence
//! of violations is proved only if no step was omitted. An engine decides a restriction by its own
//! proof, applied to the restriction: a state whose steps are omitted is not a deadlock, because
//! deadlocks are computed on the full system. Slices lead to the atoms (`event_slices.rs`). Sliced
//! and near searches get a share of the available work, which bounds their cost. Caps are for nets
//! that may be unbounded, where a closure may not terminate; the papers assume finite systems. The
//! published variant has no sliced and near searches.
//!
//! Alternative: suspend and resume closures. Products with incomplete sets would have other nodes,
//! and the checks by inclusion would be less effective.

use super::event_slices::event_slices;
use super::operators::{Restriction, SymbolicProblem};
use crate::engine::{Found, Task};
use crate::hyb::first_cap;
use lariat_budget::{Statistic, Stop};
use lariat_emptiness::Outcome;
use lariat_model::Lasso;
use lariat_space::symbolic::{Reached, Set, StepSet, Symbolic};

/// Entry point of a set engine.
pub type SetProcedure = fn(&mut Task<'_>, &mut SymbolicProblem<'_, '_>) -> Found;

/// Distance from the initial states in the first near search.
const FIRST_DEPTH: u32 = 2;

/// Work limit of sliced and near searches under an unlimited budget.
const NEAR: u64 = 1_000_000;

/// Divisor of the remaining work: the share of sliced and near searches.
const NEAR_SHARE: u64 = 4;

/// Decides a task on the reachable states of its system.
pub fn decide(procedure: SetProcedure, task: &mut Task<'_>, reached: &mut Reached<'_>) -> Found {
    task.account.order = Some(reached.order.clone());
    let restriction = Restriction::Reachable(reached.states.clone());
    search(procedure, task, &mut reached.space, restriction).0
}

/// Decides a task on the fly. Replaces the space by one with a larger cap while necessary.
pub fn on_the_fly(procedure: SetProcedure, task: &mut Task<'_>, space: &mut Symbolic<'_>) -> Found {
    if space.cap().is_none() {
        let cap = first_cap(task.problem.system);
        if cap < u32::MAX {
            *space = space.capped(cap, task.budget)?;
        }
    }
    loop {
        let left = task.budget.work_left();
        let share = left.map_or(NEAR, |left| left / NEAR_SHARE);
        if !task.variant.published
            && let Some(found) = near(procedure, task, space, share)?
        {
            return Ok(found);
        }
        let (found, left_out) = search(procedure, task, space, Restriction::Open);
        match (found?, space.cap()) {
            (Outcome::Empty, Some(cap)) if left_out => {
                // An unbounded place costs work per value, even if it needs few nodes.
                task.budget.spend(cap.into())?;
                *space = space.capped(cap.saturating_mul(2), task.budget)?;
            }
            (found, _) => return Ok(found),
        }
    }
}

/// Divisor of that work: the share of sliced searches.
const NARROW_SHARE: u64 = 2;

/// Searches event slices, then near the initial states, until a search decides or `work` is spent.
pub fn near(
    procedure: SetProcedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
    work: u64,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    let found = with_work(task, work / NARROW_SHARE, |task| {
        search_slices(procedure, task, space)
    })?;
    if found.is_some() {
        return Ok(found);
    }
    with_work(task, work, |task| search_near(procedure, task, space))
}

/// Runs a search with limited work; returns `None` if it does not decide.
fn with_work(
    task: &mut Task<'_>,
    work: u64,
    search: impl FnOnce(&mut Task<'_>) -> Result<Option<Outcome<Lasso>>, Stop>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    let budget = task.budget.clone().with_work(work);
    match search(&mut task.under(&budget)) {
        // The share is spent; stops here if an outer limit is exceeded as well.
        Err(Stop::Work(_)) => task.budget.spend(0).map(|()| None),
        found => found,
    }
}

fn search_slices(
    procedure: SetProcedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    space.set_budget(task.budget);
    let system = task.problem.system;
    for events in event_slices(system, task.problem.propositions) {
        let steps = space.steps(&events);
        let mut slice = space.initial()?;
        // Bounded, because the events may add tokens without limit.
        for _ in 0..events.len() {
            let larger = with_successors(space, &slice, &steps)?;
            if larger == slice {
                break;
            }
            slice = larger;
        }
        let restriction = Restriction::Events(slice, events.into());
        let (found, _) = search(procedure, task, space, restriction);
        if let found @ Outcome::Accepting(_) = found? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn search_near(
    procedure: SetProcedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    space.set_budget(task.budget);
    let all = space.all();
    let mut ball = space.initial()?;
    let (mut radius, mut next) = (0, FIRST_DEPTH);
    loop {
        let mut complete = false;
        while radius < next && !complete {
            let larger = with_successors(space, &ball, &all)?;
            complete = larger == ball;
            ball = larger;
            radius += 1;
        }
        let restriction = if complete {
            Restriction::Reachable(ball.clone())
        } else {
            Restriction::Within(ball.clone())
        };
        let (found, left_out) = search(procedure, task, space, restriction);
        match found? {
            Outcome::Empty if !complete => next = next.saturating_add(next / 2),
            Outcome::Empty if left_out => return Ok(None),
            found => return Ok(Some(found)),
        }
    }
}

fn with_successors(space: &mut Symbolic<'_>, set: &Set, steps: &StepSet) -> Result<Set, Stop> {
    let image = space.image(set, steps)?;
    space.store().union(set, &image)
}

/// Runs the engine on one restriction; also returns whether the cap omitted a step.
fn search(
    procedure: SetProcedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
    restriction: Restriction,
) -> (Found, bool) {
    let mut sets = SymbolicProblem::new(task.problem, space, restriction, task.budget);
    sets.published = task.variant.published;
    let found = procedure(task, &mut sets);
    let store = sets.space.store_figures();
    let stats = &mut task.account.stats;
    stats.set(Statistic::SYMBOLIC_OPERATIONS, sets.operations);
    stats.set(Statistic::DIVERGENCE_TESTS, sets.divergence_tests);
    stats.set(Statistic::DIAGRAM_PEAK, store.peak);
    stats.set(Statistic::DIAGRAM_CREATED, store.created);
    stats.set(Statistic::CACHE_LOOKUPS, store.lookups);
    stats.set(Statistic::CACHE_HITS, store.hits);
    stats.set(Statistic::BYTES_PEAK, task.budget.bytes_peak());
    (found, sets.left_out)
}
