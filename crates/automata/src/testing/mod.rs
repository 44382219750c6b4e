//! Testing automata: automata that read *changes*.
//!
//! A testing automaton starts in a state that fits the first letter and then moves only when the
//! letter changes: an edge is labelled by the set of atoms whose truth value flips. While no
//! observed atom changes it stays in its state, so its language is stutter-invariant by
//! construction, and so must be the language of the automaton from which it is built. Its products
//! with large systems, whose steps mostly change no observed atom, are small.
//!
//! Two kinds differ in acceptance (Ben Salem, Duret-Lutz and Kordon, *Model checking using
//! generalized testing automata*, ToPNoC VI, 2012):
//!
//! - [`Tgta`]: by marks on edges, as a TGBA; staying indefinitely in a livelock state collects all
//!   marks. One ordinary emptiness check decides.
//! - [`Ta`]: by a Büchi mark on states, with infinitely many changes, *or* by staying indefinitely
//!   in a livelock state. The check needs a second pass.
//!
//! Both are built in the same steps: `pairs.rs` pairs states with letters and merges equivalent
//! pairs, `reduce.rs` reduces the result; the kinds differ in between. Both have the representation
//! [`Testing`].

mod expand;
mod pairs;
mod published;
mod reduce;
mod ta;
mod tgta;
mod trie;
mod write;

pub use ta::Ta;
pub use tgta::Tgta;
pub use write::{write_testing_dot, write_testing_json};

use crate::automaton::{StateId, Transition};
use crate::guard::{Guard, Guards, Letter};
use lariat_emptiness::Marks;
use lariat_ltl::AtomId;

/// The representation of both kinds of testing automata.
#[derive(Clone, Debug)]
pub struct Testing {
    /// The atoms of the original automaton: bit `i` of a letter is `atoms[i]`.
    pub atoms: Vec<AtomId>,
    /// The observed atoms, as bits: changes of other atoms are ignored.
    pub observed: u64,
    /// The store of the guards: sets of first letters, and sets of change sets.
    pub guards: Guards,
    /// The number of acceptance marks.
    pub mark_count: u32,
    /// Initial states, each with its first letters.
    pub initial: Vec<(StateId, Guard)>,
    /// The states.
    pub states: Vec<TestingState>,
}

/// A state of a testing automaton.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TestingState {
    /// True if staying here indefinitely accepts.
    pub livelock: bool,
    /// The edges; the guard is a set of sets of changed atoms, without the empty set.
    pub changes: Vec<Transition>,
}

impl Testing {
    /// The marks that an accepting run carries infinitely often.
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.mark_count)
    }

    /// The observed atoms that differ between two letters.
    pub fn change(&self, from: Letter, to: Letter) -> Letter {
        Letter((from.0 ^ to.0) & self.observed)
    }

    /// The edges of `state` for a non-empty change.
    pub fn changing(&self, state: StateId, change: Letter) -> impl Iterator<Item = &Transition> {
        self.states[state.index()]
            .changes
            .iter()
            .filter(move |t| self.guards.accepts(t.guard, change))
    }

    /// The initial states for this first letter.
    pub fn starting(&self, letter: Letter) -> impl Iterator<Item = StateId> {
        self.initial
            .iter()
            .filter(move |(_, letters)| self.guards.accepts(*letters, letter))
            .map(|(state, _)| *state)
    }

    /// Number of edges; one edge represents all change sets of its guard.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|s| s.changes.len()).sum()
    }

    /// Number of transitions, counting every change set separately.
    pub fn transition_count(&self) -> u64 {
        let edges = self.states.iter().flat_map(|s| &s.changes);
        edges
            .map(|t| letters(&self.guards, t.guard, self.observed).count() as u64)
            .sum()
    }
}

/// The letters over the atoms of `observed` that are in `guard`.
pub(crate) fn letters(
    guards: &Guards,
    guard: Guard,
    observed: u64,
) -> impl Iterator<Item = Letter> + '_ {
    submasks(observed).filter(move |l| guards.accepts(guard, *l))
}

/// All letters over the atoms of `observed`, in increasing order.
pub(crate) fn submasks(observed: u64) -> impl Iterator<Item = Letter> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let this = next?;
        let following = (this | !observed).wrapping_add(1) & observed;
        next = (following != 0).then_some(following);
        Some(Letter(this))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_over_some_atoms_are_sorted() {
        let found: Vec<u64> = submasks(0b1010).map(|l| l.0).collect();
        assert_eq!(found, [0, 0b10, 0b1000, 0b1010]);
        assert_eq!(submasks(0).count(), 1);
    }
}
