//! Runs of a model, step by step.

use crate::raised;
use lariat::internals::formats::LoadedModel;
use lariat::internals::ir::{Domain, EventId, State};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A run of a model so far.
#[pyclass]
pub struct Simulation {
    model: Arc<LoadedModel>,
    states: Vec<State>,
    events: Vec<EventId>,
}

impl Simulation {
    pub fn of(model: Arc<LoadedModel>) -> PyResult<Simulation> {
        let initial = model.system.initial.first().cloned();
        Ok(Simulation {
            states: vec![initial.ok_or_else(|| raised("the model has no initial state"))?],
            events: Vec::new(),
            model,
        })
    }

    fn last(&self) -> &State {
        // There is always the initial state.
        &self.states[self.states.len() - 1]
    }
}

#[pymethods]
impl Simulation {
    /// The values of all variables: numbers, or names of values.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<BTreeMap<String, Bound<'py, PyAny>>> {
        let system = &self.model.system;
        let value = |(variable, value): (&lariat::internals::ir::Variable, &i64)| {
            let name = match &variable.domain {
                Domain::Names(names) => usize::try_from(*value).ok().and_then(|i| names.get(i)),
                _ => None,
            };
            let value = match name {
                Some(name) => name.into_pyobject(py)?.into_any(),
                None => value.into_pyobject(py)?.into_any(),
            };
            Ok((variable.name.clone(), value))
        };
        system
            .variables
            .iter()
            .zip(self.last())
            .map(value)
            .collect()
    }

    /// The events that are enabled.
    fn enabled(&self) -> Vec<String> {
        let system = &self.model.system;
        let events = system
            .event_ids()
            .filter(|event| system.is_enabled(self.last(), *event));
        events
            .map(|event| system.event(event).name.clone())
            .collect()
    }

    /// Takes an event; of several successors, the one with this number.
    fn step(&mut self, event: &str, choice: usize) -> PyResult<()> {
        let system = &self.model.system;
        let id = system
            .event_ids()
            .find(|id| system.event(*id).name == event);
        let id = id.ok_or_else(|| raised(format!("no event is called `{event}`")))?;
        let successors = system.successors(self.last(), id);
        let next = successors.into_iter().nth(choice);
        let next = next.ok_or_else(|| raised(format!("`{event}` is not enabled")))?;
        self.states.push(next);
        self.events.push(id);
        Ok(())
    }

    /// Takes back the last step; false if there is none.
    fn undo(&mut self) -> bool {
        self.events.pop().is_some() && self.states.pop().is_some()
    }

    /// The events taken so far.
    fn taken(&self) -> Vec<String> {
        let name = |event: &EventId| self.model.system.event(*event).name.clone();
        self.events.iter().map(name).collect()
    }
}
