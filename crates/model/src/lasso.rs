//! Runs that end in a loop, and the way back from a transformed system.

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

/// The way back from a system that a pass made to the one it was made from.
///
/// Every event of the new system stands for a sequence of events of the old one. States are
/// not mapped: the old system, started in the state that `initial` names, recomputes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lift {
    /// For each initial state of the new system, its position among those of the old one.
    pub initial: Vec<usize>,
    /// For each event of the new system, what it stands for.
    pub events: Vec<Vec<EventId>>,
}

impl Lift {
    /// The way back through `self` and then through `before`, which was applied earlier.
    #[must_use]
    pub fn then(&self, before: &Lift) -> Lift {
        Lift {
            initial: self.initial.iter().map(|&i| before.initial[i]).collect(),
            events: self
                .events
                .iter()
                .map(|es| {
                    es.iter()
                        .flat_map(|e| before.events[e.index()].iter().copied())
                        .collect()
                })
                .collect(),
        }
    }
}
