//! Lifting of runs of representatives to runs of the model.
//!
//! A step `r –e→ r'` of representatives stands for the steps `s –e→ s'` with `r = c(s)` and
//! `r' = c(s')`. From an initial state with the first representative, the lift takes one such step
//! after the other. A round of a loop may end in another state with the same representative; since
//! these are finitely many, some state recurs after a number of rounds. C. N. Ip, D. L. Dill,
//! *Better verification through symmetry*, 1996.

use super::program::Program;
use super::{Canonical, Model};
use lariat_budget::Budget;
use lariat_model::{EventId, Lasso, Proposition, Source, State, Step, Value};
use lariat_reductions::{Lift, LiftError};
use std::borrow::Cow;
use std::sync::Arc;

/// Limit on the steps of a lifted run.
const MOST_STEPS: usize = 1_000_000;

/// The lift from representatives to states.
pub(super) struct Unfold<M: Model> {
    /// The model without representatives.
    pub program: Arc<Program<M>>,
    pub canonical: Canonical<M>,
}

impl<M: Model> Unfold<M> {
    fn representative(&self, state: &[Value]) -> Option<M::State> {
        let number = u32::try_from(*state.first()?).ok()?;
        self.program.state(number).map(Cow::into_owned)
    }

    /// A state of the model as a state of its system.
    fn state(&self, state: M::State) -> Result<State, LiftError> {
        let number = self.program.number(state).map_err(LiftError::Stopped)?;
        let number = number.ok_or_else(|| astray("a step leaves the boundary"))?;
        let mut values = Vec::new();
        self.program.values(number, &mut values);
        Ok(values.into())
    }

    /// A step from `from` by `event` to a state whose representative is `to`.
    fn step(&self, from: &M::State, step: &Step, to: &State) -> Result<M::State, LiftError> {
        if step.event.is_none() {
            return Ok(from.clone());
        }
        let to = self.representative(to);
        let mut found = None;
        let listed = self.program.each_step(from, |_, event, next| {
            if found.is_none() && Some(event) == step.event && to == Some((self.canonical)(&next)) {
                found = Some(next);
            }
            Ok(())
        });
        listed.map_err(LiftError::Stopped)?;
        found.ok_or_else(|| astray("a step of representatives is not one of the model"))
    }

    /// Appends the states along `steps`, from a state with the first representative.
    fn follow(
        &self,
        at: &mut M::State,
        rest: &mut State,
        steps: &[Step],
        run: &mut Vec<(Option<EventId>, State)>,
    ) -> Result<(), LiftError> {
        for step in steps {
            *rest = step.target(rest);
            *at = self.step(at, step, rest)?;
            run.push((step.event, self.state(at.clone())?));
        }
        Ok(())
    }
}

fn astray(why: &str) -> LiftError {
    LiftError::Unliftable(format!("symmetric states are not equivalent: {why}"))
}

impl<M: Model> Lift for Unfold<M> {
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        Some(proposition.clone())
    }

    fn back(&self, lasso: Lasso, budget: &Budget) -> Result<Lasso, LiftError> {
        let first = self.representative(&lasso.initial);
        let mut initial = self.program.model.initial().into_iter();
        let initial = initial.find(|state| first == Some((self.canonical)(state)));
        let mut at = initial.ok_or_else(|| astray("an initial state has no representative"))?;
        let start = self.state(at.clone())?;
        let (mut run, mut rest) = (Vec::new(), lasso.initial.clone());
        self.follow(&mut at, &mut rest, &lasso.prefix, &mut run)?;
        if lasso.cycle.is_empty() {
            return Ok(Lasso::through(start, run, []));
        }
        let mut entries = vec![(at.clone(), run.len())];
        loop {
            budget.check().map_err(LiftError::Stopped)?;
            self.follow(&mut at, &mut rest, &lasso.cycle, &mut run)?;
            if let Some((_, entry)) = entries.iter().find(|(state, _)| *state == at) {
                let cycle = run.split_off(*entry);
                return Ok(Lasso::through(start, run, cycle));
            }
            if run.len() > MOST_STEPS {
                return Err(astray("no state recurs"));
            }
            entries.push((at.clone(), run.len()));
        }
    }
}
