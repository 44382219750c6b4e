//! The numbers of [`ask`](super::ask), in one table.
//!
//! | name | default | meaning |
//! | --- | --- | --- |
//! | `glance` | 10 000 | states of the first sweep: small models end here, with shortest runs |
//! | `walk` | 40 000 | steps of the walks that follow; each round begins with more of them |
//! | `facts` | 200 000 | units of linear programming before the first round, and as many again in each |
//! | `first_look` | 300 000 | states of the sweep in the first round; all later work is in proportion |
//! | `tree` | 20 000 | nodes of the coverability tree in the first round |
//! | `sets` | 7 | diagram nodes for each state of the sweep |
//! | `growth` | 6 | how much more work there is in a round than in the one before |
//! | `alone` | 64 | when no more questions than this are open, each gets a net that was reduced for it alone |
//!
//! Sets get more than sweeps: where neither ends in the first round, the states are many more than a sweep of any round can hold, and all
//! questions wait for the one set. The numbers are not tuned: no campaign has compared others.

/// How much work is given to whom; see the table above.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AskSchedule {
    /// ReachableStates of the first sweep.
    pub glance: u64,
    /// Steps of the first walks.
    pub walk: u64,
    /// Units of linear programming.
    pub facts: u64,
    /// ReachableStates of the sweep of the first round.
    pub first_look: u64,
    /// Nodes of the coverability tree in the first round.
    pub tree: u64,
    /// Diagram nodes for each state of a sweep.
    pub sets: u64,
    /// How much more work there is in a round than in the one before.
    pub growth: u64,
    /// Open questions that are asked one by one.
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
