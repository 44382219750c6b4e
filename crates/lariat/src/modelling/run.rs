//! Runs of a model: states and actions as the model gives them.

use super::Model;
use super::program::Program;
use lariat_model::{EventId, EvidenceKind, Lasso, Step};
use std::borrow::Cow;
use std::fmt;

/// A run of a model: a prefix, then a loop unless the prefix decides.
///
/// `Display` prints the initial state and per step the action and the parts that it changes.
pub struct Trace<M: Model> {
    pub(super) steps: Vec<TraceStep<M>>,
    pub(super) end: M::State,
    pub(super) kind: EvidenceKind,
    pub(super) prefix: usize,
    pub(super) bad: Option<usize>,
    /// The same run with the parts of its states.
    pub(super) shown: crate::Trace,
}

/// A position of a [`Trace`].
pub struct TraceStep<M: Model> {
    /// The state.
    pub state: M::State,
    /// The action taken from it; `None` if the state is a deadlock and repeats.
    pub action: Option<M::Action>,
}

impl<M: Model> Trace<M> {
    /// The positions from which a step is taken, in order.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = &TraceStep<M>> {
        self.steps.iter()
    }

    /// The states in order, with the one after the last step.
    pub fn states(&self) -> impl Iterator<Item = &M::State> {
        let states = self.steps.iter().map(|step| &step.state);
        states.chain(std::iter::once(&self.end))
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether the initial state alone is the evidence.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The position at which the loop begins; `None` if every continuation of the steps violates
    /// the property.
    pub fn loop_start(&self) -> Option<usize> {
        (self.kind != EvidenceKind::Prefix).then_some(self.prefix)
    }

    /// The position after which every continuation violates the property, for safety properties.
    pub fn violated_at(&self) -> Option<usize> {
        self.bad
    }
}

impl<M: Model> fmt::Display for Trace<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}

impl<M: Model> fmt::Debug for Trace<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for step in &self.steps {
            list.entry(&step.state).entry(&step.action);
        }
        list.entry(&self.end).finish()
    }
}

/// A run with the actions and events of its steps.
pub(super) struct ConcreteRun<M: Model> {
    pub steps: Vec<(TraceStep<M>, Option<EventId>)>,
    pub end: M::State,
}

/// Finds a run again by calling the model: each state by `Eq`, each step by an action. The error
/// says why it is none.
pub(super) fn concrete<M: Model>(
    program: &Program<M>,
    lasso: &Lasso,
) -> Result<ConcreteRun<M>, String> {
    let state = |numbers: &[i64]| {
        let number = numbers
            .first()
            .and_then(|number| u32::try_from(*number).ok());
        let state = number.and_then(|number| program.state(number));
        state
            .map(Cow::into_owned)
            .ok_or("the run visits an unknown state")
    };
    let mut cursor = lasso.cursor();
    let mut at = state(&lasso.initial)?;
    if !program.model.initial().contains(&at) {
        return Err("the run does not begin in an initial state".to_owned());
    }
    let (mut steps, mut entry) = (Vec::with_capacity(lasso.len()), None);
    while let Some((step, after)) = cursor.take() {
        if steps.len() == lasso.prefix.len() {
            entry = Some(at.clone());
        }
        let next = state(after)?;
        let action = action(program, &at, step, &next)
            .ok_or_else(|| format!("step {} is not one of the model", steps.len() + 1))?;
        let here = std::mem::replace(&mut at, next);
        steps.push((
            TraceStep {
                state: here,
                action,
            },
            step.event,
        ));
    }
    match entry {
        Some(entry) if lasso.kind() != EvidenceKind::Prefix && entry != at => {
            Err("the loop does not close".to_owned())
        }
        _ => Ok(ConcreteRun { steps, end: at }),
    }
}

/// The action of a step, or `Some(None)` for stuttering in a deadlock; `None` if there is none.
fn action<M: Model>(
    program: &Program<M>,
    from: &M::State,
    step: &Step,
    to: &M::State,
) -> Option<Option<M::Action>> {
    let (mut found, mut is_dead) = (None, true);
    let listed = program.each_step(from, |action, event, next| {
        is_dead = false;
        if found.is_none() && Some(event) == step.event && next == *to {
            found = Some(action.clone());
        }
        Ok(())
    });
    match step.event {
        _ if listed.is_err() => None,
        Some(_) => found.map(Some),
        None => (is_dead && from == to).then_some(None),
    }
}
