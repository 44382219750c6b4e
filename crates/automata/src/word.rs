//! Ultimately periodic words and membership tests.

use crate::automaton::{Automaton, StateId};
use crate::guard::Letter;
use crate::scc::accepting_components;
use lariat_emptiness::Marks;

/// The word `prefix · cycle^ω` over the atoms of one automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The finite prefix.
    pub prefix: Vec<Letter>,
    /// The repeated part; not empty.
    pub cycle: Vec<Letter>,
}

impl Automaton {
    /// Returns whether the word is in the language; false for an empty cycle.
    ///
    /// Cost: a walk along the prefix, then states × length of the cycle.
    pub fn accepts(&self, word: &Word) -> bool {
        self.accepts_from(&self.initial, word)
    }

    /// Returns whether a run from one of `states` accepts the word.
    pub fn accepts_from(&self, states: &[StateId], word: &Word) -> bool {
        let mut here = states.to_vec();
        for &letter in &word.prefix {
            let mut next: Vec<StateId> = here
                .iter()
                .flat_map(|&q| self.reading(q, letter).map(|t| t.to))
                .collect();
            next.sort_unstable();
            next.dedup();
            here = next;
        }
        let length = word.cycle.len();
        if length == 0 || here.is_empty() {
            return false;
        }
        // Nodes are (state, position in the cycle), interned in the order of discovery.
        let mut index = vec![u32::MAX; self.states.len() * length];
        let mut nodes: Vec<(StateId, usize)> = Vec::new();
        let mut edges: Vec<Vec<(usize, Marks)>> = Vec::new();
        let mut intern = |q: StateId, i: usize, nodes: &mut Vec<_>| {
            let slot = &mut index[q.index() * length + i];
            if *slot == u32::MAX {
                *slot = nodes.len() as u32;
                nodes.push((q, i));
            }
            *slot as usize
        };
        for &q in &here {
            intern(q, 0, &mut nodes);
        }
        while edges.len() < nodes.len() {
            let (q, i) = nodes[edges.len()];
            let next = (i + 1) % length;
            let out = self
                .reading(q, word.cycle[i])
                .map(|t| (intern(t.to, next, &mut nodes), t.marks))
                .collect();
            edges.push(out);
        }
        accepting_components(&edges, self.all_marks())
            .1
            .contains(&true)
    }
}
