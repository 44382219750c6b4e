//! Steps from a single state into a set, for the construction of traces.

use super::SymbolicProblem;
use lariat_automata::{Guard, Letter};
use lariat_model::{EventId, State, Step};
use lariat_space::symbolic::Set;

impl SymbolicProblem<'_, '_> {
    /// Returns the state atoms that hold in `state`, as bits of a letter.
    pub fn label(&self, state: &State) -> u64 {
        self.scope.problem.label(state).0
    }

    /// Returns a step from `state` into `targets` by a letter of `guard` and one of `events`.
    pub fn step_by(
        &mut self,
        state: &State,
        guard: Guard,
        events: &[EventId],
        targets: &Set,
    ) -> Option<Step> {
        let system = self.space.system();
        let label = self.label(state);
        for &event in events {
            let class = self.alphabet().class(Some(event));
            let letter = Letter(label | self.alphabet().letter(class).0);
            if !self.guards.accepts(guard, letter) {
                continue;
            }
            for next in system.successors(state, event) {
                if self.space.contains(targets, &next) {
                    return Some(Step {
                        event: Some(event),
                        state: next,
                    });
                }
            }
        }
        None
    }

    /// Returns a step from `state` into `targets` by a letter of `guard`, if there is one.
    pub fn step_into(&mut self, state: &State, guard: Guard, targets: &Set) -> Option<Step> {
        let system = self.space.system();
        let label = self.label(state);
        let alphabet = self.alphabet();
        for class in alphabet.classes() {
            let letter = Letter(label | alphabet.letter(class).0);
            if !self.guards.accepts(guard, letter) {
                continue;
            }
            for &event in alphabet.events(class) {
                for next in system.successors(state, event) {
                    if self.space.contains(targets, &next) {
                        return Some(Step {
                            event: Some(event),
                            state: next,
                        });
                    }
                }
            }
        }
        let stutters = self.guards.accepts(guard, Letter(label))
            && self.space.stutters(state)
            && self.space.contains(targets, state);
        stutters.then(|| Step {
            event: None,
            state: state.clone(),
        })
    }
}
