//! Runs from an initial state into a set, by set operations.
//!
//! First by layers, backwards from the goal,
//!
//! ```text
//! L0 = goal     Li+1 = pre(Li) ∩ within \ (L0 ∪ … ∪ Li)     until some Li has an initial state
//! ```
//!
//! and forwards through them: the run is shortest. If the layers take too much work, one saturation
//! finds all states that can reach the goal, and a depth-first walk among them ends in the goal.
//! Such a run may be long; the caller shortens it if necessary.

use crate::runs::{Passage, plain_run};
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, Lasso, State, Value};
use lariat_space::symbolic::{Set, Symbolic};
use rustc_hash::FxHashSet;

/// Work of the layers before the walk is tried.
const LAYER_WORK: u64 = 400_000;
/// Limit on the number of layers.
const MOST_LAYERS: usize = 5_000;

/// Returns a run in `within`, a set of reachable states, to its non-empty subset `goal`.
pub(super) fn path(
    space: &mut Symbolic<'_>,
    within: &Set,
    goal: &Set,
    budget: &Budget,
) -> Result<Lasso, Stop> {
    let limited = budget.clone().with_work(LAYER_WORK);
    space.set_budget(&limited);
    let layered = by_layers(space, within, goal, &limited);
    space.set_budget(budget);
    match layered {
        Ok(Some(lasso)) => Ok(lasso),
        Ok(None) => by_walk(space, within, goal, budget),
        Err(Stop::Work(_)) => {
            budget.spend(0)?;
            by_walk(space, within, goal, budget)
        }
        Err(stop) => Err(stop),
    }
}

fn by_layers(
    space: &mut Symbolic<'_>,
    within: &Set,
    goal: &Set,
    budget: &Budget,
) -> Result<Option<Lasso>, Stop> {
    let all = space.all();
    let mut layers = vec![goal.clone()];
    let mut left = space.store().difference(within, goal)?;
    let start = loop {
        budget.check()?;
        let last = layers[layers.len() - 1].clone();
        let initial = space.system().initial.iter();
        if let Some(start) = initial.clone().find(|state| space.contains(&last, state)) {
            break start.clone();
        }
        if layers.len() > MOST_LAYERS {
            return Ok(None);
        }
        let next = space.pre_image(&last, &all, &left)?;
        if next.is_empty() {
            return Err(Stop::Internal("a reachable state without a run".to_owned()));
        }
        left = space.store().difference(&left, &next)?;
        layers.push(next);
    };
    let mut at = start.clone();
    let mut prefix = Vec::new();
    for layer in layers.iter().rev().skip(1) {
        let step = successors(space, &at).find(|(_, to)| space.contains(layer, to));
        let Some((event, to)) = step else {
            return Err(Stop::Internal("a layer that no step leads to".to_owned()));
        };
        prefix.push(Passage {
            event: Some(event),
            state: to.clone(),
        });
        at = to;
    }
    Ok(Some(plain_run(start, prefix, Vec::new())))
}

fn by_walk(
    space: &mut Symbolic<'_>,
    within: &Set,
    goal: &Set,
    budget: &Budget,
) -> Result<Lasso, Stop> {
    let all = space.all();
    let good = space.back_within(goal, &all, within)?;
    let initial = space.system().initial.iter();
    let Some(start) = initial.clone().find(|state| space.contains(&good, state)) else {
        return Err(Stop::Internal("a reachable state without a run".to_owned()));
    };
    let start = start.clone();
    if space.contains(goal, &start) {
        return Ok(plain_run(start, Vec::new(), Vec::new()));
    }
    let mut met: FxHashSet<State> = FxHashSet::default();
    met.insert(start.clone());
    let mut lease = budget.lease();
    let bytes = start.len() * size_of::<Value>() + size_of::<State>();
    // The steps of the walk, and the remaining ways from its start and after each step.
    let mut prefix: Vec<Passage> = Vec::new();
    let mut ways = vec![ways_on(space, &start, &good, &met)];
    loop {
        budget.check()?;
        let Some(here) = ways.last_mut() else {
            return Err(Stop::Internal("a reachable state without a run".to_owned()));
        };
        let Some((event, to)) = here.pop() else {
            ways.pop();
            prefix.pop();
            continue;
        };
        if !met.insert(to.clone()) {
            continue;
        }
        budget.spend(1)?;
        lease.resize(3 * bytes * met.len())?;
        prefix.push(Passage {
            event: Some(event),
            state: to.clone(),
        });
        if space.contains(goal, &to) {
            return Ok(plain_run(start, prefix, Vec::new()));
        }
        ways.push(ways_on(space, &to, &good, &met));
    }
}

/// Returns steps to states of a set that were not visited. The first one rotates, so that the walk
/// does not stay in one component.
fn ways_on(
    space: &mut Symbolic<'_>,
    state: &State,
    good: &Set,
    met: &FxHashSet<State>,
) -> Vec<(EventId, State)> {
    let mut ways: Vec<(EventId, State)> = successors(space, state).collect();
    ways.retain(|(_, to)| !met.contains(to) && space.contains(good, to));
    let turn = met.len() % ways.len().max(1);
    ways.rotate_left(turn);
    ways
}

fn successors<'s>(
    space: &Symbolic<'s>,
    state: &State,
) -> impl Iterator<Item = (EventId, State)> + use<'s> {
    let system = space.system();
    let state = state.clone();
    system.event_ids().flat_map(move |event| {
        let next = system.successors(&state, event);
        next.into_iter().map(move |to| (event, to))
    })
}
