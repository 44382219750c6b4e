//! Runs that end in a loop.

use crate::system::{EventId, State};

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The event taken; `None` for a stutter step at a deadlock.
    pub event: Option<EventId>,
    /// The state it leads to.
    pub state: State,
}

/// An infinite run: a finite prefix, then a loop for ever.
///
/// The last state of `cycle`, which is never empty, equals the state before its first step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Where the run starts.
    pub initial: State,
    /// The steps before the loop.
    pub prefix: Vec<Step>,
    /// The steps of the loop.
    pub cycle: Vec<Step>,
}

impl Lasso {
    /// The state in which the loop starts.
    pub fn entry(&self) -> &State {
        self.prefix.last().map_or(&self.initial, |step| &step.state)
    }
}
