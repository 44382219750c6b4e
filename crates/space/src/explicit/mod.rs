//! A system as an explicit graph: packed states, found by their contents, successors on demand.
//!
//! [`Explicit`] is the immutable part that workers share: how states are packed (`layout.rs`), and events in
//! a flat form (`net.rs`, `compile.rs`). [`States`] is what one worker has found so far, in a store that hands out
//! dense ids (`store.rs`), and what it knows of the one state in focus (`states.rs`). Several workers can share a
//! store (`common.rs`).
//!
//! A step costs what it changes, not what the system has. The focus goes from state to state by the cells that differ;
//! the enabled transitions follow by the places that have changed (`enabled.rs`), and so do the observed
//! predicates (`observed.rs`). The hash of a state is a weighted sum of its cells, to which a transition adds
//! a constant: where all successors of a state would be found is known before any is fired.

mod abroad;
mod chunks;
mod code;
mod common;
mod compile;
mod count;
mod enabled;
mod escapes;
mod gate;
mod index;
mod layout;
mod modulo;
mod moves;
mod net;
mod observed;
mod orbits;
mod plain;
mod rehearsal;
mod states;
mod store;
#[cfg(test)]
mod testing;
mod tree;
mod words;

pub use abroad::{Prospect, TOGETHER};
pub use count::{Count, count, count_together};
pub use orbits::{Orbits, orbits};
pub use plain::Interner;
pub use states::States;
pub use store::StateId;

use index::mix;
use lariat_budget::{Budget, Stop};
use lariat_model::{Deadlock, EventId, Predicate, System, Value};
use layout::Layout;
use moves::Moves;
use observed::Observed;
use plain::hash_of_word;
use states::Cut;
use std::sync::Arc;
use words::Words;

/// The immutable part of an explicit state space.
#[derive(Debug)]
pub struct Explicit<'s> {
    system: &'s System,
    layout: Arc<Layout>,
    moves: Moves,
    observed: Observed<'s>,
    deadlock: Deadlock,
}

/// Where an iteration over the steps from a state stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    at: u32,
    choice: u32,
    moved: bool,
    done: bool,
}

/// A way to go on: the event, or `None` for stuttering, and where [`Explicit::next`] finds the step.
pub type Way = (Option<EventId>, Cursor);

/// A step: the event taken, or `None` for stuttering at a deadlock, and where it leads.
pub type Successor = (Option<EventId>, StateId);

impl<'s> Explicit<'s> {
    /// Compiles a system.
    pub fn new(system: &'s System, deadlock: Deadlock) -> Explicit<'s> {
        let layout = Layout::new(system);
        Explicit {
            system,
            moves: Moves::new(system, &layout),
            layout: Arc::new(layout),
            observed: Observed::default(),
            deadlock,
        }
    }

    /// The same space, prepared to tell the [`truth`](Explicit::truth) of these predicates in many states; each has
    /// its bit.
    #[must_use]
    pub fn observing(mut self, predicates: Vec<(u64, &'s Predicate)>) -> Explicit<'s> {
        self.observed = Observed::new(self.system, predicates);
        self
    }

    /// The system this is the space of.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// An empty collection of states.
    pub fn states(&self, budget: &Budget) -> States {
        States::new(self, budget)
    }

    /// Empty collections of states for so many workers, at least one, that share what they find: a state has the same id for
    /// all of them. Each is for a thread of its own, and [rests](States::rest) until it is asked for an [initial](Explicit::initial) state.
    pub fn workers(&self, workers: usize, budget: &Budget) -> Vec<States> {
        States::common(self, workers, budget)
    }

    /// The `k`-th initial state, `None` behind the last that there is or, of [sealed](States::seal) ones, that is known.
    pub fn initial(&self, states: &mut States, k: usize) -> Result<Option<StateId>, Stop> {
        let Some(initial) = self.system.initial.get(k) else {
            return Ok(None);
        };
        states.open()?;
        states.scratch.assigned.clear();
        let values = (0..).zip(initial.iter().copied());
        states.scratch.assigned.extend(values);
        states.pack()?;
        states.reach()
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
        if cursor.done {
            return Ok(None);
        }
        states.tick()?;
        if let Some(words) = &self.moves.words
            && let Some(word) = states.word(from)
        {
            return self.next_word(words, states, (from, word), cursor);
        }
        states.load(self, from);
        if cursor.at == 0 {
            states.touch(&self.moves.net);
        }
        loop {
            let event = self.moves.next(self, states, cursor)?;
            if states.cut == Cut::Now {
                // A state whose successors are cut off is not dead.
                cursor.moved = true;
                states.cut = Cut::Before;
            }
            let Some(event) = event else {
                break;
            };
            cursor.moved = true;
            if let Some(to) = states.reach()? {
                return Ok(Some((Some(event), to)));
            }
        }
        Ok(self.end(from, cursor))
    }

    /// There is no further step by an event: perhaps one by stuttering.
    fn end(&self, from: StateId, cursor: &mut Cursor) -> Option<Successor> {
        cursor.done = true;
        let stutters = !cursor.moved && self.deadlock == Deadlock::Stutter;
        stutters.then_some((None, from))
    }

    /// [`next`](Explicit::next) where states are words.
    #[inline]
    fn next_word(
        &self,
        words: &Words,
        states: &mut States,
        (from, word): (StateId, u64),
        cursor: &mut Cursor,
    ) -> Result<Option<Successor>, Stop> {
        while let Some(t) = words.find(word, cursor.at) {
            cursor.at = t + 1;
            cursor.moved = true;
            if let Some(to) = self.take_word(words, states, (from, word), t)? {
                let event = self.moves.net.transitions[t as usize].event;
                return Ok(Some((Some(event), to)));
            }
        }
        Ok(self.end(from, cursor))
    }

    /// Where an enabled transition leads; `None` if that is cut off or not known.
    #[inline]
    fn take_word(
        &self,
        words: &Words,
        states: &mut States,
        (from, word): (StateId, u64),
        t: u32,
    ) -> Result<Option<StateId>, Stop> {
        if let Some(to) = words.fire(word, t) {
            return states.reach_word(to);
        }
        states.load(self, from);
        match states.fire(self, t)? {
            true => states.reach(),
            false => {
                states.cut = Cut::Before;
                Ok(None)
            }
        }
    }

    /// All steps from `from` by events, appended to `steps`; stuttering is none.
    ///
    /// Looking up one successor after the other would wait for memory each time. The hashes of all are
    /// known first, and the places where they would be found are touched together.
    pub fn expand(
        &self,
        states: &mut States,
        from: StateId,
        steps: &mut Vec<(EventId, StateId)>,
    ) -> Result<(), Stop> {
        if let Some(words) = &self.moves.words
            && let Some(word) = states.word(from)
        {
            return self.expand_word(words, states, (from, word), steps);
        }
        states.load(self, from);
        if self.moves.has_fault(&states.focus) {
            return Ok(());
        }
        let net = &self.moves.net;
        let mut ahead = std::mem::take(&mut states.ahead);
        ahead.clear();
        states.focus.list(net, &mut ahead.transitions);
        let sum = states.focus.sum;
        let weights = ahead
            .transitions
            .iter()
            .map(|t| net.transitions[*t as usize].weight);
        ahead
            .hashes
            .extend(weights.map(|weight| mix(sum.wrapping_add(weight))));
        states.store.touch(&ahead.hashes);
        for t in ahead.transitions.iter().copied() {
            if states.fire(self, t)? {
                steps.push((net.transitions[t as usize].event, states.intern()?));
            }
        }
        self.expand_others(states, &mut ahead, steps)?;
        states.ahead = ahead;
        Ok(())
    }

    /// The same where states are words.
    fn expand_word(
        &self,
        words: &Words,
        states: &mut States,
        (from, word): (StateId, u64),
        steps: &mut Vec<(EventId, StateId)>,
    ) -> Result<(), Stop> {
        let mut ahead = std::mem::take(&mut states.ahead);
        ahead.clear();
        let mut at = 0;
        while let Some(t) = words.find(word, at) {
            at = t + 1;
            ahead.transitions.push(t);
            if let Some(to) = words.fire(word, t) {
                ahead.hashes.push(hash_of_word(to, 0));
            }
        }
        states.store.touch(&ahead.hashes);
        for t in ahead.transitions.iter().copied() {
            if let Some(to) = self.take_word(words, states, (from, word), t)? {
                steps.push((self.moves.net.transitions[t as usize].event, to));
            }
        }
        states.ahead = ahead;
        Ok(())
    }

    /// The same for events that are not transitions of a net: all successors are prepared, then looked up.
    fn expand_others(
        &self,
        states: &mut States,
        ahead: &mut Ahead,
        steps: &mut Vec<(EventId, StateId)>,
    ) -> Result<(), Stop> {
        let mut cursor = Cursor {
            at: self.moves.net.len() as u32,
            ..Cursor::default()
        };
        ahead.clear();
        while let Some(event) = self.moves.next(self, states, &mut cursor)? {
            ahead.changes.extend_from_slice(&states.scratch.changes);
            ahead
                .others
                .push((event, ahead.changes.len(), states.scratch.sum));
            ahead.hashes.push(states.next_hash());
        }
        states.store.touch(&ahead.hashes);
        let mut start = 0;
        for (event, end, sum) in ahead.others.iter().copied() {
            states.scratch.changes.clear();
            let changes = &ahead.changes[start..end];
            states.scratch.changes.extend_from_slice(changes);
            states.scratch.sum = sum;
            start = end;
            steps.push((event, states.intern()?));
        }
        Ok(())
    }

    /// All ways to go on from `from` by events, appended to `ways`, without looking up where they lead: for somebody who will
    /// take one of them. Each is where [`next`](Explicit::next) finds its step.
    pub fn ways(
        &self,
        states: &mut States,
        from: StateId,
        ways: &mut Vec<Way>,
    ) -> Result<(), Stop> {
        states.load(self, from);
        if self.moves.has_fault(&states.focus) {
            return Ok(());
        }
        let net = &self.moves.net;
        let mut from = 0;
        while let Some(at) = states.focus.find(net, from) {
            let cursor = Cursor {
                at,
                ..Cursor::default()
            };
            ways.push((Some(net.transitions[at as usize].event), cursor));
            from = at + 1;
        }
        let mut cursor = Cursor {
            at: net.len() as u32,
            ..Cursor::default()
        };
        loop {
            let way = cursor;
            match self.moves.next(self, states, &mut cursor)? {
                Some(event) => ways.push((Some(event), way)),
                None => return Ok(()),
            }
        }
    }

    /// The values of all variables in `state`, at the cost of what differs from the state that was asked for before.
    pub fn values<'a>(&self, states: &'a mut States, state: StateId) -> &'a [Value] {
        states.load(self, state);
        &states.focus.values
    }

    /// Does the predicate hold in `state`?
    pub fn holds(&self, states: &mut States, state: StateId, predicate: &Predicate) -> bool {
        states.load(self, state);
        self.moves.holds(predicate, &states.focus)
    }

    /// The bits of the [observed](Explicit::observing) predicates that hold in `state`.
    pub fn truth(&self, states: &mut States, state: StateId) -> u64 {
        states.load(self, state);
        states.truth(&self.observed, |predicate, focus| {
            self.moves.holds(predicate, focus)
        })
    }
}

/// Successors that are to be looked up, for touching their places in the store together.
#[derive(Debug, Default)]
struct Ahead {
    transitions: Vec<u32>,
    /// Events, each with the end of its changes and the sum of its successor.
    others: Vec<(EventId, usize, u64)>,
    changes: Vec<tree::Change>,
    hashes: Vec<u32>,
}

impl Ahead {
    fn clear(&mut self) {
        self.transitions.clear();
        self.others.clear();
        self.changes.clear();
        self.hashes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{Random, place, pour, transition};
    use super::*;
    use lariat_corpora::{cases, seed};
    use lariat_model::{Domain, State, Value};
    use std::collections::HashMap;
    use std::time::Duration;

    /// Fields stay as wide as they are: upper bits escape.
    #[test]
    fn values_outgrow_their_fields() {
        let system = pour(300);
        let space = Explicit::new(&system, Deadlock::Ignore);
        let mut states = space.states(&Budget::unlimited());
        let mut at = space.initial(&mut states, 0).unwrap().unwrap();
        assert!(states.packed_bits() < 18);
        for i in 1..=300 {
            let mut cursor = Cursor::default();
            let (event, to) = space.next(&mut states, at, &mut cursor).unwrap().unwrap();
            assert_eq!(event, Some(EventId(0)));
            assert_eq!(*states.get(to), [300 - i, i]);
            at = to;
        }
        assert_eq!(states.len(), 301);
        for i in 0..=300 {
            let values = [300 - Value::from(i), Value::from(i)];
            assert_eq!(*states.get(StateId(i)), values);
        }
        assert_eq!(
            space.next(&mut states, at, &mut Cursor::default()).unwrap(),
            None
        );
    }

    /// What is found on a net, a state after the other in the order of discovery and at random, is what the system
    /// itself says; on nets with few and with many places, with a bound or without, with small and with huge weights.
    #[test]
    fn random_nets_are_explored_as_they_are() {
        let mut random = Random::new(seed(90_125));
        for case in 0..cases(48) {
            let places = [3, 9, 40, 300][case % 4];
            let weights = [1, 3, 200, 1 << 20][case / 4 % 4];
            let mut system = random.net(places, 2 * places, weights);
            if case % 3 == 0 {
                for variable in &mut system.variables {
                    // Not always kept: a stated bound is not a proof.
                    variable.domain = Domain::Count { bound: Some(1) };
                }
            }
            agrees(&system, &mut random, case);
        }
    }

    fn agrees(system: &System, random: &mut Random, case: usize) {
        let predicates: Vec<Predicate> = (0..20.min(system.events.len()))
            .map(|i| match i % 4 {
                0 => Predicate::Enabled(vec![EventId(i as u32), EventId(i as u32 / 2)]),
                1 => Predicate::Not(Box::new(Predicate::Deadlock)),
                _ => {
                    let var = lariat_model::VarId(i as u32 % system.variables.len() as u32);
                    Predicate::compare(var, lariat_model::Comparison::Ge, i as Value % 3)
                }
            })
            .collect();
        let bits = predicates.iter().enumerate().map(|(i, p)| (1 << i, p));
        let space = Explicit::new(system, Deadlock::Stutter).observing(bits.collect());
        let mut states = space.states(&Budget::unlimited());
        let initial = space.initial(&mut states, 0).unwrap().unwrap();
        let mut known: HashMap<State, StateId> = HashMap::new();
        known.insert(system.initial[0].clone(), initial);
        for round in 0..150 {
            let from = match round % 2 {
                0 => StateId(random.below(states.len() as u32)),
                _ => StateId((round / 2).min(states.len() as u32 - 1)),
            };
            let values = states.get(from);
            assert_eq!(known[&values], from, "case {case}");
            let truth = space.truth(&mut states, from);
            for (i, predicate) in predicates.iter().enumerate() {
                let holds = system.holds(predicate, &values);
                assert_eq!(truth >> i & 1 == 1, holds, "case {case}: {predicate:?}");
            }
            let mut found = Vec::new();
            if round % 5 == 0 {
                let mut ways = Vec::new();
                space.ways(&mut states, from, &mut ways).unwrap();
                for (event, mut way) in ways.into_iter().rev() {
                    let step = space.next(&mut states, from, &mut way).unwrap().unwrap();
                    assert_eq!(step.0, event, "case {case}");
                    let values = states.get(step.1);
                    assert_eq!(*space.values(&mut states, step.1), *values, "case {case}");
                    found.extend(event.map(|event| (event, step.1)));
                }
            } else if round % 3 == 0 {
                space.expand(&mut states, from, &mut found).unwrap();
            } else {
                let mut cursor = Cursor::default();
                while let Some((event, to)) = space.next(&mut states, from, &mut cursor).unwrap() {
                    match event {
                        Some(event) => found.push((event, to)),
                        None => assert_eq!((to, found.len()), (from, 0)),
                    }
                    if random.below(4) == 0 {
                        // The focus moves to another state.
                        space.truth(&mut states, to);
                    }
                }
            }
            let mut wanted: Vec<(EventId, State)> = Vec::new();
            for event in system.event_ids() {
                let successors = system.successors(&values, event);
                wanted.extend(successors.into_iter().map(|to| (event, to)));
            }
            found.sort_unstable();
            let ids = found.iter().map(|(event, to)| (*event, states.get(*to)));
            assert!(
                ids.eq(wanted.iter().cloned()),
                "case {case} from {values:?}"
            );
            for ((_, id), (_, state)) in found.iter().zip(&wanted) {
                assert_eq!(known.entry(state.clone()).or_insert(*id), id);
            }
        }
        assert_eq!(known.len(), states.len());
    }

    /// A long exploration soon notices the limit, however many steps a state has.
    #[test]
    fn the_clock_is_looked_at_in_every_loop() {
        let over = Budget::unlimited().with_deadline(Duration::ZERO);
        let events = (0..3000).map(|i| transition(&i.to_string(), &[(0, 0, i)]));
        let mut system = pour(1);
        system.events = events.collect();
        let space = Explicit::new(&system, Deadlock::Stutter);
        let mut states = space.states(&over);
        let at = space.initial(&mut states, 0).unwrap().unwrap();
        let mut steps = Vec::new();
        let expanded = space.expand(&mut states, at, &mut steps);
        assert_eq!(expanded, Err(Stop::Time));
        let (mut cursor, mut taken) = (Cursor::default(), 0);
        let stop = loop {
            match space.next(&mut states, at, &mut cursor) {
                Ok(step) => assert!(step.is_some()),
                Err(stop) => break stop,
            }
            taken += 1;
        };
        assert!(stop == Stop::Time && taken < 2000, "after {taken} steps");
        let found = count(&space, &[], &over, &lariat_budget::Quiet);
        assert_eq!(found.stop, Some(Stop::Time));
    }

    /// Upper bits may come and go in several places at once.
    #[test]
    fn successors_may_have_huge_values() {
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
        let mut steps = Vec::new();
        space.expand(&mut states, at, &mut steps).unwrap();
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
