//! The systems that passes have made.

use lariat_model::System;
use std::sync::OnceLock;

/// Keeps systems for as long as anything may refer to them; equal ones are kept once, so that what is known of one, its
/// reachable states for instance, serves all properties that lead to it.
#[derive(Default)]
pub struct Systems(OnceLock<Box<Entry>>);

struct Entry {
    system: System,
    next: Systems,
}

impl Systems {
    /// None yet.
    pub fn new() -> Systems {
        Systems::default()
    }

    /// The system that equals `system`: one that is here already, or this one from now on.
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
