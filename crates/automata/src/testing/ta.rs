//! Construction of testing automata (TA) from Büchi automata.
//!
//! A testing automaton has Büchi states and livelock states. It accepts a run with infinitely many
//! changes that visits Büchi states infinitely often, and a run with finitely many changes that
//! stays in a livelock state (Geldenhuys and Hansen, *Larger automata and less work for LTL model
//! checking*, SPIN 2006). With B|k the Büchi automaton on the edges that read k:
//!
//! ```text
//! (q, k) is a Büchi state      iff   q is one
//! (q, k) is a livelock state   iff   an accepting component of B|k is reachable from q in B|k
//! ```
//!
//! and edges without change are removed. These are Prop. 2 and 3 of Ben Salem, Duret-Lutz and
//! Kordon in one step: the first alone loses every word whose last letter repeats forever (E-8).
//!
//! A Büchi state is one whose edges carry the mark 0. A run leaves a state by a change or stays in
//! it indefinitely, so a run with infinitely many marks visits Büchi states infinitely often *and*
//! has infinitely many changes: the first pass of the check needs only marks.

use super::pairs::{PairEquivalence, merged_pairs};
use super::published::{LivelockConstruction, published};
use super::{Testing, expand, reduce};
use crate::automaton::{Automaton, StateId};
use crate::degeneralize::{Placement, degeneralize};
use lariat_budget::{Budget, Stop};

/// A testing automaton with Büchi and livelock states.
#[derive(Clone, Debug)]
pub struct Ta(pub Testing);

impl Ta {
    /// The testing automaton for the language of `a`, **which must be stutter-invariant**.
    ///
    /// [`Stop::Unsupported`] if it would be too large.
    pub fn new(a: &Automaton, budget: &Budget) -> Result<Ta, Stop> {
        let buchi = degeneralize(a, Placement::States);
        let mut testing = merged_pairs(&buchi, PairEquivalence::Staying, budget)?.testing;
        reduce::reduce(&mut testing, Placement::States, budget)?;
        Ok(Ta(testing))
    }

    /// The published construction: larger, since only bisimilar states are merged.
    pub fn published(a: &Automaton, budget: &Budget) -> Result<Ta, Stop> {
        let buchi = degeneralize(a, Placement::States);
        published(&buchi, LivelockConstruction::Reaching, budget).map(Ta)
    }

    /// Returns whether `state` is a Büchi state.
    pub fn accepting(&self, state: StateId) -> bool {
        let changes = &self.0.states[state.index()].changes;
        changes.iter().any(|e| !e.marks.is_empty())
    }

    /// An ordinary automaton with the same language, for formats without change sets.
    pub fn to_automaton(&self) -> Automaton {
        expand::expand(&self.0, expand::Livelock::Apart)
    }
}
