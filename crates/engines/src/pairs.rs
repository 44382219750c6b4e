//! Nodes of products: pairs of a state and a state of the automaton.

use lariat_automata::StateId as Location;
use lariat_budget::{Budget, Stop};
use lariat_emptiness::NodeId;
use lariat_space::explicit::{Interner, StateId};

/// The pairs found so far, by one worker. A new one is a unit of work.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// The state in the first cell, the automaton's in the second.
    cells: Interner,
    budget: Budget,
    is_sealed: bool,
}

impl Pairs {
    /// None yet, for an automaton with this many states.
    pub fn new(locations: usize, budget: &Budget) -> Pairs {
        let bits = u32::BITS - (locations as u32).leading_zeros();
        Pairs {
            cells: Interner::new(4 + bits.div_ceil(8) as usize, budget),
            budget: budget.clone(),
            is_sealed: false,
        }
    }

    /// From now on no pair is added.
    pub fn seal(&mut self) {
        self.is_sealed = true;
    }

    pub fn get(&self, node: NodeId) -> (StateId, Location) {
        let mut cells = self.cells.get(node.0);
        let mut next = || cells.next().unwrap_or(0);
        (StateId(next()), Location(next()))
    }

    /// The number of a pair; `None` if it is unknown and stays so.
    pub fn reach(&mut self, state: StateId, location: Location) -> Result<Option<NodeId>, Stop> {
        match self.is_sealed {
            true => Ok(self.cells.find(&[state.0, location.0]).map(NodeId)),
            false => self.intern(state, location).map(Some),
        }
    }

    pub fn intern(&mut self, state: StateId, location: Location) -> Result<NodeId, Stop> {
        let (id, new) = self.cells.intern(&[state.0, location.0])?;
        if new {
            self.budget.spend(1)?;
        }
        Ok(NodeId(id))
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }
}
