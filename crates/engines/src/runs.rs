//! Runs of a system as evidence.

use lariat_model::{EventId, Lasso, State};

/// An event, and the state after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passage {
    /// The event; `None` for a stuttering step.
    pub event: Option<EventId>,
    /// The state that it leads to.
    pub state: State,
}

/// Returns a lasso whose loop closes, or a prefix if `cycle` is empty.
pub(crate) fn plain_run(initial: State, prefix: Vec<Passage>, cycle: Vec<Passage>) -> Lasso {
    let steps = |steps: Vec<Passage>| steps.into_iter().map(|step| (step.event, step.state));
    Lasso::through(initial, steps(prefix), steps(cycle))
}
