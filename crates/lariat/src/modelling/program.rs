//! A model as a [`Source`]: calls `initial`, `actions` and `next`, and numbers the states.
//!
//! ```text
//! event of a step  =  Σ 2^i over the labels i (atoms on actions, fairness classes) of its action
//! values of a state = its number, then 0 or 1 per atom
//! ```
//!
//! Nothing is remembered about steps: whenever a step is listed, the model is called. The replay
//! therefore repeats every call for the states of a run.
//!
//! A model that packs its states is called once more per new state: unpacking must restore it.

use super::store::{PackedStore, StateHash, StateStore};
use super::{ActionTest, Canonical, Model, StateTest};
use lariat_budget::Stop;
use lariat_model::{EventId, Source, SourceStep, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Limit on the labels of actions: there is an event per set of labels.
pub(super) const MOST_LABELS: usize = 12;

/// States whose steps are compared with those of their representative, and known states that are
/// compared with the unpacked ones.
const COMPARED: u32 = 1_000;

/// The states found so far.
pub(super) enum States<S> {
    Whole(StateStore<S>),
    Packed(PackedStore),
}

/// Buffers of a thread that lists steps.
pub(super) struct Buffers<M: Model> {
    actions: Vec<M::Action>,
    targets: Vec<Target<M::State>>,
    /// The packed targets, one after the other.
    bytes: Vec<u8>,
}

/// The target of a step, whose number is wanted.
struct Target<S> {
    event: EventId,
    /// Index of the action.
    action: usize,
    /// `None` beyond the boundary.
    key: Option<Key<S>>,
}

/// The parts of a state by which it is looked up.
struct Key<S> {
    hash: StateHash,
    /// The state, unless states are packed.
    state: Option<S>,
    /// The end of its bytes.
    end: usize,
}

impl<M: Model> Default for Buffers<M> {
    fn default() -> Buffers<M> {
        Buffers {
            actions: Vec::new(),
            targets: Vec::new(),
            bytes: Vec::new(),
        }
    }
}

/// A model with the parts of its checker that determine states and steps.
pub(super) struct Program<M: Model> {
    pub model: Arc<M>,
    /// Named predicates on states that the property uses.
    pub atoms: Vec<(String, StateTest<M>)>,
    /// Named predicates on actions that the property uses, and fairness classes.
    pub labels: Vec<(String, ActionTest<M>)>,
    pub boundary: Option<StateTest<M>>,
    pub states: Arc<States<M::State>>,
    /// Representative of symmetric states; the states of this program are representatives then.
    pub canonical: Option<Canonical<M>>,
    /// Comparisons made, of those whose number is limited.
    pub compared: AtomicU32,
    /// Buffers that are not in use.
    pub buffers: Mutex<Vec<Buffers<M>>>,
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
        let mut buffers = self.take_buffers();
        let actions = &mut buffers.actions;
        self.model.actions(state, actions);
        let result = actions.iter().try_for_each(|action| {
            let next = self.model.next(state, action);
            next.map_or(Ok(()), |next| {
                visit(action, self.event(state, action), next)
            })
        });
        self.give_back(buffers);
        result
    }

    fn lock_buffers(&self) -> MutexGuard<'_, Vec<Buffers<M>>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_buffers(&self) -> Buffers<M> {
        self.lock_buffers().pop().unwrap_or_default()
    }

    fn give_back(&self, mut buffers: Buffers<M>) {
        buffers.actions.clear();
        buffers.targets.clear();
        buffers.bytes.clear();
        self.lock_buffers().push(buffers);
    }

    /// The state with this number.
    pub fn state(&self, number: u32) -> Option<Cow<'_, M::State>> {
        match &*self.states {
            States::Whole(states) => states.get(number).map(Cow::Borrowed),
            States::Packed(states) => {
                let mut buffers = self.take_buffers();
                let read = states.read(number, &mut buffers.bytes);
                let state = read.and_then(|()| self.model.unpack(&buffers.bytes));
                self.give_back(buffers);
                state.map(Cow::Owned)
            }
        }
    }

    /// The number of a state, or of its representative; `None` beyond the boundary.
    pub fn number(&self, state: M::State) -> Result<Option<u32>, Stop> {
        let mut bytes = Vec::new();
        let Some(key) = self.key(state.clone(), &mut bytes)? else {
            return Ok(None);
        };
        self.intern(key, &bytes, || Some(state)).map(Some)
    }

    /// The key of a state, or of its representative, whose bytes are appended; `None` beyond the
    /// boundary.
    fn key(&self, state: M::State, bytes: &mut Vec<u8>) -> Result<Option<Key<M::State>>, Stop> {
        if self.boundary.as_ref().is_some_and(|inside| !inside(&state)) {
            return Ok(None);
        }
        let state = self.representative(state)?;
        let start = bytes.len();
        let (hash, state) = match &*self.states {
            States::Whole(_) => (StateStore::hash(&state), Some(state)),
            States::Packed(_) if !self.model.pack(&state, bytes) => return Err(unrestored()),
            States::Packed(_) => (PackedStore::hash(&bytes[start..]), None),
        };
        let end = bytes.len();
        Ok(Some(Key { hash, state, end }))
    }

    /// The number of the state with this key, of which `again` computes the state before it is
    /// represented. Fails if unpacking does not restore a packed state: this is tested for new
    /// states, and for some that are known.
    fn intern(
        &self,
        key: Key<M::State>,
        bytes: &[u8],
        again: impl FnOnce() -> Option<M::State>,
    ) -> Result<u32, Stop> {
        let packed = match (&*self.states, key.state) {
            (States::Packed(packed), _) => packed,
            (States::Whole(states), Some(state)) => {
                return states.intern(key.hash, Cow::Owned(state));
            }
            (States::Whole(_), None) => {
                return Err(Stop::Internal("a key without state".to_owned()));
            }
        };
        let known = packed.find(key.hash, bytes);
        if let Some(known) = known
            && !self.may_compare()
        {
            return Ok(known);
        }
        let state = again().ok_or_else(|| {
            Stop::Internal("a second call of `next` does not yield a state".to_owned())
        })?;
        let state = self.representative(state)?;
        if self.model.unpack(bytes).as_ref() != Some(&state) {
            return Err(unrestored());
        }
        let atoms = self.atoms.iter().take(PackedStore::FACTS).enumerate();
        let holds = |facts, (i, (_, atom)): (usize, &(_, StateTest<M>))| {
            facts | u16::from(atom(&state)) << i
        };
        let facts = atoms.fold(0, holds);
        known.map_or_else(|| packed.intern(key.hash, bytes, facts), Ok)
    }

    /// Lists the steps from a state. The slots of all targets are requested from memory before the
    /// first is looked up.
    fn list(
        &self,
        state: &M::State,
        buffers: &mut Buffers<M>,
        steps: &mut Vec<SourceStep>,
    ) -> Result<(), Stop> {
        let Buffers {
            actions,
            targets,
            bytes,
        } = buffers;
        self.model.actions(state, actions);
        for (i, action) in actions.iter().enumerate() {
            if let Some(next) = self.model.next(state, action) {
                targets.push(Target {
                    event: self.event(state, action),
                    action: i,
                    key: self.key(next, bytes)?,
                });
            }
        }
        let keys = targets.iter().filter_map(|target| target.key.as_ref());
        let hashes = keys.map(|key| key.hash);
        match &*self.states {
            States::Whole(states) => states.prefetch(hashes),
            States::Packed(states) => states.prefetch(hashes),
        }
        let mut start = 0;
        for Target { event, action, key } in targets.drain(..) {
            let to = match key {
                Some(key) => {
                    let bytes = &bytes[start..key.end];
                    start = key.end;
                    let again = || self.model.next(state, &actions[action]);
                    Some(self.intern(key, bytes, again)?)
                }
                None => None,
            };
            steps.push(SourceStep { event, to });
        }
        Ok(())
    }

    /// Counts a comparison, up to the limit.
    fn may_compare(&self) -> bool {
        let may = self.compared.load(Relaxed) < COMPARED;
        if may {
            self.compared.fetch_add(1, Relaxed);
        }
        may
    }

    /// The representative of a state. Fails if it has other atoms, or other steps as far as this is
    /// tested.
    fn representative(&self, state: M::State) -> Result<M::State, Stop> {
        let Some(canonical) = &self.canonical else {
            return Ok(state);
        };
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
        if self.may_compare() {
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

fn unrestored() -> Stop {
    let what = "`unpack` does not restore a state from the bytes that `pack` wrote";
    Stop::Unsupported(what.to_owned())
}

fn asymmetric(what: &str) -> Stop {
    Stop::Unsupported(format!(
        "the function given as symmetry {what}, so symmetric states are not equivalent"
    ))
}

impl<M: Model> Source for Program<M> {
    fn steps(&self, state: u32, steps: &mut Vec<SourceStep>) -> Result<(), Stop> {
        let state = self.state(state);
        let state = state.ok_or_else(|| Stop::Internal("an unknown state number".to_owned()))?;
        let mut buffers = self.take_buffers();
        let result = self.list(&state, &mut buffers, steps);
        self.give_back(buffers);
        result
    }

    fn values(&self, number: u32, values: &mut Vec<Value>) {
        values.push(number.into());
        let atoms = self.atoms.iter();
        if let States::Packed(states) = &*self.states
            && self.atoms.len() <= PackedStore::FACTS
        {
            let facts = states.facts(number).unwrap_or_default();
            values.extend((0..self.atoms.len()).map(|i| Value::from(facts >> i & 1)));
            return;
        }
        let state = self.state(number);
        let holds = |atom: &StateTest<M>| state.as_ref().is_some_and(|state| atom(state));
        values.extend(atoms.map(|(_, atom)| Value::from(holds(atom))));
    }

    fn len(&self) -> usize {
        match &*self.states {
            States::Whole(states) => states.len(),
            States::Packed(states) => states.len(),
        }
    }

    fn bytes(&self) -> usize {
        match &*self.states {
            States::Whole(states) => states.bytes() + states.len() * self.model.heap_bytes(),
            States::Packed(states) => states.bytes() + self.model.table_bytes(),
        }
    }
}

impl<M: Model> fmt::Debug for Program<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program({} states)", self.len())
    }
}
