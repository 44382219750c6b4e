//! Fairness of loops, directly from the definition.
//!
//! A constraint is enabled in states and taken by steps. A loop is weakly fair if one of its steps
//! takes the constraint or starts in a state that does not enable it. It is strongly fair if one of
//! its steps takes the constraint or none of its states enables it. This is independent of the
//! semantics in crate `model`, of which only the data types are used.

use crate::case::distinct;
use crate::interpret;
use lariat_corpora::Random;
use lariat_model::{Constraint, EventId, Predicate, State, Strength, System};

/// The effect of a set of steps on every constraint, as bit sets.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Ledger {
    /// Constraints that some state enables.
    pub enabled: u64,
    /// Constraints that some state does not enable.
    pub idle: u64,
    /// Constraints that some step takes.
    pub taken: u64,
}

impl Ledger {
    /// Returns the effect of one step from `state` by `event`.
    pub fn of(
        system: &System,
        fairness: &[Constraint],
        state: &State,
        event: Option<EventId>,
    ) -> Ledger {
        let mut ledger = Ledger::default();
        for (i, constraint) in fairness.iter().enumerate() {
            let bit = 1 << i;
            if interpret::satisfies(system, state, &constraint.enabled) {
                ledger.enabled |= bit
            } else {
                ledger.idle |= bit
            }
            if event.is_some_and(|event| constraint.taken.contains(&event)) {
                ledger.taken |= bit;
            }
        }
        ledger
    }

    /// Returns the effect of the union of both sets of steps.
    #[must_use]
    pub fn and(self, other: Ledger) -> Ledger {
        Ledger {
            enabled: self.enabled | other.enabled,
            idle: self.idle | other.idle,
            taken: self.taken | other.taken,
        }
    }

    /// Returns the constraints that a loop with these steps violates.
    pub fn violated(self, fairness: &[Constraint]) -> u64 {
        let bits = |strength: Strength| {
            let all = fairness.iter().enumerate();
            all.filter(|(_, c)| c.strength == strength)
                .fold(0, |bits, (i, _)| bits | 1 << i)
        };
        let weak = bits(Strength::Weak) & !(self.idle | self.taken);
        let strong = bits(Strength::Strong) & self.enabled & !self.taken;
        weak | strong
    }
}

/// Generates one to three constraints; in half of the cases all are weak.
pub fn random(rng: &mut Random, system: &System) -> Vec<Constraint> {
    let count = 1 + rng.below(3);
    let strong = if rng.percent(50) { 0 } else { 60 };
    (0..count)
        .map(|i| {
            let strength = if rng.percent(strong) {
                Strength::Strong
            } else {
                Strength::Weak
            };
            let name = format!("c{i}");
            if rng.percent(20) {
                let linear = crate::predicates::linear(rng, system.variables.len());
                return Constraint::recurring(name, Predicate::Linear(linear));
            }
            let events = (0..1 + rng.below(3)).map(|_| rng.below(system.events.len()) as u32);
            let events = distinct(events.map(EventId));
            let mut constraint = Constraint::of_events(name, strength, events);
            if strength == Strength::Weak && rng.percent(10) {
                constraint.enabled = Predicate::Not(Box::new(Predicate::Deadlock));
            }
            constraint
        })
        .collect()
}
