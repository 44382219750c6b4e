//! Removal of useless states: unreachable, or on no accepting run.

use super::retain_states;
use crate::automaton::{Automaton, StateId};
use crate::scc::automaton_components;

/// Keeps the states that are reachable and from which an accepting cycle can be reached.
///
/// The automaton of the empty language has no states and no initial states. Returns the old state
/// of each new one.
pub fn trim(a: &mut Automaton) -> Vec<StateId> {
    let mut keep = reachable(a);
    let scc = automaton_components(a);
    // Components are numbered in reverse topological order, so one pass is enough.
    let mut order: Vec<usize> = (0..a.states.len()).collect();
    order.sort_by_key(|&n| scc.of[n]);
    let mut fruitful: Vec<bool> = (0..scc.marks.len() as u32)
        .map(|c| scc.accepting(c))
        .collect();
    for n in order {
        let own = scc.of[n] as usize;
        if !fruitful[own] {
            fruitful[own] = a.states[n]
                .iter()
                .any(|t| fruitful[scc.of[t.to.index()] as usize]);
        }
    }
    for (n, slot) in keep.iter_mut().enumerate() {
        *slot &= fruitful[scc.of[n] as usize];
    }
    retain_states(a, &keep);
    (0..)
        .map(StateId)
        .zip(keep)
        .filter_map(|(q, keep)| keep.then_some(q))
        .collect()
}

fn reachable(a: &Automaton) -> Vec<bool> {
    let mut seen = vec![false; a.states.len()];
    let mut todo = a.initial.clone();
    for q in &todo {
        seen[q.index()] = true;
    }
    while let Some(q) = todo.pop() {
        for t in a.transitions(q) {
            if !seen[t.to.index()] {
                seen[t.to.index()] = true;
                todo.push(t.to);
            }
        }
    }
    seen
}
