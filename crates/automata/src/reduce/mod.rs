//! Reductions: smaller automata for the same language, one reduction per file.

pub mod acceptance;
pub mod simulation;
pub mod trim;
pub mod wdba;

use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, GuardMap, Guards};
use rustc_hash::FxHashMap;

/// Merges edges that differ only in their guards, and sorts the edges of every state.
pub fn merge_edges(a: &mut Automaton) {
    for edges in &mut a.states {
        *edges = merged(edges, &mut a.guards);
    }
}

/// The edges of a state, merged and sorted.
pub(crate) fn merged(edges: &[Transition], guards: &mut Guards) -> Vec<Transition> {
    let mut merged = GuardMap::new();
    for t in edges {
        merged.add((t.to, t.marks), t.guard, guards);
    }
    merged.edges()
}

/// Restricts the automaton to the states with `keep`, renumbered.
pub(crate) fn retain_states(a: &mut Automaton, keep: &[bool]) {
    let mut name = vec![None; a.states.len()];
    let kept = name.iter_mut().zip(keep).filter(|(_, keep)| **keep);
    for (count, (slot, _)) in kept.enumerate() {
        *slot = Some(StateId(count as u32));
    }
    let states = std::mem::take(&mut a.states);
    for (edges, _) in states.into_iter().zip(keep).filter(|(_, keep)| **keep) {
        let renamed = |t: Transition| name[t.to.index()].map(|to| Transition { to, ..t });
        a.states
            .push(edges.into_iter().filter_map(renamed).collect());
    }
    a.initial = a.initial.iter().filter_map(|q| name[q.index()]).collect();
}

/// Copies the used guards into the empty store `fresh`.
pub(crate) fn collect_garbage(a: &mut Automaton, mut fresh: Guards) {
    let atoms: Vec<usize> = (0..a.atoms.len()).collect();
    let mut memo: FxHashMap<Guard, Guard> = FxHashMap::default();
    for edges in &mut a.states {
        for t in edges {
            let known = memo.entry(t.guard);
            t.guard = *known.or_insert_with(|| fresh.import(&a.guards, t.guard, &atoms));
        }
    }
    a.guards = fresh;
}
