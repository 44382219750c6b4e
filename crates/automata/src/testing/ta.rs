//! BA → TA.
//!
//! A testing automaton has Büchi states and livelock states. It accepts a run with infinitely many
//! changes that visits Büchi states infinitely often, and a run that changes finitely often and
//! stays in a livelock state (Geldenhuys and Hansen, *Larger automata and less work for LTL model
//! checking*, SPIN 2006). With B|k the Büchi automaton on the edges that read k:
//!
//! ```text
//! (q, k) is a Büchi state      iff   q is one
//! (q, k) is a livelock state   iff   an accepting component of B|k is reachable from q in B|k
//! ```
//!
//! and no edge without change is left. These are Prop. 2 and 3 of Ben Salem, Duret-Lutz and
//! Kordon in one step: alone, the first loses every word whose last letter repeats for ever (E-8).
//!
//! Here a Büchi state is one whose edges carry the mark 0. A run leaves a state by a change or
//! stays in it for ever, so a run with infinitely many marks has visited infinitely many Büchi states *and* has
//! infinitely many changes: the first pass of the check needs nothing but marks.

use super::pairs::{Alike, merged_pairs};
use super::published::{Livelocks, published};
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
        let mut testing = merged_pairs(&buchi, Alike::Staying, budget)?.testing;
        reduce::reduce(&mut testing, Placement::States, budget)?;
        Ok(Ta(testing))
    }

    /// The same as it was published: larger, since only bisimilar states are merged.
    pub fn published(a: &Automaton, budget: &Budget) -> Result<Ta, Stop> {
        let buchi = degeneralize(a, Placement::States);
        published(&buchi, Livelocks::Reaching, budget).map(Ta)
    }

    /// Is `state` a Büchi state?
    pub fn accepting(&self, state: StateId) -> bool {
        let changes = &self.0.states[state.index()].changes;
        changes.iter().any(|e| !e.marks.is_empty())
    }

    /// An ordinary automaton with the same language, for formats that know no changes.
    pub fn to_automaton(&self) -> Automaton {
        expand::expand(&self.0, expand::Livelock::Apart)
    }
}
