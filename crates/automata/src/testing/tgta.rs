//! Construction of generalized testing automata (TGTA) from TGBA.
//!
//! A transition-based generalized testing automaton accepts by marks on edges. Each state has one
//! edge without change, a loop with all marks on livelock states and none on others. With A|k the
//! TGBA on the edges that read k, and pairs as in `pairs.rs`:
//!
//! 1. (q, k) with q in an accepting component of A|k is a livelock state: a run that stutters there
//!    may traverse that component and return.
//! 2. (q, k) where q only reaches such a component must accept staying indefinitely, but a run that
//!    stutters finitely often and continues has collected no marks. Prop. 5 of Ben Salem,
//!    Duret-Lutz and Kordon copies every edge into (q, k) to each livelock state that is reached.
//!    This implementation copies less: only words that end by stuttering need these copies, since
//!    all others are accepted with their repetitions removed. If every change cycle through (q, k)
//!    accepts anyway, or there is none, (q, k) itself becomes a livelock state; otherwise one sink,
//!    a livelock state without edges, is the target of the copies.
//! 3. All other edges without change are removed.
//!
//! An automaton without marks first gets one on every edge: otherwise the loops of *all* states
//! would accept (E-7). The reduction is that of `reduce.rs`.

use super::pairs::{Merged, PairEquivalence, merged_pairs};
use super::published::{LivelockConstruction, published};
use super::{Testing, TestingState, expand, reduce};
use crate::automaton::{Automaton, StateId, Transition};
use crate::degeneralize::Placement;
use crate::guard::Guards;
use crate::scc::{Components, components};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;

/// A transition-based generalized testing automaton.
///
/// Staying in a livelock state collects all marks, staying in another none.
#[derive(Clone, Debug)]
pub struct Tgta(pub Testing);

impl Tgta {
    /// The testing automaton for the language of `a`, **which must be stutter-invariant**.
    ///
    /// [`Stop::Unsupported`] if it would be too large.
    pub fn new(a: &Automaton, budget: &Budget) -> Result<Tgta, Stop> {
        let merged = merged_pairs(&with_a_mark(a), PairEquivalence::Returning, budget)?;
        let mut testing = settle(merged);
        reduce::reduce(&mut testing, Placement::Edges, budget)?;
        Ok(Tgta(testing))
    }

    /// The published construction: larger, since edges are copied to every reachable livelock
    /// state, and only bisimilar states are merged.
    pub fn published(a: &Automaton, budget: &Budget) -> Result<Tgta, Stop> {
        published(&with_a_mark(a), LivelockConstruction::Copied, budget).map(Tgta)
    }

    /// An ordinary automaton with the same language, for formats without change sets.
    pub fn to_automaton(&self) -> Automaton {
        expand::expand(&self.0, expand::Livelock::InPlace)
    }
}

/// `a` with at least one mark.
fn with_a_mark(a: &Automaton) -> Automaton {
    let mut marked = a.clone();
    marked.ensure_mark();
    marked
}

/// Restricts `livelock` to states where stuttering may collect all marks; the others get copies of
/// their incoming edges to a sink.
fn settle(merged: Merged) -> Testing {
    let Merged {
        testing: mut t,
        returns,
    } = merged;
    let scc = reduce::change_components(&t);
    let accepting = accepting_throughout(&t, &scc);
    let sink = StateId(t.states.len() as u32);
    let mut copied = vec![false; t.states.len()];
    for (n, state) in t.states.iter_mut().enumerate() {
        if state.livelock && !returns[n] && !accepting[scc.of[n] as usize] {
            state.livelock = false;
            copied[n] = true;
        }
    }
    for state in &mut t.states {
        let mut into_sink = Guards::FALSE;
        for e in state.changes.iter().filter(|e| copied[e.to.index()]) {
            into_sink = t.guards.or(into_sink, e.guard);
        }
        state.changes.push(Transition {
            guard: into_sink,
            marks: Marks::NONE,
            to: sink,
        });
    }
    t.states.push(TestingState {
        livelock: true,
        changes: Vec::new(),
    });
    let begin = t.initial.iter().filter(|(q, _)| copied[q.index()]);
    let begin = begin.fold(Guards::FALSE, |all, (_, letters)| {
        t.guards.or(all, *letters)
    });
    t.initial.push((sink, begin));
    t
}

/// For every component, whether each of its cycles carries all marks. True without cycles.
fn accepting_throughout(t: &Testing, scc: &Components) -> Vec<bool> {
    let mut result = vec![true; scc.count];
    for mark in t.all_marks().iter().map(Marks::one) {
        // A cycle that avoids the mark lies in a component of the edges without it.
        let avoiding: Vec<Vec<usize>> = t
            .states
            .iter()
            .enumerate()
            .map(|(n, state)| {
                let inner =
                    |e: &&Transition| scc.of[e.to.index()] == scc.of[n] && !e.marks.contains(mark);
                let inner = state.changes.iter().filter(inner);
                inner.map(|e| e.to.index()).collect()
            })
            .collect();
        let rest = components(avoiding.len(), |n, k| avoiding[n].get(k).copied());
        for (n, edges) in avoiding.iter().enumerate() {
            if edges.iter().any(|to| rest.of[*to] == rest.of[n]) {
                result[scc.of[n] as usize] = false;
            }
        }
    }
    result
}
