//! Sets of explicit states, one bit each.

use lariat_space::explicit::ExplicitStateId;

#[derive(Debug, Default)]
pub(crate) struct StateSet(Vec<u64>);

impl StateSet {
    /// Adds a state; false if the set contains it.
    pub fn insert(&mut self, state: ExplicitStateId) -> bool {
        let (word, bit) = (state.index() / 64, 1 << (state.index() % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    pub fn contains(&self, state: ExplicitStateId) -> bool {
        let word = self.0.get(state.index() / 64);
        word.is_some_and(|word| word >> (state.index() % 64) & 1 == 1)
    }

    /// Adds the states of another set.
    pub fn extend(&mut self, other: &StateSet) {
        let words = self.0.len().max(other.0.len());
        self.0.resize(words, 0);
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
}
