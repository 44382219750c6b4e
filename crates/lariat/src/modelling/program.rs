//! A model as a [`Source`]: calls `initial`, `actions` and `next`, and numbers the states.
//!
//! ```text
//! event of a step  =  Σ 2^i over the labels i (atoms on actions, fairness classes) of its action
//! values of a state = its number, then 0 or 1 per atom
//! ```
//!
//! Nothing is remembered about steps: whenever a step is listed, the model is called. The replay
//! therefore repeats every call for the states of a run.

use super::store::StateStore;
use super::{ActionTest, Canonical, Model, StateTest};
use lariat_budget::Stop;
use lariat_model::{EventId, Source, SourceStep, Value};
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Limit on the labels of actions: there is an event per set of labels.
pub(super) const MOST_LABELS: usize = 12;

/// States whose steps are compared with those of their representative.
const COMPARED: u32 = 1_000;

/// A model with the parts of its checker that determine states and steps.
pub(super) struct Program<M: Model> {
    pub model: Arc<M>,
    /// Named predicates on states that the property uses.
    pub atoms: Vec<(String, StateTest<M>)>,
    /// Named predicates on actions that the property uses, and fairness classes.
    pub labels: Vec<(String, ActionTest<M>)>,
    pub boundary: Option<StateTest<M>>,
    pub store: Arc<StateStore<M::State>>,
    /// Representative of symmetric states; the states of this program are representatives then.
    pub canonical: Option<Canonical<M>>,
    /// States that were compared with their representatives.
    pub compared: AtomicU32,
    /// Lists of actions that are not in use.
    pub lists: Mutex<Vec<Vec<M::Action>>>,
}

impl<M: Model> Program<M> {
    /// The event of an action.
    pub fn event(&self, state: &M::State, action: &M::Action) -> EventId {
        let labels = self.labels.iter().enumerate();
        let holds = labels.filter(|(_, (_, test))| test(state, action));
        EventId(holds.fold(0, |event, (i, _)| event | 1 << i))
    }

    /// Calls `visit` with each step from a state: the action, its event, and the target.
    pub fn each_step(
        &self,
        state: &M::State,
        mut visit: impl FnMut(&M::Action, EventId, M::State) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut actions = self.lists().pop().unwrap_or_default();
        self.model.actions(state, &mut actions);
        let mut result = Ok(());
        for action in &actions {
            if let Some(next) = self.model.next(state, action) {
                let event = self.event(state, action);
                result = visit(action, event, next);
                if result.is_err() {
                    break;
                }
            }
        }
        actions.clear();
        self.lists().push(actions);
        result
    }

    fn lists(&self) -> std::sync::MutexGuard<'_, Vec<Vec<M::Action>>> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a state, or of its representative; `None` beyond the boundary.
    pub fn number(&self, state: M::State) -> Result<Option<u32>, Stop> {
        if self.boundary.as_ref().is_some_and(|inside| !inside(&state)) {
            return Ok(None);
        }
        let state = match &self.canonical {
            Some(canonical) => self.representative(canonical, state)?,
            None => state,
        };
        self.store.intern(state).map(Some)
    }

    /// The representative of a state. Fails if it has other atoms, or other steps as far as this is
    /// tested.
    fn representative(&self, canonical: &Canonical<M>, state: M::State) -> Result<M::State, Stop> {
        let representative = canonical(&state);
        if representative == state {
            return Ok(state);
        }
        for (name, atom) in &self.atoms {
            if atom(&state) != atom(&representative) {
                return Err(asymmetric(&format!("changes the value of `{name}`")));
            }
        }
        if let Some(inside) = &self.boundary
            && !inside(&representative)
        {
            return Err(asymmetric("leaves the boundary"));
        }
        if self.compared.load(Relaxed) < COMPARED {
            self.compared.fetch_add(1, Relaxed);
            let targets = |from: &M::State| {
                let mut targets = Vec::new();
                self.each_step(from, |_, event, to| {
                    targets.push((event, canonical(&to)));
                    Ok(())
                })
                .map(|()| targets)
            };
            let (here, there) = (targets(&state)?, targets(&representative)?);
            let covers = |some: &[(EventId, M::State)], all: &[(EventId, M::State)]| {
                some.iter().all(|target| all.contains(target))
            };
            if !covers(&here, &there) || !covers(&there, &here) {
                return Err(asymmetric("changes the steps of a state"));
            }
        }
        Ok(representative)
    }
}

fn asymmetric(what: &str) -> Stop {
    Stop::Unsupported(format!(
        "the function given as symmetry {what}, so symmetric states are not equivalent"
    ))
}

impl<M: Model> Source for Program<M> {
    fn steps(&self, state: u32, steps: &mut Vec<SourceStep>) -> Result<(), Stop> {
        let state = self.store.get(state);
        let state = state.ok_or_else(|| Stop::Internal("an unknown state number".to_owned()))?;
        self.each_step(state, |_, event, next| {
            let to = self.number(next)?;
            steps.push(SourceStep { event, to });
            Ok(())
        })
    }

    fn values(&self, number: u32, values: &mut Vec<Value>) {
        values.push(number.into());
        let state = self.store.get(number);
        let holds = |atom: &StateTest<M>| state.is_some_and(|state| atom(state));
        let atoms = self.atoms.iter();
        values.extend(atoms.map(|(_, atom)| Value::from(holds(atom))));
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.store.len() * self.model.heap_bytes()
    }
}

impl<M: Model> fmt::Debug for Program<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program({} states)", self.store.len())
    }
}
