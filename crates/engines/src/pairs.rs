//! Nodes of products: pairs of a state and a state of the automaton.

use lariat_automata::StateId as Location;
use lariat_budget::{Budget, Stop};
use lariat_emptiness::NodeId;
use lariat_space::explicit::{Interner, StateId};

/// The pairs found so far, by one worker. A new one is a unit of work.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// The state in the low half, the automaton's in the high half of a word.
    words: Interner,
    budget: Budget,
}

impl Pairs {
    /// None yet, for an automaton with this many states.
    pub fn new(locations: usize, budget: &Budget) -> Pairs {
        let bits = u32::BITS - (locations as u32).leading_zeros();
        Pairs {
            words: Interner::new(4 + bits.div_ceil(8) as usize, budget),
            budget: budget.clone(),
        }
    }

    pub fn get(&self, node: NodeId) -> (StateId, Location) {
        let word = self.words.get(node.0).next().unwrap_or(0);
        (StateId(word as u32), Location((word >> 32) as u32))
    }

    pub fn intern(&mut self, state: StateId, location: Location) -> Result<NodeId, Stop> {
        let word = u64::from(state.0) | u64::from(location.0) << 32;
        let (id, new) = self.words.intern(&[word])?;
        if new {
            self.budget.spend(1)?;
        }
        Ok(NodeId(id))
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }
}
