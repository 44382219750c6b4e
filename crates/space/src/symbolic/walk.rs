//! Single states from which wide programs learn.
//!
//! The effects of a wide program are learned from the states of a closure, which then restarts.
//! Where steps must follow each other, as under a clock that all events read, a closure gets only
//! one step further than the last. So the system is also *walked*: states are explored one at a
//! time, breadth first, and every step of a wide program is a path that is known from then on.
//! Paths are valid wherever they are found, so a walk may stop anywhere; it resumes when closures
//! have created more nodes.
//!
//! For example, let `P: x < 100, x' = x + 1` be wide, and `x = 0` initially. A closure knows the
//! path `0 → 1` from the initial state, adds `x = 1`, and must restart to learn `1 → 2`: a hundred
//! closures. With the walk, a closure that has created 10 nodes permits visiting 10 states:
//!
//! ```text
//! closure 1    10 nodes in all    walk visits x = 0 … 9      paths 0 → 1 … 9 → 10 are known
//! closure 2    reaches x = 10; 30 nodes in all
//!                                 walk visits x = 10 … 29    paths up to 29 → 30
//! closure 3    reaches x = 30; 90 nodes in all
//!                                 walk visits x = 30 … 89    paths up to 89 → 90
//! closure 4    reaches x = 90; …  walk visits x = 90 … 100   all paths
//! closure 5    reaches x = 100, and nothing is left to learn
//! ```
//!
//! So the number of closures is that of the doublings of the nodes, not that of the steps. A state
//! costs less than a node, so the walk adds little to the closures.

use crate::explicit::{Explicit, ExplicitStateId, StateTable};
use lariat_budget::{Budget, Stop};
use lariat_model::{Deadlock, EventId, System, Value};

/// States visited per node created: a state is cheaper than a node, so the walk never takes longer
/// than the closures whose restarts it saves.
const STATES_PER_NODE: u64 = 1;

/// The states found so far, of which the first `done` have been visited.
#[derive(Default)]
pub(super) struct StateWalk {
    states: Option<StateTable>,
    done: usize,
}

impl StateWalk {
    /// Continues until as many states have been visited as `nodes` permits. Calls `visit` with each
    /// state and its steps.
    pub(super) fn resume(
        &mut self,
        system: &System,
        nodes: u64,
        budget: &Budget,
        visit: impl FnMut(&[Value], &[(EventId, ExplicitStateId)]),
    ) -> Result<(), Stop> {
        let most = usize::try_from(nodes.saturating_mul(STATES_PER_NODE)).unwrap_or(usize::MAX);
        match self.try_resume(system, most, budget, visit) {
            // Only the walk ends: closures may need less memory, and reach other values.
            Err(Stop::Memory | Stop::Bound(_)) => {
                self.states = None;
                self.done = usize::MAX;
                Ok(())
            }
            other => other,
        }
    }

    fn try_resume(
        &mut self,
        system: &System,
        most: usize,
        budget: &Budget,
        mut visit: impl FnMut(&[Value], &[(EventId, ExplicitStateId)]),
    ) -> Result<(), Stop> {
        if self.done >= most {
            return Ok(());
        }
        let space = Explicit::new(system, Deadlock::Ignore);
        let states = match &mut self.states {
            Some(states) => states,
            none => {
                let states = none.insert(space.states(budget));
                space.all_initial(states)?;
                states
            }
        };
        let mut steps = Vec::new();
        while self.done < most.min(states.len()) {
            let state = ExplicitStateId(self.done as u32);
            steps.clear();
            space.expand(states, state, &mut steps)?;
            visit(&states.get(state), &steps);
            self.done += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_resumes_where_it_stopped() {
        let text = b"byte x; process P { state s; init s;
            trans s -> s { guard x < 100; effect x = x + 1; }; }
            system async;";
        let system = lariat_formats::read_model("counter", text).unwrap();
        let budget = Budget::unlimited();
        let mut walk = StateWalk::default();
        let mut seen = Vec::new();
        for (nodes, states) in [(10, 10), (10, 10), (30, 30), (1000, 101)] {
            let most = nodes * STATES_PER_NODE;
            walk.resume(&system, nodes, &budget, |state, steps| {
                assert_eq!(steps.len(), usize::from(state[0] < 100));
                seen.push(state[0]);
            })
            .unwrap();
            assert_eq!(seen.len(), (states * STATES_PER_NODE).min(101) as usize);
            assert!(seen.len() as u64 <= most);
        }
        assert!(seen.iter().copied().eq(0..=100));
        let mut starved = StateWalk::default();
        let visited = starved.resume(&system, 1000, &Budget::bytes(16), |_, _| {});
        assert_eq!(visited, Ok(()), "running out of memory only ends a walk");
    }
}
