//! The work limits of [`ask`](super::ask). No campaign compared other values.

/// The work limits of the methods.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AskSchedule {
    /// States of the first sweep, which decides small models with shortest runs.
    pub glance: u64,
    /// Steps of the walks after it; each round has walks with half of its sweep's work.
    pub walk: u64,
    /// Units of linear programming for sums, and as many for predicates.
    pub facts: u64,
    /// States of the sweep of the first round; other work is proportional.
    pub first_look: u64,
    /// Nodes of the coverability tree in the first round.
    pub tree: u64,
    /// Diagram nodes per state of a sweep. If neither decides in the first round, there are usually
    /// more states than any sweep can store, and all questions share the one set.
    pub sets: u64,
    /// Growth factor of the work per round.
    pub growth: u64,
    /// Limit on the open questions for which each gets a net reduced for it alone.
    pub alone: usize,
}

impl Default for AskSchedule {
    fn default() -> AskSchedule {
        AskSchedule {
            glance: 10_000,
            walk: 40_000,
            facts: 200_000,
            first_look: 300_000,
            tree: 20_000,
            sets: 7,
            growth: 6,
            alone: 64,
        }
    }
}
