//! Systems whose steps are computed by a program instead of events.
//!
//! A [`Source`] numbers the states of such a program as they are found. Its [`System`] has the
//! number as its first variable and one more variable per observed fact about a state; its events
//! are classes of steps. The actions of these events are not used: [`System::successors`] and the
//! explicit state space call the source. Engines on sets of states refuse such a system.

use crate::system::{EventId, State, System, Value};
use lariat_budget::Stop;
use std::fmt;
use std::sync::Arc;

/// A program that computes states and steps. Several threads may call it.
pub trait Source: fmt::Debug + Send + Sync {
    /// Appends the steps from a state. They are a function of the state: repeated calls yield the
    /// same steps in the same order.
    fn steps(&self, state: u32, steps: &mut Vec<SourceStep>) -> Result<(), Stop>;

    /// Writes the values of all variables in a state; the first is its number.
    fn values(&self, state: u32, values: &mut Vec<Value>);

    /// Number of states found. Their numbers are below it.
    fn len(&self) -> usize;

    /// Returns whether no state was found.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held for the states found.
    fn bytes(&self) -> usize;
}

/// A step of a [`Source`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceStep {
    /// The class of the step.
    pub event: EventId,
    /// The number of the target; `None` if it is beyond the boundary of the model.
    pub to: Option<u32>,
}

/// The source of a system. Sources are compared by identity.
#[derive(Clone, Debug)]
pub struct SourceRef(pub Arc<dyn Source>);

impl PartialEq for SourceRef {
    fn eq(&self, other: &SourceRef) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SourceRef {}

impl System {
    /// The steps from a state of a system with a source; empty for other systems.
    pub(crate) fn source_steps(&self, state: &[Value]) -> Vec<SourceStep> {
        let mut steps = Vec::new();
        let number = state.first().and_then(|number| u32::try_from(*number).ok());
        if let (Some(SourceRef(source)), Some(number)) = (&self.source, number)
            && source.steps(number, &mut steps).is_err()
        {
            steps.clear();
        }
        steps
    }

    /// The targets of the steps by `event` from a state of a system with a source.
    pub(crate) fn source_successors(&self, state: &[Value], event: EventId) -> Vec<State> {
        let Some(SourceRef(source)) = &self.source else {
            return Vec::new();
        };
        let steps = self.source_steps(state).into_iter();
        let targets = steps.filter_map(|step| step.to.filter(|_| step.event == event));
        let state = |number| {
            let mut values = Vec::with_capacity(self.variables.len());
            source.values(number, &mut values);
            values.into()
        };
        targets.map(state).collect()
    }
}
