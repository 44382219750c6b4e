//! Bottom components, for liveness questions.
//!
//! From every state of a finite graph a strongly connected component without outgoing edges can be
//! reached, and from inside of it nothing else. So
//!
//! ```text
//! always p   iff   every bottom component has a state with p
//! ```
//!
//! and one decomposition (Tarjan, 1972) answers any number of predicates, e.g. the liveness of all
//! transitions of a net. A dead state is a bottom component.
//!
//! Cost: linear in states and edges; a bottom component is evaluated until each predicate has held.

use super::StateQuestion;
use super::question_set::QuestionSet;
use super::sweep::SweepGraph;
use lariat_budget::{Budget, Stop};
use lariat_model::Predicate;
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable};

/// States between two polls of the budget.
const POLL_INTERVAL: usize = 4096;
/// Not visited yet.
const NEW: u32 = u32::MAX;

/// Returns the open `always` questions that fail, each with the nearest state of one bottom
/// component without such a state.
pub(super) fn bottom(
    space: &Explicit<'_>,
    states: &mut StateTable,
    open_questions: &QuestionSet<'_>,
    graph: &SweepGraph,
    budget: &Budget,
) -> Result<Vec<(usize, u32)>, Stop> {
    let asked = open_questions
        .open()
        .filter_map(|q| match open_questions.question(q) {
            StateQuestion::Always(predicate) => Some((q, predicate)),
            _ => None,
        });
    let mut open: Vec<(usize, &Predicate)> = asked.collect();
    let mut lost = Vec::new();
    let mut lease = budget.lease();
    lease.resize(graph.len() * 24)?;
    components(graph, budget, |component| {
        let inside = |state: &u32| component.binary_search(state).is_ok();
        let is_bottom = component
            .iter()
            .all(|state| graph.successors(*state as usize).iter().all(inside));
        if !is_bottom || open.is_empty() {
            return Ok(());
        }
        let mut missing = open.clone();
        for (i, state) in component.iter().enumerate() {
            if i % POLL_INTERVAL == 0 {
                budget.check()?;
            }
            let id = ExplicitStateId(*state);
            missing.retain(|(_, predicate)| !space.holds(states, id, predicate));
            if missing.is_empty() {
                return Ok(());
            }
        }
        lost.extend(missing.iter().map(|(q, _)| (*q, component[0])));
        open.retain(|(q, _)| !missing.iter().any(|(m, _)| m == q));
        Ok(())
    })?;
    Ok(lost)
}

/// Calls `each` with the sorted states of every component, successors first.
fn components(
    graph: &SweepGraph,
    budget: &Budget,
    mut each: impl FnMut(&[u32]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let count = graph.len();
    let (mut index, mut low) = (vec![NEW; count], vec![0u32; count]);
    let (mut stack, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    let mut on_stack = vec![false; count];
    let mut next = 0;
    let mut component = Vec::new();
    for root in 0..count as u32 {
        if index[root as usize] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some((state, edge)) = path.last_mut() {
            let at = *state as usize;
            if *edge == 0 {
                if (next as usize).is_multiple_of(POLL_INTERVAL) {
                    budget.check()?;
                }
                (index[at], low[at], on_stack[at]) = (next, next, true);
                next += 1;
                stack.push(*state);
            }
            if let Some(to) = graph.successors(at).get(*edge as usize) {
                *edge += 1;
                let to = *to as usize;
                if index[to] == NEW {
                    path.push((to as u32, 0));
                } else if on_stack[to] {
                    low[at] = low[at].min(index[to]);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last() {
                let before = *before as usize;
                low[before] = low[before].min(low[at]);
            }
            if low[at] == index[at] {
                component.clear();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    component.push(member);
                    if member as usize == at {
                        break;
                    }
                }
                component.sort_unstable();
                each(&component)?;
            }
        }
    }
    Ok(())
}
