//! A system as an explicit graph: packed states, found by their contents, successors on demand.
//!
//! States are bit-packed vectors (`layout.rs`) in an interner that hands out dense ids
//! (`store.rs`); events are compiled once into a flat form (`moves.rs`, `compile.rs`). [`Explicit`] is the
//! immutable part that workers share; [`States`] is what one worker has found so far.
//!
//! A successor is computed from the unpacked source, kept for the state that was asked about last,
//! and from its packed form, to which a Petri-net transition merely adds.

mod code;
mod compile;
mod count;
mod gate;
mod layout;
mod moves;
mod store;

pub use count::{Count, count};
pub use store::{Interner, StateId};

use lariat_budget::{Budget, Stop};
use lariat_model::{Deadlock, EventId, Predicate, State, System, Value, VarId};
use layout::Layout;
use moves::Moves;

/// The immutable part of an explicit state space.
#[derive(Debug)]
pub struct Explicit<'s> {
    system: &'s System,
    moves: Moves<'s>,
    deadlock: Deadlock,
}

/// The states found so far, by one worker.
#[derive(Debug)]
pub struct States {
    layout: Layout,
    /// How often the layout has changed: what was packed before is of no use.
    relayouts: u32,
    store: Interner,
    budget: Budget,
    /// The state whose values and words are unpacked below.
    current: Option<StateId>,
    values: Vec<Value>,
    words: Vec<u64>,
    scratch: Scratch,
    batch: Batch,
    steps: u32,
    /// The first variable that was assigned a value beyond its range.
    overflow: Option<VarId>,
    /// Successors of net transitions with more tokens in a place may be cut off.
    most: Option<Value>,
    cut: Cut,
}

/// Has a successor been cut off?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Cut {
    #[default]
    Never,
    Before,
    /// Since somebody looked.
    Now,
}

/// Room for one successor.
#[derive(Debug, Default)]
struct Scratch {
    values: Vec<Value>,
    words: Vec<u64>,
    stack: Vec<Value>,
}

/// Successors that are packed but not interned yet.
#[derive(Debug, Default)]
struct Batch {
    events: Vec<EventId>,
    words: Vec<u64>,
}

impl Batch {
    fn clear(&mut self) {
        self.events.clear();
        self.words.clear();
    }

    fn push(&mut self, event: EventId, words: &[u64]) {
        self.events.push(event);
        self.words.extend_from_slice(words);
    }
}

/// Where an iteration over the steps from a state stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    at: u32,
    choice: u32,
    moved: bool,
    done: bool,
}

/// A step: the event taken, or `None` for stuttering at a deadlock, and where it leads.
pub type Successor = (Option<EventId>, StateId);

impl<'s> Explicit<'s> {
    /// Compiles a system.
    pub fn new(system: &'s System, deadlock: Deadlock) -> Explicit<'s> {
        Explicit {
            system,
            moves: Moves::new(system),
            deadlock,
        }
    }

    /// The system this is the space of.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// An empty collection of states.
    pub fn states(&self, budget: &Budget) -> States {
        let layout = Layout::new(self.system);
        States {
            store: Interner::new(layout.bytes(), budget),
            layout,
            relayouts: 0,
            budget: budget.clone(),
            current: None,
            values: Vec::new(),
            words: Vec::new(),
            scratch: Scratch::default(),
            batch: Batch::default(),
            steps: 0,
            most: None,
            cut: Cut::Never,
            overflow: None,
        }
    }

    /// The `k`-th initial state, `None` behind the last.
    pub fn initial(&self, states: &mut States, k: usize) -> Result<Option<StateId>, Stop> {
        let Some(initial) = self.system.initial.get(k) else {
            return Ok(None);
        };
        states.scratch.values.clear();
        states.scratch.values.extend_from_slice(initial);
        states.pack_values()?;
        states.intern_words().map(Some)
    }

    /// The next step from `from`, `None` behind the last.
    ///
    /// A nondeterministic event may lead to the same state twice.
    pub fn next(
        &self,
        states: &mut States,
        from: StateId,
        cursor: &mut Cursor,
    ) -> Result<Option<Successor>, Stop> {
        states.steps += 1;
        if states.steps >= 1024 {
            states.steps = 0;
            states.budget.check()?;
        }
        if cursor.done {
            return Ok(None);
        }
        states.load(from);
        let event = self
            .moves
            .next(states, &mut cursor.at, &mut cursor.choice)?;
        if states.cut == Cut::Now {
            // A state whose successors are cut off is not dead.
            cursor.moved = true;
            states.cut = Cut::Before;
        }
        if let Some(event) = event {
            cursor.moved = true;
            return Ok(Some((Some(event), states.intern_words()?)));
        }
        cursor.done = true;
        let stutters = !cursor.moved && self.deadlock == Deadlock::Stutter;
        Ok(stutters.then_some((None, from)))
    }

    /// All steps from `from` by events, appended to `steps`; stuttering is none.
    ///
    /// Looking up one successor after the other would wait for memory each time. All are made
    /// first, then the places where they would be found are touched, then they are interned.
    pub fn expand(
        &self,
        states: &mut States,
        from: StateId,
        steps: &mut Vec<(EventId, StateId)>,
    ) -> Result<(), Stop> {
        states.load(from);
        let mut batch = std::mem::take(&mut states.batch);
        batch.clear();
        let (mut at, mut choice) = (0, 0);
        let mut relayouts = states.relayouts;
        while let Some(event) = self.moves.next(states, &mut at, &mut choice)? {
            if states.relayouts != relayouts {
                // What was packed before is to be packed again.
                relayouts = states.relayouts;
                batch.clear();
                (at, choice) = (0, 0);
                continue;
            }
            batch.push(event, &states.scratch.words);
        }
        let words = states.store.words();
        states.store.touch(batch.words.chunks_exact(words));
        for (event, vector) in batch.events.iter().zip(batch.words.chunks_exact(words)) {
            let (id, _) = states.store.intern(vector)?;
            steps.push((*event, StateId(id)));
        }
        states.batch = batch;
        Ok(())
    }

    /// Does the predicate hold in `state`?
    pub fn holds(&self, states: &mut States, state: StateId, predicate: &Predicate) -> bool {
        states.load(state);
        self.moves.holds(predicate, &states.values)
    }
}

impl States {
    /// How many states have been found.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Has none been found?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From now on successors by net transitions with more than `most` tokens in a place may be cut
    /// off: what is found is still there, but no longer everything. For nets that may be unbounded.
    pub fn cut_above(&mut self, most: Value) {
        self.most = Some(most);
    }

    /// Has a successor been cut off?
    pub fn was_cut(&self) -> bool {
        self.cut != Cut::Never
    }

    /// The values of all variables in `state`.
    pub fn get(&mut self, state: StateId) -> State {
        self.load(state);
        self.values.as_slice().into()
    }

    /// Bits of one packed state.
    pub fn packed_bits(&self) -> usize {
        self.layout.bits()
    }

    /// A variable that was assigned a value beyond its range, which wrapped around; the first such.
    pub fn overflow(&self) -> Option<VarId> {
        self.overflow
    }

    /// Bytes held for states and the table that finds them.
    pub fn bytes(&self) -> u64 {
        self.store.bytes()
    }

    /// Unpacks `state` unless it is unpacked already.
    fn load(&mut self, state: StateId) {
        if self.current == Some(state) {
            return;
        }
        self.words.clear();
        self.words.extend(self.store.get(state.0));
        self.layout.unpack(&self.words, &mut self.values);
        self.current = Some(state);
    }

    /// Packs the values in the scratch space, widening the layout if they do not fit.
    fn pack_values(&mut self) -> Result<(), Stop> {
        if let Some(wider) = self.layout.widened(&self.scratch.values) {
            self.relayout(wider)?;
        }
        self.layout
            .pack(&self.scratch.values, &mut self.scratch.words);
        Ok(())
    }

    /// Interns the packed words in the scratch space.
    #[inline]
    fn intern_words(&mut self) -> Result<StateId, Stop> {
        let (id, _) = self.store.intern(&self.scratch.words)?;
        Ok(StateId(id))
    }

    /// Moves all states into a wider layout. Ids stay.
    fn relayout(&mut self, wider: Layout) -> Result<(), Stop> {
        let mut store = Interner::new(wider.bytes(), &self.budget);
        let (mut words, mut values) = (Vec::new(), Vec::new());
        for id in 0..self.store.len() as u32 {
            words.clear();
            words.extend(self.store.get(id));
            self.layout.unpack(&words, &mut values);
            wider.pack(&values, &mut words);
            store.intern(&words)?;
        }
        self.store = store;
        self.layout = wider;
        self.relayouts += 1;
        if let Some(current) = self.current.take() {
            self.load(current);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{Action, Arc, Domain, Event, Variable};

    fn place(name: &str) -> Variable {
        Variable {
            name: name.to_owned(),
            domain: Domain::Count { bound: None },
        }
    }

    fn transition(name: &str, arcs: &[(u32, Value, Value)]) -> Event {
        Event {
            name: name.to_owned(),
            action: Action::Net(
                arcs.iter()
                    .map(|&(var, need, delta)| Arc {
                        var: VarId(var),
                        need,
                        delta,
                    })
                    .collect(),
            ),
        }
    }

    /// Pours `n` tokens from p to q, one at a time; the last step is a deadlock.
    fn pour(n: Value) -> System {
        System {
            variables: vec![place("p"), place("q")],
            events: vec![transition("t", &[(0, 1, -1), (1, 0, 1)])],
            initial: vec![vec![n, 0].into()],
            ..System::default()
        }
    }

    #[test]
    fn widths_grow_when_a_bound_is_exceeded() {
        let system = pour(300);
        let space = Explicit::new(&system, Deadlock::Ignore);
        let mut states = space.states(&Budget::unlimited());
        let mut at = space.initial(&mut states, 0).unwrap().unwrap();
        let before = states.packed_bits();
        for i in 1..=300 {
            let mut cursor = Cursor::default();
            let (event, to) = space.next(&mut states, at, &mut cursor).unwrap().unwrap();
            assert_eq!(event, Some(EventId(0)));
            assert_eq!(*states.get(to), [300 - i, i]);
            at = to;
        }
        assert_eq!(states.len(), 301);
        assert!(states.packed_bits() > before);
        for i in 0..=300 {
            assert_eq!(
                *states.get(StateId(i)),
                [300 - Value::from(i), Value::from(i)]
            );
        }
        assert_eq!(
            space.next(&mut states, at, &mut Cursor::default()).unwrap(),
            None
        );
    }

    /// A wider field can take its bits from the unused end of a word, so that a state has as many
    /// bits as before, elsewhere.
    #[test]
    fn successors_are_packed_again_when_fields_move() {
        let much = 1 << 59;
        let system = System {
            variables: vec![place("p"), place("q"), place("r")],
            events: vec![
                transition("t", &[(0, 1, -1), (2, 0, 1)]),
                transition("u", &[(1, 1, -1), (0, 0, 1)]),
            ],
            initial: vec![vec![3, much, much].into()],
            ..System::default()
        };
        let space = Explicit::new(&system, Deadlock::Ignore);
        let mut states = space.states(&Budget::unlimited());
        let at = space.initial(&mut states, 0).unwrap().unwrap();
        let before = states.packed_bits();
        let mut steps = Vec::new();
        space.expand(&mut states, at, &mut steps).unwrap();
        assert_eq!(states.packed_bits(), before);
        let found: Vec<State> = steps.iter().map(|step| states.get(step.1)).collect();
        let expected: [State; 2] = [
            vec![2, much, much + 1].into(),
            vec![4, much - 1, much].into(),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_dead_state_stutters_once() {
        let system = pour(0);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let mut states = space.states(&Budget::unlimited());
        let at = space.initial(&mut states, 0).unwrap().unwrap();
        let mut cursor = Cursor::default();
        assert_eq!(
            space.next(&mut states, at, &mut cursor).unwrap(),
            Some((None, at))
        );
        assert_eq!(space.next(&mut states, at, &mut cursor).unwrap(), None);
    }

    #[test]
    fn what_is_cut_off_is_told_and_not_dead() {
        let system = System {
            variables: vec![place("p")],
            events: vec![transition("grow", &[(0, 0, 1)])],
            initial: vec![vec![0].into()],
            ..System::default()
        };
        let space = Explicit::new(&system, Deadlock::Stutter);
        let mut states = space.states(&Budget::unlimited());
        states.cut_above(5);
        let mut at = space.initial(&mut states, 0).unwrap().unwrap();
        let next =
            |states: &mut States, at| space.next(states, at, &mut Cursor::default()).unwrap();
        while let Some((event, to)) = next(&mut states, at) {
            assert_eq!(event, Some(EventId(0)), "nothing stutters");
            at = to;
        }
        assert!(states.was_cut());
        assert!((6..=8).contains(&states.len()), "{}", states.len());
    }

    #[test]
    fn memory_runs_out_as_a_value() {
        let system = pour(1_000_000);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let found = count(&space, &[], &Budget::bytes(1 << 20), &lariat_budget::Quiet);
        assert_eq!(found.stop, Some(Stop::Memory));
        assert!(found.states > 1000);
    }

    #[test]
    fn counts_that_do_not_fit_stop() {
        let system = System {
            variables: vec![place("p")],
            events: vec![transition("t", &[(0, 1, Value::MAX)])],
            initial: vec![vec![1].into()],
            ..System::default()
        };
        let space = Explicit::new(&system, Deadlock::Stutter);
        let found = count(&space, &[], &Budget::unlimited(), &lariat_budget::Quiet);
        assert!(matches!(found.stop, Some(Stop::Bound(_))), "{found:?}");
    }
}
