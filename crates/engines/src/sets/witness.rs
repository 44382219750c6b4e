//! Accepting lassos inside of a family of states that a fixpoint has computed.
//!
//! Every state of the core has an accepting run inside of the core. After a path into the core: go
//! to the nearest edge with the first mark, then to the nearest with the second, and so on;
//! likewise for fairness constraints; then close the cycle if its entry is reachable. If not, the
//! entry is in another component: repeat from the current state, at most once per component on the
//! path. A reachable deadlock that stutters with all marks closes the cycle at once.
//!
//! E. M. Clarke, O. Grumberg, K. L. McMillan, X. Zhao, *Efficient generation of counterexamples and
//! witnesses in symbolic model checking*, DAC 1995. One saturation decides whether a cycle closes.
//! Paths are searched by layers from a single state, and are shortest. If the layers grow too
//! large, a single run is followed among states that can reach the goal, without repeating a state.

use super::fair::{Demand, union};
use super::fixpoint::Fair;
use super::operators::SymbolicProblem;
use super::walk::{self, DivergentRun, lost};
use super::whole::{AutomatonEdge, SetFamily, Whole, is_empty};
use lariat_automata::StateId;
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::{Lasso, State, Step, Strength};
use lariat_space::symbolic::Set;

/// A state of the product.
#[derive(Clone)]
pub struct ProductState {
    pub location: StateId,
    pub state: State,
}

impl ProductState {
    fn is_in(&self, sets: &mut SymbolicProblem<'_, '_>, family: &SetFamily) -> bool {
        sets.space
            .contains(&family[self.location.index()], &self.state)
    }
}

/// Returns an accepting run from `first`, a member of `fair`, that ends inside of the core.
pub fn run(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    first: ProductState,
    fair: &Fair,
) -> Result<DivergentRun, Stop> {
    let begin = first.state.clone();
    let into = Goal::In(fair.core.clone());
    let (mut path, mut at) = path_to(sets, whole, &fair.all, first, &into)?;
    let fair = &fair.core;
    let here = singleton(sets, whole, &at)?;
    let mut ahead = whole.reach_within(sets, here, fair)?;
    loop {
        let rest = accepting_deadlocks(sets, whole, &ahead)?;
        if !is_empty(&rest) {
            let (steps, end) = path_to(sets, whole, &ahead, at, &Goal::In(rest))?;
            path.extend(steps);
            let still = Step {
                event: None,
                state: end.state,
            };
            return Ok(DivergentRun {
                start: begin,
                path,
                cycle: vec![still],
            });
        }
        let entry = at.clone();
        let mut round = Vec::new();
        for mark in whole.marks.iter() {
            let (steps, end) = path_to(sets, whole, fair, at, &Goal::Mark(mark))?;
            round.extend(steps);
            at = end;
        }
        for demand in &whole.demands {
            let (steps, end) = satisfy(sets, whole, fair, at, demand)?;
            round.extend(steps);
            at = end;
        }
        let here = singleton(sets, whole, &at)?;
        ahead = whole.reach_within(sets, here, fair)?;
        if entry.is_in(sets, &ahead) {
            let goal = singleton(sets, whole, &entry)?;
            let (steps, _) = path_to(sets, whole, &ahead, at, &Goal::In(goal))?;
            round.extend(steps);
            return Ok(DivergentRun {
                start: begin,
                path,
                cycle: round,
            });
        }
        path.extend(round);
    }
}

/// Returns a prefix from `initial` after which every continuation is accepted, if `reached` has
/// one.
pub fn accepted_prefix(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    initial: &SetFamily,
    reached: &SetFamily,
) -> Result<Option<Lasso>, Stop> {
    let mut goal = whole.empty(sets);
    for q in sets.automaton().state_ids() {
        goal[q.index()] = sets.evidence(q, &reached[q.index()])?;
    }
    if is_empty(&goal) {
        return Ok(None);
    }
    let way = whole.back_within(sets, goal.clone(), reached)?;
    for q in sets.automaton().state_ids() {
        let (initial, way_here) = (&initial[q.index()], &way[q.index()]);
        let starts = sets.space.store().intersection(initial, way_here)?;
        if let Some(start) = sets.space.pick(&starts) {
            let first = ProductState {
                location: q,
                state: start.clone(),
            };
            let (path, _) = path_to(sets, whole, &way, first, &Goal::In(goal))?;
            return Ok(Some(walk::finite_prefix(start, path)));
        }
    }
    Err(lost())
}

/// Extends the path until a fairness constraint is satisfied, by a step or, if it is weak, by a
/// state that does not enable it. A strong constraint that no reachable step satisfies is never
/// enabled.
fn satisfy(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    fair: &SetFamily,
    at: ProductState,
    demand: &Demand,
) -> Result<(Vec<Step>, ProductState), Stop> {
    let here = singleton(sets, whole, &at)?;
    let ahead = whole.reach_within(sets, here, fair)?;
    let takers = whole.takers(sets, &demand.events, &ahead)?;
    let idle = match demand.strength {
        Strength::Weak => demand.idle_in(sets, &ahead)?,
        Strength::Strong => whole.empty(sets),
    };
    let goal = union(sets, &idle, &takers)?;
    if is_empty(&goal) && demand.strength == Strength::Strong {
        return Ok((Vec::new(), at));
    }
    let (mut steps, end) = path_to(sets, whole, &ahead, at, &Goal::In(goal))?;
    if end.is_in(sets, &idle) {
        return Ok((steps, end));
    }
    for edge in whole.edges.iter().filter(|edge| edge.from == end.location) {
        let targets = &ahead[edge.to.index()];
        if let Some(step) = sets.step_by(&end.state, edge.guard, &demand.events, targets) {
            let end = ProductState {
                location: edge.to,
                state: step.state.clone(),
            };
            steps.push(step);
            return Ok((steps, end));
        }
    }
    Err(lost())
}

/// Returns the family with a single state.
fn singleton(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    at: &ProductState,
) -> Result<SetFamily, Stop> {
    let mut family = whole.empty(sets);
    family[at.location.index()] = sets.space.singleton(&at.state)?;
    Ok(family)
}

/// Returns the members of `family` that stutter by an edge with all marks.
fn accepting_deadlocks(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    family: &SetFamily,
) -> Result<SetFamily, Stop> {
    let mut rest = whole.empty(sets);
    let full = |edge: &&AutomatonEdge| edge.from == edge.to && edge.marks == whole.marks;
    for edge in whole.edges.iter().filter(full) {
        let q = edge.from.index();
        let some = sets.stuttering(&family[q], edge.guard)?;
        rest[q] = sets.space.store().union(&rest[q], &some)?;
    }
    Ok(rest)
}

enum Goal {
    /// Taking an edge with this mark.
    Mark(u32),
    /// Reaching one of these states, possibly without a step.
    In(SetFamily),
}

/// Limit on diagram nodes created by the layers before a single run is tried.
const LAYER_NODES: u64 = 50_000;

/// Maximum length of a single run.
const RUN_LENGTH: usize = 10_000;

/// Returns a path inside of `within` to the goal, a shortest one if the layers stay small.
fn path_to(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    within: &SetFamily,
    from: ProductState,
    goal: &Goal,
) -> Result<(Vec<Step>, ProductState), Stop> {
    let mut layers = vec![singleton(sets, whole, &from)?];
    let mut seen = layers[0].clone();
    let created = sets.space.store_figures().created;
    let mut is_small = true;
    loop {
        if is_small && sets.space.store_figures().created > created + LAYER_NODES {
            is_small = false;
            if let Some(found) = follow(sets, whole, within, from.clone(), goal)? {
                return Ok(found);
            }
        }
        let last = layers.last().ok_or_else(lost)?;
        match goal {
            Goal::Mark(mark) => {
                let marks = Marks::one(*mark);
                for edge in whole.edges.iter().filter(|edge| edge.marks.contains(marks)) {
                    let next = advance(sets, edge, last, within)?;
                    if let Some(target) = sets.space.pick(&next) {
                        let (state, step) = predecessor(sets, edge, last, &target)?;
                        let before = ProductState {
                            location: edge.from,
                            state,
                        };
                        let mut steps = retrace(sets, whole, &layers, before)?;
                        steps.push(step);
                        let end = ProductState {
                            location: edge.to,
                            state: target,
                        };
                        return Ok((steps, end));
                    }
                }
            }
            Goal::In(family) => {
                for (q, goal) in family.iter().enumerate() {
                    let met = sets.space.store().intersection(&last[q], goal)?;
                    if let Some(state) = sets.space.pick(&met) {
                        let location = StateId(q as u32);
                        let end = ProductState { location, state };
                        let steps = retrace(sets, whole, &layers, end.clone())?;
                        return Ok((steps, end));
                    }
                }
            }
        }
        let mut fresh = whole.empty(sets);
        let mut news = false;
        for edge in &whole.edges {
            let to = edge.to.index();
            let next = advance(sets, edge, last, within)?;
            let new = sets.space.store().difference(&next, &seen[to])?;
            if !new.is_empty() {
                seen[to] = sets.space.store().union(&seen[to], &new)?;
                fresh[to] = sets.space.store().union(&fresh[to], &new)?;
                news = true;
            }
        }
        if !news {
            return Err(lost());
        }
        layers.push(fresh);
    }
}

/// Follows one run inside of `within`, without repeating a state, until it reaches the goal.
fn follow(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    within: &SetFamily,
    from: ProductState,
    goal: &Goal,
) -> Result<Option<(Vec<Step>, ProductState)>, Stop> {
    let mut fresh = match goal {
        Goal::Mark(_) => within.clone(),
        Goal::In(family) => whole.back_within(sets, family.clone(), within)?,
    };
    let is_goal = |edge: &AutomatonEdge| match goal {
        Goal::Mark(mark) => edge.marks.contains(Marks::one(*mark)),
        Goal::In(_) => false,
    };
    let mut at = from;
    let mut steps = Vec::new();
    while steps.len() < RUN_LENGTH {
        if matches!(goal, Goal::In(family) if at.is_in(sets, family)) {
            return Ok(Some((steps, at)));
        }
        let here = sets.space.singleton(&at.state)?;
        let set = &mut fresh[at.location.index()];
        *set = sets.space.store().difference(set, &here)?;
        let mut next = None;
        for edge in whole.edges.iter().filter(|edge| edge.from == at.location) {
            // An edge with the goal mark may end in a visited state.
            let (is_goal, to) = (is_goal(edge), edge.to.index());
            let targets = if is_goal { &within[to] } else { &fresh[to] };
            if next.is_none() || is_goal {
                let step = sets.step_into(&at.state, edge.guard, targets);
                if let Some(step) = step {
                    next = Some((is_goal, edge.to, step));
                }
            }
            if matches!(next, Some((true, ..))) {
                break;
            }
        }
        let Some((is_goal, to, step)) = next else {
            return Ok(None);
        };
        at = ProductState {
            location: to,
            state: step.state.clone(),
        };
        steps.push(step);
        if is_goal {
            return Ok(Some((steps, at)));
        }
    }
    Ok(None)
}

/// Returns the successors of a layer by `edge` inside of `within`.
fn advance(
    sets: &mut SymbolicProblem<'_, '_>,
    edge: &AutomatonEdge,
    layer: &SetFamily,
    within: &SetFamily,
) -> Result<Set, Stop> {
    let (from, within) = (&layer[edge.from.index()], &within[edge.to.index()]);
    if from.is_empty() || within.is_empty() {
        return Ok(sets.space.empty());
    }
    let next = sets.post(from, edge.guard)?;
    sets.space.store().intersection(&next, within)
}

/// Returns a state of the layer from which `edge` leads to `target`, and the step.
fn predecessor(
    sets: &mut SymbolicProblem<'_, '_>,
    edge: &AutomatonEdge,
    layer: &SetFamily,
    target: &State,
) -> Result<(State, Step), Stop> {
    let target = sets.space.singleton(target)?;
    let sources = sets.pre(&target, edge.guard, &layer[edge.from.index()])?;
    let state = sets.space.pick(&sources).ok_or_else(lost)?;
    let step = sets.step_into(&state, edge.guard, &target);
    Ok((state, step.ok_or_else(lost)?))
}

/// Returns the steps through the layers to `end`, a member of the last layer.
fn retrace(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    layers: &[SetFamily],
    end: ProductState,
) -> Result<Vec<Step>, Stop> {
    let mut steps = Vec::with_capacity(layers.len());
    let mut at = end;
    for layer in layers.iter().rev().skip(1) {
        let target = sets.space.singleton(&at.state)?;
        let mut found = None;
        for edge in whole.edges.iter().filter(|edge| edge.to == at.location) {
            let from = &layer[edge.from.index()];
            if from.is_empty() {
                continue;
            }
            if !sets.pre(&target, edge.guard, from)?.is_empty() {
                found = Some((edge.from, predecessor(sets, edge, layer, &at.state)?));
                break;
            }
        }
        let (q, (state, step)) = found.ok_or_else(lost)?;
        steps.push(step);
        at = ProductState { location: q, state };
    }
    steps.reverse();
    Ok(steps)
}
