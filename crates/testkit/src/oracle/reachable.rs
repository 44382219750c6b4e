//! The explicit reachability graph of a system.

use crate::interpret;
use lariat_model::{Deadlock, EventId, State, System};
use std::collections::HashMap;

/// The reachable states of a system with all steps between them.
#[derive(Clone, Debug)]
pub struct Reachable {
    /// The states, initial ones first.
    pub states: Vec<State>,
    /// Indices of the initial states.
    pub initial: Vec<usize>,
    /// Per state, the enabled events with the indices of their successors.
    pub steps: Vec<Vec<(Option<EventId>, usize)>>,
}

impl Reachable {
    /// Explores all reachable states; `None` if there are more than `cut`.
    pub fn explore(system: &System, cut: usize) -> Option<Reachable> {
        let mut known: HashMap<State, usize> = HashMap::new();
        let mut all = Reachable {
            states: Vec::new(),
            initial: Vec::new(),
            steps: Vec::new(),
        };
        for state in &system.initial {
            let next = all.states.len();
            let id = *known.entry(state.clone()).or_insert(next);
            if id == next {
                all.states.push(state.clone());
                all.initial.push(id);
            }
        }
        while all.steps.len() < all.states.len() {
            let mut steps = Vec::new();
            for (event, state) in interpret::steps(system, &all.states[all.steps.len()]) {
                let next = all.states.len();
                let id = *known.entry(state.clone()).or_insert(next);
                if id == next {
                    if next >= cut {
                        return None;
                    }
                    all.states.push(state);
                }
                steps.push((Some(event), id));
            }
            all.steps.push(steps);
        }
        Some(all)
    }

    /// Returns the graph under a deadlock policy.
    #[must_use]
    pub fn under(&self, deadlock: Deadlock) -> Reachable {
        let mut graph = self.clone();
        if deadlock == Deadlock::Stutter {
            for (s, steps) in graph.steps.iter_mut().enumerate() {
                if steps.is_empty() {
                    steps.push((None, s));
                }
            }
        }
        graph
    }

    /// Returns whether an infinite run exists.
    pub fn has_infinite_run(&self) -> bool {
        // Remove states without steps until nothing changes: the remaining states reach a cycle.
        let mut alive = vec![true; self.states.len()];
        loop {
            let dies: Vec<usize> = (0..alive.len())
                .filter(|&s| alive[s] && !self.steps[s].iter().any(|&(_, t)| alive[t]))
                .collect();
            if dies.is_empty() {
                return self.initial.iter().any(|&s| alive[s]);
            }
            for s in dies {
                alive[s] = false;
            }
        }
    }
}
