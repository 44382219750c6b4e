//! Brute-force answers to questions about reachable states, from their definitions.

use crate::interpret;
use crate::oracle::Reachable;
use lariat_model::{Lasso, Predicate, State, System, Value, VarId};

/// Returns whether a reachable state satisfies the predicate.
pub fn is_reached(system: &System, graph: &Reachable, predicate: &Predicate) -> bool {
    let satisfies = |state: &State| interpret::satisfies(system, state, predicate);
    graph.states.iter().any(satisfies)
}

/// Returns the largest value of a sum in a reachable state.
pub fn most(graph: &Reachable, terms: &[(VarId, Value)]) -> i128 {
    let value = |state: &State| value(terms, state);
    graph.states.iter().map(value).max().unwrap_or(0)
}

/// Returns the value of a sum in a state.
pub fn value(terms: &[(VarId, Value)], state: &[Value]) -> i128 {
    let mut sum = 0;
    for (var, weight) in terms {
        sum += i128::from(*weight) * i128::from(state[var.0 as usize]);
    }
    sum
}

/// Returns whether a state that satisfies the predicate is reachable from every reachable state.
pub fn stays_reachable(system: &System, graph: &Reachable, predicate: &Predicate) -> bool {
    let satisfies = |state: &State| interpret::satisfies(system, state, predicate);
    let mut good: Vec<bool> = graph.states.iter().map(satisfies).collect();
    loop {
        let more: Vec<usize> = (0..good.len())
            .filter(|s| !good[*s] && graph.steps[*s].iter().any(|(_, to)| good[*to]))
            .collect();
        if more.is_empty() {
            return good.into_iter().all(|good| good);
        }
        for s in more {
            good[s] = true;
        }
    }
}

/// Returns about `cut` reachable states in breadth-first order.
pub fn nearest(system: &System, cut: usize) -> Vec<State> {
    let mut states = system.initial.clone();
    let mut known: std::collections::HashSet<State> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < cut {
        for (_, next) in interpret::steps(system, &states[at]) {
            if known.insert(next.clone()) {
                states.push(next);
            }
        }
        at += 1;
    }
    states
}

/// Follows a run from an initial state, and its loop three times if it has one. Returns the states
/// before and after each round; the error describes an impossible step.
pub fn follow(system: &System, run: &Lasso) -> Result<Vec<State>, String> {
    if !system.initial.contains(&run.initial) {
        return Err("it does not start in an initial state".to_owned());
    }
    let states = run.states();
    let mut at = states[run.prefix.len()].clone();
    for (step, states) in run.prefix.iter().zip(states.windows(2)) {
        let event = step.event.ok_or("a step without an event")?;
        if !interpret::after(system, &states[0], event).contains(&states[1]) {
            return Err(format!("event {} does not lead there", event.0));
        }
    }
    let mut rounds = vec![at.clone()];
    if run.cycle.is_empty() {
        return Ok(rounds);
    }
    for _ in 0..3 {
        for step in &run.cycle {
            let event = step.event.ok_or("a step without an event")?;
            let next = interpret::after(system, &at, event);
            at = next.first().ok_or("a round cannot be repeated")?.clone();
        }
        rounds.push(at.clone());
    }
    Ok(rounds)
}
