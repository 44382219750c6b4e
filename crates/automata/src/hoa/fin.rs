//! Elimination of co-Büchi sets, whose edges a run may take only finitely often.
//!
//! If no component mixes such edges with other inner edges (the automaton is *weak*), a run takes
//! them finitely often iff it takes the others infinitely often, so a Büchi set suffices. Otherwise
//! the automaton is copied without them: a run guesses when it has taken the last of them and moves
//! to the copy, whose edges form the Büchi set. (O. Kupferman and M. Vardi, *Weak alternating
//! automata are not that weak*, ToCL 2001.)

use crate::automaton::{Automaton, StateId, Transition};
use crate::scc::automaton_components;
use lariat_emptiness::Marks;

/// Replaces the co-Büchi sets `fin` by the Büchi set `mark`, which is one of them; the language is
/// unchanged.
pub(super) fn without_fin(a: &mut Automaton, fin: Marks, mark: Marks) {
    let taken = |t: &Transition| !t.marks.intersection(fin).is_empty();
    let of = automaton_components(a).of;
    let mut kinds = vec![[false; 2]; a.states.len()];
    for (q, t) in a.state_ids().flat_map(|q| {
        let edges = a.transitions(q).iter();
        edges.map(move |t| (q, t))
    }) {
        if of[q.index()] == of[t.to.index()] {
            kinds[of[q.index()] as usize][usize::from(taken(t))] = true;
        }
    }
    let is_weak = kinds.iter().all(|kinds| *kinds != [true; 2]);
    let safe = |t: &Transition| Transition {
        marks: t.marks.minus(fin).union(mark),
        ..*t
    };
    if is_weak {
        for t in a.states.iter_mut().flatten() {
            *t = if taken(t) {
                Transition {
                    marks: t.marks.minus(fin),
                    ..*t
                }
            } else {
                safe(t)
            };
        }
        return;
    }
    let size = a.states.len() as u32;
    let moved = |t: Transition| Transition {
        to: StateId(t.to.0 + size),
        ..t
    };
    let copy: Vec<Vec<Transition>> = (a.states.iter())
        .map(|edges| {
            let edges = edges.iter().filter(|t| !taken(t));
            edges.map(|t| moved(safe(t))).collect()
        })
        .collect();
    for edges in &mut a.states {
        for t in edges.iter_mut() {
            t.marks = Marks::NONE;
        }
        let jumps: Vec<Transition> = edges.iter().map(|t| moved(*t)).collect();
        edges.extend(jumps);
    }
    a.states.extend(copy);
}
