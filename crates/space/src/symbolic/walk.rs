//! Single states, for programs that are too wide to be known from the values of their variables.
//!
//! What a wide program does is learned from the states of a closure, and with what it then does
//! the closure begins again. Where steps must follow each other, as under a clock that reads
//! everything, a closure goes but one step further than the last. So the system also *walks*:
//! states are explored one by one, breadth first, and every step of a wide program is a path that
//! is known from then on. Paths are right wherever they are found, so it does no harm that a walk
//! ends somewhere; it is taken up again when closures have made more nodes.
//!
//! For example, let `P: x < 100, x' = x + 1` be wide, and `x = 0` at first. A closure knows the
//! path `0 → 1` from the initial state, adds `x = 1`, and must begin again to learn `1 → 2`: a
//! hundred closures. With the walk, a closure that has made 10 nodes lets 10 states be visited:
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
//! So the closures are as many as it takes the nodes to double up to the states, not as many as
//! there are steps. A state takes about a microsecond, a node several, so the walk adds little to
//! the closures.

use crate::explicit::{Explicit, StateId, States};
use lariat_budget::{Budget, Stop};
use lariat_model::{Deadlock, EventId, System, Value};

/// How many states are visited for every node that has been made: as a state is the cheaper of the
/// two, the walk never takes longer than the closures whose restarts it saves.
const STATES_PER_NODE: u64 = 1;

/// States found so far, of which the first `done` have been visited.
#[derive(Default)]
pub(super) struct StateWalk {
    states: Option<States>,
    done: usize,
}

impl StateWalk {
    /// Goes on until as many states have been visited as `nodes` allow. `visit` is told each state
    /// with the events that are taken there.
    pub(super) fn on(
        &mut self,
        system: &System,
        nodes: u64,
        budget: &Budget,
        visit: impl FnMut(&[Value], &[(EventId, StateId)]),
    ) -> Result<(), Stop> {
        let most = usize::try_from(nodes.saturating_mul(STATES_PER_NODE)).unwrap_or(usize::MAX);
        match self.try_on(system, most, budget, visit) {
            // Closures may need less room, and hold other values.
            Err(Stop::Memory | Stop::Bound(_)) => {
                self.states = None;
                self.done = usize::MAX;
                Ok(())
            }
            other => other,
        }
    }

    fn try_on(
        &mut self,
        system: &System,
        most: usize,
        budget: &Budget,
        mut visit: impl FnMut(&[Value], &[(EventId, StateId)]),
    ) -> Result<(), Stop> {
        if self.done >= most {
            return Ok(());
        }
        let space = Explicit::new(system, Deadlock::Ignore);
        let states = match &mut self.states {
            Some(states) => states,
            none => {
                let states = none.insert(space.states(budget));
                let mut k = 0;
                while space.initial(states, k)?.is_some() {
                    k += 1;
                }
                states
            }
        };
        let mut steps = Vec::new();
        while self.done < most.min(states.len()) {
            let state = StateId(self.done as u32);
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
    fn a_walk_is_taken_up_where_it_ended() {
        let text = b"byte x; process P { state s; init s;
            trans s -> s { guard x < 100; effect x = x + 1; }; }
            system async;";
        let system = lariat_formats::read_model("counter", text).unwrap();
        let budget = Budget::unlimited();
        let mut walk = StateWalk::default();
        let mut seen = Vec::new();
        for (nodes, states) in [(10, 10), (10, 10), (30, 30), (1000, 101)] {
            let most = nodes * STATES_PER_NODE;
            walk.on(&system, nodes, &budget, |state, steps| {
                assert_eq!(steps.len(), usize::from(state[0] < 100));
                seen.push(state[0]);
            })
            .unwrap();
            assert_eq!(seen.len(), (states * STATES_PER_NODE).min(101) as usize);
            assert!(seen.len() as u64 <= most);
        }
        assert!(seen.iter().copied().eq(0..=100));
        let mut starved = StateWalk::default();
        let visited = starved.on(&system, 1000, &Budget::bytes(16), |_, _| {});
        assert_eq!(visited, Ok(()), "running out of memory only ends a walk");
    }
}
