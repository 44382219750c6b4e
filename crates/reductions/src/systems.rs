//! Storage of the systems that passes produce.

use lariat_model::System;
use std::sync::OnceLock;

/// An append-only set of systems with stable addresses. Equal systems are stored once, so that
/// results cached for one (its reachable states, for instance) serve all properties that reduce to
/// it.
///
/// Threads may call [`keep`](Systems::keep) concurrently; the `OnceLock` of each entry orders
/// insertions.
#[derive(Default)]
pub struct Systems(OnceLock<Box<Entry>>);

struct Entry {
    system: System,
    next: Systems,
}

impl Systems {
    /// The empty set.
    pub fn new() -> Systems {
        Systems::default()
    }

    /// Returns the stored system equal to `system`, which is inserted if there is none.
    pub fn keep(&self, system: System) -> &System {
        let mut system = Some(system);
        let mut at = self;
        loop {
            let entry = at.0.get_or_init(|| {
                let system = system.take().unwrap_or_default();
                let next = Systems::new();
                Box::new(Entry { system, next })
            });
            match &system {
                Some(other) if entry.system != *other => at = &entry.next,
                _ => return &entry.system,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::generate::{Family, generate};

    #[test]
    fn equal_systems_are_kept_once() {
        let systems = Systems::new();
        let philosophers = |n| generate(Family::Philosophers, n).unwrap();
        let two = systems.keep(philosophers(2));
        let three = systems.keep(philosophers(3));
        assert_eq!(*two, philosophers(2));
        assert_eq!(*three, philosophers(3));
        assert!(std::ptr::eq(two, systems.keep(philosophers(2))));
        assert!(std::ptr::eq(three, systems.keep(philosophers(3))));
    }
}
