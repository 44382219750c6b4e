//! Fairness, by its definition alone.
//!
//! A constraint is enabled in states and met by steps. A loop is weakly fair if some step of it meets the constraint or starts where it is not
//! enabled; it is strongly fair if a step of it meets the constraint or no state of it enables it. The constraints of a model are read as data:
//! what they mean is said here a second time.

use crate::interpret;
use lariat_corpora::Random;
use lariat_model::{Constraint, EventId, Predicate, State, Strength, System};

/// What a set of steps does about every constraint, as bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Ledger {
    /// Some state enables it.
    pub enabled: u64,
    /// Some state does not.
    pub idle: u64,
    /// Some step takes one of its events.
    pub taken: u64,
}

impl Ledger {
    /// Of one step from `state`, which takes `event`.
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

    /// Of the steps of both.
    #[must_use]
    pub fn and(self, other: Ledger) -> Ledger {
        Ledger {
            enabled: self.enabled | other.enabled,
            idle: self.idle | other.idle,
            taken: self.taken | other.taken,
        }
    }

    /// The constraints that a loop with these steps violates.
    pub fn violated(self, fairness: &[Constraint]) -> u64 {
        let bits = |strength: Strength| {
            let of = fairness.iter().enumerate();
            of.filter(|(_, c)| c.strength == strength)
                .fold(0, |bits, (i, _)| bits | 1 << i)
        };
        let weak = bits(Strength::Weak) & !(self.idle | self.taken);
        let strong = bits(Strength::Strong) & self.enabled & !self.taken;
        weak | strong
    }
}

/// One to three constraints about a system, half of the time none of them strong.
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
            let mut events: Vec<EventId> = (0..1 + rng.below(3))
                .map(|_| EventId(rng.below(system.events.len()) as u32))
                .collect();
            events.sort_unstable();
            events.dedup();
            let constraint = Constraint::of_events(name, strength, events);
            if strength == Strength::Weak && rng.percent(10) {
                Constraint {
                    enabled: Predicate::Not(Box::new(Predicate::Deadlock)),
                    ..constraint
                }
            } else {
                constraint
            }
        })
        .collect()
}
