//! Reductions of testing automata: useless states, useless marks, simulation.
//!
//! - States are removed if they are unreachable, or if neither a livelock state nor a component
//!   with all marks is reachable from them.
//! - Marks matter on cycles only. On other edges, all marks help to merge a state with its
//!   successor, and no marks help to compare edges; both are tried in turn.
//! - Direct simulation: t simulates s if it is a livelock state where s is one and answers each
//!   edge of s by an edge with the same change, at least its marks, and a target that simulates the
//!   other. Stuttering moves neither, so the relation carries over to products. States that
//!   simulate each other are merged; an edge answered by a better one is removed.
//!
//! Bisimilar states, which the papers merge, simulate each other. They are merged first because
//! this is cheap, while simulation costs edges² guard operations per round. Very large automata are
//! only merged by bisimulation.

use super::{Testing, TestingState};
use crate::automaton::{StateId, Transition};
use crate::degeneralize::Placement;
use crate::guard::{GuardMap, Guards};
use crate::reduce::merged;
use crate::scc::{Components, components};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;

/// Maximum number of edges for simulation.
const MOST_COMPARED: usize = 1000;

/// Reduces `t`. Marks on states stay on states.
pub(super) fn reduce(t: &mut Testing, marks: Placement, budget: &Budget) -> Result<(), Stop> {
    let all = t.all_marks();
    loop {
        let before = (t.states.len(), t.edge_count());
        trim(t);
        for outside in [all, Marks::NONE] {
            settle_marks(t, marks, outside);
            merge_edges(t);
            bisimulate(t, budget)?;
            if t.edge_count() <= MOST_COMPARED {
                simulate(t, budget)?;
            }
        }
        if (t.states.len(), t.edge_count()) == before {
            return Ok(());
        }
    }
}

/// Merges bisimilar states of `t` and removes useless ones: the reductions of the papers.
pub(super) fn bisimilar(t: &mut Testing, budget: &Budget) -> Result<(), Stop> {
    trim(t);
    merge_edges(t);
    bisimulate(t, budget)
}

/// The components of the graph of changes.
pub(super) fn change_components(t: &Testing) -> Components {
    components(t.states.len(), |n, k| {
        t.states[n].changes.get(k).map(|e| e.to.index())
    })
}

/// The marks on the inner edges of each component.
fn inner_marks(t: &Testing, scc: &Components) -> Vec<Marks> {
    let mut marks = vec![Marks::NONE; scc.count];
    for (n, state) in t.states.iter().enumerate() {
        for e in &state.changes {
            if scc.of[e.to.index()] == scc.of[n] {
                let slot = &mut marks[scc.of[n] as usize];
                *slot = slot.union(e.marks);
            }
        }
    }
    marks
}

fn trim(t: &mut Testing) {
    let scc = change_components(t);
    let marks = inner_marks(t, &scc);
    // There is at least one mark, so a component without inner edges is not accepting.
    let mut fruitful: Vec<bool> = marks.iter().map(|m| m.contains(t.all_marks())).collect();
    let mut order: Vec<usize> = (0..t.states.len()).collect();
    order.sort_by_key(|n| scc.of[*n]);
    for n in order {
        let state = &t.states[n];
        let leads = |e: &Transition| fruitful[scc.of[e.to.index()] as usize];
        if state.livelock || state.changes.iter().any(leads) {
            fruitful[scc.of[n] as usize] = true;
        }
    }
    let useful = |q: StateId| fruitful[scc.of[q.index()] as usize];
    let mut reached = vec![false; t.states.len()];
    let initial = t.initial.iter().map(|(q, _)| *q);
    let mut todo: Vec<StateId> = initial.filter(|q| useful(*q)).collect();
    while let Some(q) = todo.pop() {
        if !std::mem::replace(&mut reached[q.index()], true) {
            let next = t.states[q.index()].changes.iter().map(|e| e.to);
            todo.extend(next.filter(|q| useful(*q)));
        }
    }
    let mut next = (0..).map(StateId);
    let name = |kept: bool| if kept { next.next() } else { None };
    let names: Vec<Option<StateId>> = reached.into_iter().map(name).collect();
    rename(t, &names);
}

/// Renames states; removes those without a name and the edges to them. Of several states with one
/// name the first is kept.
fn rename(t: &mut Testing, names: &[Option<StateId>]) {
    let old = std::mem::take(&mut t.states);
    for (n, mut state) in old.into_iter().enumerate() {
        if names[n].is_some_and(|name| name.index() == t.states.len()) {
            let renamed = |e: Transition| names[e.to.index()].map(|to| Transition { to, ..e });
            state.changes = state.changes.into_iter().filter_map(renamed).collect();
            t.states.push(state);
        }
    }
    let mut initial = GuardMap::new();
    for (q, letters) in &t.initial {
        if let Some(name) = names[q.index()] {
            initial.add(name, *letters, &mut t.guards);
        }
    }
    t.initial = initial.sorted();
}

/// Removes marks that no accepting cycle can use; on edges that are on no cycle, where marks are
/// irrelevant, they are set to `outside`.
fn settle_marks(t: &mut Testing, placement: Placement, outside: Marks) {
    let scc = change_components(t);
    let mut marks = inner_marks(t, &scc);
    let all = t.all_marks();
    if placement == Placement::Edges {
        for (n, state) in t.states.iter().enumerate() {
            if state.livelock {
                marks[scc.of[n] as usize] = all;
            }
        }
    }
    for (n, state) in t.states.iter_mut().enumerate() {
        let here = scc.of[n];
        let leaves = |e: &Transition| scc.of[e.to.index()] != here;
        let transient = state.changes.iter().all(leaves);
        let accepting = marks[here as usize].contains(all);
        for e in &mut state.changes {
            let free = match placement {
                Placement::Edges => leaves(e),
                Placement::States => transient,
            };
            if free {
                e.marks = outside;
            } else if !accepting {
                e.marks = Marks::NONE;
            }
        }
    }
}

/// Merges edges that differ only in their guards.
fn merge_edges(t: &mut Testing) {
    for state in &mut t.states {
        state.changes = merged(&state.changes, &mut t.guards);
    }
}

/// Merges states that simulate each other and removes edges answered by better ones.
fn simulate(t: &mut Testing, budget: &Budget) -> Result<(), Stop> {
    let n = t.states.len();
    let mut above: Vec<bool> = Vec::with_capacity(n * n);
    for s in &t.states {
        above.extend(t.states.iter().map(|other| !s.livelock || other.livelock));
    }
    loop {
        let mut changed = false;
        for s in 0..n {
            budget.check()?;
            for other in 0..n {
                if above[s * n + other]
                    && s != other
                    && !answers(&mut t.guards, &t.states, &above, s, other)
                {
                    above[s * n + other] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut names: Vec<Option<StateId>> = Vec::with_capacity(n);
    let mut kept: Vec<usize> = Vec::new();
    for s in 0..n {
        let twin = (0..s).find(|&other| above[s * n + other] && above[other * n + s]);
        names.push(match twin {
            Some(twin) => names[twin],
            None => {
                kept.push(s);
                Some(StateId(kept.len() as u32 - 1))
            }
        });
    }
    rename(t, &names);
    merge_edges(t);
    let above = |low: StateId, high: StateId| above[kept[low.index()] * n + kept[high.index()]];
    for state in &mut t.states {
        let all = state.changes.clone();
        for (i, e) in state.changes.iter_mut().enumerate() {
            for (j, better) in all.iter().enumerate() {
                if i != j && better.marks.contains(e.marks) && above(e.to, better.to) {
                    e.guard = t.guards.minus(e.guard, better.guard);
                }
            }
        }
        state.changes.retain(|e| e.guard != Guards::FALSE);
    }
    let all = t.initial.clone();
    for (q, letters) in &mut t.initial {
        for (better, more) in &all {
            if q != better && above(*q, *better) {
                *letters = t.guards.minus(*letters, *more);
            }
        }
    }
    t.initial.retain(|(_, letters)| *letters != Guards::FALSE);
    Ok(())
}

/// Returns whether `other` answers every edge of `s`.
fn answers(
    guards: &mut Guards,
    states: &[TestingState],
    above: &[bool],
    s: usize,
    other: usize,
) -> bool {
    states[s].changes.iter().all(|e| {
        let mut open = e.guard;
        for answer in &states[other].changes {
            let better = above[e.to.index() * states.len() + answer.to.index()];
            if better && answer.marks.contains(e.marks) {
                open = guards.minus(open, answer.guard);
                if open == Guards::FALSE {
                    return true;
                }
            }
        }
        false
    })
}

/// Merges bisimilar states.
fn bisimulate(t: &mut Testing, budget: &Budget) -> Result<(), Stop> {
    let mut class: Vec<u32> = t.states.iter().map(|s| u32::from(s.livelock)).collect();
    let mut classes = 0;
    loop {
        budget.check()?;
        let mut ids = FxHashMap::default();
        let mut refined = Vec::with_capacity(class.len());
        for (n, state) in t.states.iter().enumerate() {
            let mut edges = GuardMap::new();
            for e in &state.changes {
                edges.add((class[e.to.index()], e.marks), e.guard, &mut t.guards);
            }
            let next = ids.len() as u32;
            refined.push(*ids.entry((class[n], edges.sorted())).or_insert(next));
        }
        class = refined;
        if ids.len() == classes {
            break;
        }
        classes = ids.len();
    }
    // Classes are numbered in the order of their first members, as `rename` requires.
    let names: Vec<Option<StateId>> = class.into_iter().map(|c| Some(StateId(c))).collect();
    rename(t, &names);
    merge_edges(t);
    Ok(())
}
