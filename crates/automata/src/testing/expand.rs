//! Conversion of testing automata to ordinary automata.
//!
//! A state of the result is (t, k): the testing automaton is in t, the letter is k. It reads k, and
//!
//! ```text
//! (t, k) –k,m→ (d, k⊕c)   iff   t –c,m→ d          (t, k) –k→ (t, k)
//! ```
//!
//! The loop of a livelock state carries all marks, or, if only staying indefinitely is accepted,
//! leads to a copy of the pair that has only this loop. Exchange formats have no change sets; this
//! is the equivalent automaton, with a copy of each state per letter.

use super::{Testing, letters};
use crate::automaton::{Automaton, Discovered, StateId, Transition};
use crate::cube::Cube;
use crate::guard::{Guards, Letter};
use lariat_emptiness::Marks;

/// Acceptance of staying in a livelock state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Livelock {
    /// Each stuttering step collects all marks.
    InPlace,
    /// Only staying indefinitely accepts.
    Apart,
}

pub(super) fn expand(t: &Testing, livelock: Livelock) -> Automaton {
    // Pairs of a state and a letter; the state `None` stays indefinitely.
    let mut pairs = Discovered::new();
    let mut initial = Vec::new();
    for (q, first) in &t.initial {
        for letter in letters(&t.guards, *first, t.observed) {
            initial.push(pairs.state((Some(*q), letter)));
        }
    }
    let mut guards = Guards::new();
    let mut states = Vec::new();
    while states.len() < pairs.keys.len() {
        let here = StateId(states.len() as u32);
        let (state, letter) = pairs.keys[here.index()];
        let guard = guards.cube(Cube {
            positive: letter.0,
            negative: t.observed & !letter.0,
        });
        let mut edges = Vec::new();
        let mut add = |marks, to| edges.push(Transition { guard, marks, to });
        match state.map(|q: StateId| &t.states[q.index()]) {
            None => add(t.all_marks(), here),
            Some(state) => {
                let in_place = state.livelock && livelock == Livelock::InPlace;
                add(if in_place { t.all_marks() } else { Marks::NONE }, here);
                if state.livelock && !in_place {
                    add(Marks::NONE, pairs.state((None, letter)));
                }
                for e in &state.changes {
                    for change in letters(&t.guards, e.guard, t.observed) {
                        let changed = Letter(letter.0 ^ change.0);
                        add(e.marks, pairs.state((Some(e.to), changed)));
                    }
                }
            }
        }
        states.push(edges);
    }
    Automaton {
        atoms: t.atoms.clone(),
        guards,
        mark_count: t.mark_count,
        initial,
        states,
    }
}
