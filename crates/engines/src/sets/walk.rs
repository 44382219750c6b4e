//! Concrete lassos from abstract ones, with set operations only.
//!
//! An edge `(q,a) –ac→ (d,b)` of a product guarantees that *every* state of `b` is reached from
//! some state of `a`, by one step with the edge's letters and then by steps inside of `b`. It
//! guarantees nothing for every state of `a`. So the states of a cycle are chosen backwards:
//!
//! ```text
//! back(a → b, t): L0 = {t};  Li+1 = pre(Li) inside b;  until Li meets post(a)
//!                 then some s ∈ a with s → Li, and forwards through the layers to t
//! ```
//!
//! One round backwards along the abstract cycle maps a state of its first node to another one. When
//! a state repeats, the rounds in between are the concrete cycle. An edge that represents infinite
//! runs (divergence, a terminal node) needs no cycle: it determines the first states of these runs.
//!
//! For example, with the abstract cycle a → b → a of a = {0, 1} and b = {2, 3, 4}:
//!
//! ```text
//! steps    0 → 1,  1 → 2,  2 → 3,  2 → 4,  3 → 0       forwards, 2 → 4 would be a dead end
//! round 1  back(b → a, 0): 0 ∈ post(b), from 3         back(a → b, 3): L1 = {2}, from 1
//! round 2  back(b → a, 1): L1 = {0}, from 3            back(a → b, 3): L1 = {2}, from 1, repeated
//! cycle    1 → 2 → 3 → 0 → 1: round 2 alone, as round 1 ends in 0, which does not repeat
//! ```
//!
//! The prefix then has a goal set. Saturation propagates it backwards through the nodes of the
//! abstract prefix; a forward search from the initial states leads to the nearest state of each of
//! these goals. The layers of this search are small and the runs short.
//!
//! A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Combining explicit and symbolic
//! approaches for better on-the-fly LTL model checking*, CoRR abs/1106.5700, describe the products.
//! IEC's graph has edges to parts of nodes. Their states are entered inside of the whole node, so
//! each such edge is replaced by the edge of the original graph.
//!
//! Cost: one image of a few states per step of the lasso. States visited in earlier rounds are
//! preferred, which closes most cycles after one or two rounds.

use super::operators::SymbolicProblem;
use super::product::{Aggregate, Aggregates, EdgePassage, SetProduct, SetWorker};
use crate::runs::{Passage, plain_run};
use lariat_automata::Guard;
use lariat_budget::Stop;
use lariat_emptiness::{Decomposed, Evidence, NodeId, lasso};
use lariat_model::{Lasso, State};
use lariat_space::symbolic::Set;
use rustc_hash::FxHashMap;

/// A path: its first state and its steps.
pub type ConcretePath = (State, Vec<Passage>);

/// Returns the internal error of a trace construction that contradicts the product.
pub fn lost() -> Stop {
    Stop::Internal("the product has no concrete trace for its evidence".to_owned())
}

/// Returns a lasso of the system for `evidence`; `None` if the graph has none, which is possible
/// only for an undecided check.
pub fn concrete<'w, 'r, 's, P: SetProduct>(
    graph: &Aggregates<'_, 'w, 'r, 's, P>,
    worker: &mut SetWorker<'w, 'r, 's, P>,
    evidence: &Evidence,
) -> Result<Option<Lasso>, Stop> {
    let searched = Decomposed::new(graph, evidence);
    let Some(found) = lasso(&searched, worker, evidence)? else {
        return Ok(None);
    };
    let mut hops = Vec::new();
    let mut from = found.initial;
    for &edge in found.prefix.iter().chain(&found.cycle) {
        let goal = worker.evidence(from)?;
        if !goal.is_empty() {
            let (initial, prefix, _) = forward(worker, &hops, found.initial, goal)?;
            return Ok(Some(plain_run(initial, prefix, Vec::new())));
        }
        let true_edge = searched.origin(worker, from, edge)?.ok_or_else(lost)?;
        let group = worker.group(from, true_edge).ok_or_else(lost)?;
        let node = worker.node(from).clone();
        match worker.product.passage(worker.sets, &node, group)? {
            EdgePassage::Step { guard, through } => hops.push(Hop {
                from: node.set,
                guard,
                through,
                to: worker.node(true_edge.to).set.clone(),
            }),
            EdgePassage::End(ending) => {
                let goal = worker.sets.space.singleton(&ending.initial)?;
                let (initial, prefix, _) = forward(worker, &hops, found.initial, goal)?;
                return Ok(Some(finish(initial, prefix, ending)));
            }
            EdgePassage::EndIn(goal) => {
                let (initial, prefix, at) = forward(worker, &hops, found.initial, goal)?;
                let ending = worker.product.ending(worker.sets, &node, &at)?;
                return Ok(Some(finish(initial, prefix, ending)));
            }
        }
        from = edge.to;
    }
    let round = hops.split_off(found.prefix.len());
    let entry = worker.node(found.entry()).set.clone();
    let (_, _, near) = forward(worker, &hops, found.initial, entry)?;
    let cycle = cycle(worker.sets, &round, near)?;
    let repeated = &cycle.last().ok_or_else(lost)?.state;
    let goal = worker.sets.space.singleton(repeated)?;
    let (initial, prefix, _) = forward(worker, &hops, found.initial, goal)?;
    Ok(Some(plain_run(initial, prefix, cycle)))
}

/// Returns a run without steps, for an undecided check.
pub fn first_state(sets: &mut SymbolicProblem<'_, '_>) -> Result<Lasso, Stop> {
    let initial = sets.space.initial()?;
    let initial = sets.space.pick(&initial).ok_or_else(lost)?;
    Ok(plain_run(initial, Vec::new(), Vec::new()))
}

/// Continues a path by a run from its end.
fn finish(initial: State, prefix: Vec<Passage>, ending: Lasso) -> Lasso {
    let mut run = plain_run(initial, prefix, Vec::new());
    run.prefix.extend(ending.prefix);
    run.cycle = ending.cycle;
    run
}

/// An edge with concrete steps from its source to its target.
struct Hop {
    from: Set,
    guard: Guard,
    through: Option<Guard>,
    to: Set,
}

/// Iterates rounds backwards from `at` until a state repeats; returns the steps of the cycle.
fn cycle(
    sets: &mut SymbolicProblem<'_, '_>,
    round: &[Hop],
    mut at: State,
) -> Result<Vec<Passage>, Stop> {
    let mut met: FxHashMap<State, usize> = FxHashMap::default();
    let mut met_set = sets.space.empty();
    let mut rounds: Vec<Vec<Passage>> = Vec::new();
    loop {
        met.insert(at.clone(), rounds.len());
        let one = sets.space.singleton(&at)?;
        met_set = sets.space.store().union(&met_set, &one)?;
        let (before, steps) = back_along(sets, round, at, &met_set)?;
        rounds.push(steps);
        if let Some(&since) = met.get(&before) {
            return Ok(rounds.drain(since..).rev().flatten().collect());
        }
        at = before;
    }
}

/// Returns a path along `hops` to `end`, if possible from a state of `preferred`.
fn back_along(
    sets: &mut SymbolicProblem<'_, '_>,
    hops: &[Hop],
    end: State,
    preferred: &Set,
) -> Result<ConcretePath, Stop> {
    let nowhere = sets.space.empty();
    let mut pieces = Vec::with_capacity(hops.len());
    let mut at = end;
    for (i, hop) in hops.iter().enumerate().rev() {
        let preferred = if i == 0 { preferred } else { &nowhere };
        let (before, steps) = backward(sets, hop, at, preferred)?;
        pieces.push(steps);
        at = before;
    }
    Ok((at, pieces.into_iter().rev().flatten().collect()))
}

/// Returns a path along one hop to `end`, if possible from a state of `preferred`.
fn backward(
    sets: &mut SymbolicProblem<'_, '_>,
    hop: &Hop,
    end: State,
    preferred: &Set,
) -> Result<ConcretePath, Stop> {
    let entries = sets.post(&hop.from, hop.guard)?;
    let (entry, mut inside) = path_inside(sets, &entries, hop.through, &hop.to, end)?;
    let here = sets.space.singleton(&entry)?;
    let sources = sets.pre(&here, hop.guard, &hop.from)?;
    let best = sets.space.store().intersection(&sources, preferred)?;
    let chosen = if best.is_empty() { &sources } else { &best };
    let before = sets.space.pick(chosen).ok_or_else(lost)?;
    let first = sets.step_into(&before, hop.guard, &here).ok_or_else(lost)?;
    inside.insert(0, first);
    Ok((before, inside))
}

/// Returns a shortest path inside of `inside`, by letters of `through`, from `entries` to `end`.
fn path_inside(
    sets: &mut SymbolicProblem<'_, '_>,
    entries: &Set,
    through: Option<Guard>,
    inside: &Set,
    end: State,
) -> Result<ConcretePath, Stop> {
    let mut layers = vec![sets.space.singleton(&end)?];
    let mut seen = layers[0].clone();
    let mut at = loop {
        let last = layers.last().ok_or_else(lost)?.clone();
        let met = sets.space.store().intersection(&last, entries)?;
        if let Some(state) = sets.space.pick(&met) {
            break state;
        }
        let through = through.ok_or_else(lost)?;
        let before = sets.pre(&last, through, inside)?;
        let fresh = sets.space.store().difference(&before, &seen)?;
        if fresh.is_empty() {
            return Err(lost());
        }
        seen = sets.space.store().union(&seen, &fresh)?;
        layers.push(fresh);
    };
    let start = at.clone();
    let mut steps = Vec::with_capacity(layers.len());
    for layer in layers.iter().rev().skip(1) {
        let through = through.ok_or_else(lost)?;
        let step = sets.step_into(&at, through, layer).ok_or_else(lost)?;
        at = step.state.clone();
        steps.push(step);
    }
    Ok((start, steps))
}

/// Returns a path along `hops` from an initial state of the system, in node `initial`, to the
/// nearest state of `goal`, and that state.
fn forward<P: SetProduct>(
    worker: &mut SetWorker<'_, '_, '_, P>,
    hops: &[Hop],
    initial: NodeId,
    goal: Set,
) -> Result<(State, Vec<Passage>, State), Stop> {
    // Per hop: the goal in its target, and the states at which to enter the target.
    let mut goals = Vec::with_capacity(hops.len());
    let mut goal = goal;
    for hop in hops.iter().rev() {
        let sets = &mut *worker.sets;
        let entries = match hop.through {
            Some(through) if goal != hop.to => sets.back_within(&goal, through, &hop.to)?,
            _ => goal.clone(),
        };
        let before = sets.pre(&entries, hop.guard, &hop.from)?;
        goals.push((goal, entries));
        goal = before;
    }
    goals.reverse();
    // IEC may have decomposed the initial node.
    let part = worker.node(initial).clone();
    let alike = |node: &&Aggregate| (node.location, node.kind) == (part.location, part.kind);
    let wholes: Vec<Aggregate> = worker.initial_nodes().filter(alike).cloned().collect();
    let mut start = None;
    for node in wholes {
        let met = worker.sets.space.store().intersection(&node.set, &goal)?;
        if !met.is_empty() {
            start = Some(node);
            break;
        }
    }
    let whole = start.ok_or_else(lost)?;
    let through = worker.product.start(worker.sets, &whole);
    let sets = &mut *worker.sets;
    let first = sets.space.initial()?;
    let first = sets.space.store().intersection(&first, &whole.set)?;
    let (initial, mut path, mut at) = path_to(sets, &first, through, &whole.set, &goal)?;
    for (hop, (goal, entries)) in hops.iter().zip(&goals) {
        let step = sets.step_into(&at, hop.guard, entries).ok_or_else(lost)?;
        let here = sets.space.singleton(&step.state)?;
        path.push(step);
        let (_, steps, end) = path_to(sets, &here, hop.through, &hop.to, goal)?;
        path.extend(steps);
        at = end;
    }
    Ok((initial, path, at))
}

/// Returns a shortest path inside of `inside`, by letters of `through`, from `from` to `goal`: its
/// first state, its steps and its last state.
fn path_to(
    sets: &mut SymbolicProblem<'_, '_>,
    from: &Set,
    through: Option<Guard>,
    inside: &Set,
    goal: &Set,
) -> Result<(State, Vec<Passage>, State), Stop> {
    let mut layers = vec![from.clone()];
    let mut seen = from.clone();
    let end = loop {
        let last = layers.last().ok_or_else(lost)?.clone();
        let met = sets.space.store().intersection(&last, goal)?;
        if let Some(state) = sets.space.pick(&met) {
            break state;
        }
        let next = sets.post(&last, through.ok_or_else(lost)?)?;
        let next = sets.space.store().intersection(&next, inside)?;
        let fresh = sets.space.store().difference(&next, &seen)?;
        if fresh.is_empty() {
            return Err(lost());
        }
        seen = sets.space.store().union(&seen, &fresh)?;
        layers.push(fresh);
    };
    let mut at = end.clone();
    let mut steps = Vec::with_capacity(layers.len());
    for layer in layers.iter().rev().skip(1) {
        let through = through.ok_or_else(lost)?;
        let here = sets.space.singleton(&at)?;
        let sources = sets.pre(&here, through, layer)?;
        at = sets.space.pick(&sources).ok_or_else(lost)?;
        steps.push(sets.step_into(&at, through, &here).ok_or_else(lost)?);
    }
    steps.reverse();
    Ok((at, steps, end))
}

/// Returns an infinite run by letters of `guard` inside of `divergent`, the states that have one.
pub fn divergent_run(
    sets: &mut SymbolicProblem<'_, '_>,
    divergent: &Set,
    guard: Guard,
) -> Result<Lasso, Stop> {
    let start = sets.space.pick(divergent).ok_or_else(lost)?;
    let mut met = FxHashMap::from_iter([(start.clone(), 0)]);
    let mut steps: Vec<Passage> = Vec::new();
    let mut at = start.clone();
    loop {
        let step = sets.step_into(&at, guard, divergent).ok_or_else(lost)?;
        at = step.state.clone();
        steps.push(step);
        if let Some(&since) = met.get(&at) {
            let cycle = steps.split_off(since);
            return Ok(plain_run(start, steps, cycle));
        }
        met.insert(at.clone(), steps.len());
    }
}
