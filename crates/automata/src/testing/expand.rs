//! Testing automata as ordinary ones.
//!
//! A state of the result is (t, k): the testing automaton is in t, the letter is k. It reads k, and
//!
//! ```text
//! (t, k) –k,m→ (d, k⊕c)   iff   t –c,m→ d          (t, k) –k→ (t, k)
//! ```
//!
//! The loop of a livelock state carries all marks, or leads, where only staying for ever
//! counts, to a copy of the pair that does nothing else. Exchange formats know no change sets;
//! this is what they can say, at the price of as many copies of a state as it meets letters.

use super::{Testing, letters};
use crate::automaton::{Automaton, StateId, Transition};
use crate::cube::Cube;
use crate::guard::{Guards, Letter};
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;

/// How staying in a livelock state is accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Livelock {
    /// Each step of staying collects all marks.
    InPlace,
    /// Only staying for ever.
    Apart,
}

pub(super) fn expand(t: &Testing, livelock: Livelock) -> Automaton {
    let mut names = Names::default();
    let mut initial = Vec::new();
    for (q, first) in &t.initial {
        for letter in letters(&t.guards, *first, t.observed) {
            initial.push(names.of(Some(*q), letter));
        }
    }
    let mut guards = Guards::new();
    let mut states = Vec::new();
    while states.len() < names.list.len() {
        let here = StateId(states.len() as u32);
        let (state, letter) = names.list[here.index()];
        let guard = guards.cube(Cube {
            positive: letter.0,
            negative: t.observed & !letter.0,
        });
        let mut edges = Vec::new();
        let mut add = |marks, to| edges.push(Transition { guard, marks, to });
        match state.map(|q| &t.states[q.index()]) {
            None => add(t.all_marks(), here),
            Some(state) => {
                let in_place = state.livelock && livelock == Livelock::InPlace;
                add(if in_place { t.all_marks() } else { Marks::NONE }, here);
                if state.livelock && !in_place {
                    add(Marks::NONE, names.of(None, letter));
                }
                for e in &state.changes {
                    for change in letters(&t.guards, e.guard, t.observed) {
                        let to = names.of(Some(e.to), Letter(letter.0 ^ change.0));
                        add(e.marks, to);
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

/// Pairs in the order of discovery; `None` stays for ever.
#[derive(Default)]
struct Names {
    list: Vec<(Option<StateId>, Letter)>,
    index: FxHashMap<(Option<StateId>, Letter), StateId>,
}

impl Names {
    fn of(&mut self, state: Option<StateId>, letter: Letter) -> StateId {
        let next = StateId(self.list.len() as u32);
        let id = *self.index.entry((state, letter)).or_insert(next);
        if id == next {
            self.list.push((state, letter));
        }
        id
    }
}
