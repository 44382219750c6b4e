//! Components of the automaton: acceptance, and distances to accepting components.

use crate::explicit::single::is_forever;
use crate::problem::Problem;
use lariat_automata::{
    AutomatonComponents, StateId as Location, accepting_forever, automaton_components,
};

/// Components and acceptance of the automaton, as a search for accepted runs needs them.
pub(crate) struct AcceptanceMap {
    components: AutomatonComponents,
    /// Edges from each state to the nearest accepting component; [`NEVER`] if there is none.
    ranks: Vec<u32>,
    empty: bool,
    /// By state: every continuation is accepted. Empty if finite prefixes are no evidence.
    forever: Vec<bool>,
}

const NEVER: u32 = u32::MAX;

impl AcceptanceMap {
    pub fn new(problem: &Problem<'_>) -> AcceptanceMap {
        let automaton = problem.automaton;
        let components = automaton_components(automaton);
        let inside = |q: &Location| components.accepting(components.of[q.index()]);
        let mut ranks = vec![NEVER; automaton.states.len()];
        let mut layer: Vec<Location> = automaton.state_ids().filter(inside).collect();
        let mut rank = 0;
        while !layer.is_empty() {
            layer.iter().for_each(|q| ranks[q.index()] = rank);
            rank += 1;
            let leads_on = |q: &Location| {
                let mut edges = automaton.transitions(*q).iter();
                ranks[q.index()] == NEVER && edges.any(|t| ranks[t.to.index()] != NEVER)
            };
            layer = automaton.state_ids().filter(leads_on).collect();
        }
        let empty = (automaton.initial.iter()).all(|q| ranks[q.index()] == NEVER);
        AcceptanceMap {
            components,
            ranks,
            empty,
            forever: if problem.prefixes && problem.fairness.is_empty() {
                accepting_forever(automaton)
            } else {
                Vec::new()
            },
        }
    }

    /// Returns whether the language is empty.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    pub fn component(&self, q: Location) -> u32 {
        self.components.of[q.index()]
    }

    /// Returns whether some cycle through the component of `q` accepts.
    pub fn is_accepting(&self, q: Location) -> bool {
        self.rank(q) == 0
    }

    /// Returns whether an accepting component can be reached from `q`.
    pub fn is_alive(&self, q: Location) -> bool {
        self.rank(q) != NEVER
    }

    /// Returns whether every continuation from `q` is accepted and prefixes count as evidence.
    pub fn is_forever(&self, q: Location) -> bool {
        is_forever(&self.forever, q)
    }

    /// Returns whether two states are in one component.
    pub fn is_together(&self, q: Location, r: Location) -> bool {
        self.component(q) == self.component(r)
    }

    /// Returns the number of edges from `q` to the nearest accepting component.
    pub fn rank(&self, q: Location) -> u32 {
        self.ranks[q.index()]
    }
}
