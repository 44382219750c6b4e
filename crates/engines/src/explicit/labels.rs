//! Labels of states: the state propositions that hold.
//!
//! Each label is computed once and interned, at four bytes per state.

use crate::alphabet::state_propositions;
use crate::problem::Problem;
use lariat_automata::Letter;
use lariat_budget::Stop;
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable};
use rustc_hash::FxHashMap;

/// Creates the state space of a problem, which observes the state propositions as bits of a letter.
pub(crate) fn labelled<'p>(problem: &Problem<'p>) -> Explicit<'p> {
    let atoms = state_propositions(problem.propositions).collect();
    Explicit::new(problem.system, problem.deadlock).observing(atoms)
}

/// Makes a table of states respect the problem's limit on tokens.
pub(crate) fn limited(problem: &Problem<'_>, mut states: StateTable) -> StateTable {
    if let Some(most) = problem.most_tokens {
        states.cut_above(most);
    }
    states
}

/// Index of a set of state propositions that holds in some state: dense, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(u32);

const UNLABELLED: u32 = u32::MAX;

/// Labels of one worker.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// The label of every state, [`UNLABELLED`] until [`Labels::label`] is called for it.
    by_state: Vec<u32>,
    letters: Vec<u64>,
    ids: FxHashMap<u64, u32>,
}

impl Labels {
    /// Returns the label of `state` in a [`labelled`] space. Calls `grown` when an array has grown.
    pub fn label(
        &mut self,
        space: &Explicit<'_>,
        states: &mut StateTable,
        state: ExplicitStateId,
        grown: impl FnOnce(usize) -> Result<(), Stop>,
    ) -> Result<Label, Stop> {
        if self.by_state.len() <= state.index() {
            let before = self.by_state.capacity();
            self.by_state.resize(state.index() + 1, UNLABELLED);
            if self.by_state.capacity() != before {
                grown(self.bytes())?;
            }
        }
        let known = self.by_state[state.index()];
        if known != UNLABELLED {
            return Ok(Label(known));
        }
        let bits = space.truth(states, state);
        let label = *self.ids.entry(bits).or_insert_with(|| {
            self.letters.push(bits);
            self.letters.len() as u32 - 1
        });
        self.by_state[state.index()] = label;
        Ok(Label(label))
    }

    pub fn letter(&self, label: Label) -> Letter {
        Letter(self.letters[label.0 as usize])
    }

    /// Returns the bytes held; maps are counted with their usual slack.
    pub fn bytes(&self) -> usize {
        self.by_state.capacity() * 4 + self.letters.capacity() * 8 + self.ids.capacity() * 20
    }
}
