//! Steps from a single state into a set, for the construction of traces.

use super::SymbolicProblem;
use crate::runs::Passage;
use lariat_automata::{Guard, Letter};
use lariat_model::{EventId, State};
use lariat_space::symbolic::Set;

impl SymbolicProblem<'_, '_> {
    /// Returns the state atoms that hold in `state`, as bits of a letter.
    pub fn label(&self, state: &State) -> u64 {
        self.scope.problem.label(state).0
    }

    /// Returns a step from `state` into `targets` by `event`.
    fn step_taking(&mut self, state: &State, event: EventId, targets: &Set) -> Option<Passage> {
        let mut next = self.space.system().successors(state, event).into_iter();
        let state = next.find(|next| self.space.contains(targets, next))?;
        let event = Some(event);
        Some(Passage { event, state })
    }

    /// Returns a step from `state` into `targets` by a letter of `guard` and one of `events`.
    pub fn step_by(
        &mut self,
        state: &State,
        guard: Guard,
        events: &[EventId],
        targets: &Set,
    ) -> Option<Passage> {
        let (label, alphabet) = (self.label(state), self.alphabet());
        events.iter().find_map(|event| {
            let letter = alphabet.letter(alphabet.class(Some(*event)));
            let reads = self.guards.accepts(guard, Letter(label | letter.0));
            let step = reads.then(|| self.step_taking(state, *event, targets));
            step.flatten()
        })
    }

    /// Returns a step from `state` into `targets` by a letter of `guard`, if there is one.
    pub fn step_into(&mut self, state: &State, guard: Guard, targets: &Set) -> Option<Passage> {
        let (label, alphabet) = (self.label(state), self.alphabet());
        for class in alphabet.classes() {
            let letter = Letter(label | alphabet.letter(class).0);
            if self.guards.accepts(guard, letter) {
                let mut events = alphabet.events(class).iter();
                let step = events.find_map(|event| self.step_taking(state, *event, targets));
                if step.is_some() {
                    return step;
                }
            }
        }
        let stutters = self.guards.accepts(guard, Letter(label))
            && self.space.stutters(state)
            && self.space.contains(targets, state);
        stutters.then(|| Passage {
            event: None,
            state: state.clone(),
        })
    }
}
