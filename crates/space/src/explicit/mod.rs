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
#[cfg(test)]
mod tests;
mod touch;
mod tree;
mod turns;
mod words;

pub use abroad::{Prospect, TOGETHER};
pub use count::{Count, count, count_together};
pub use orbits::{Orbits, orbits};
pub use plain::Interner;
pub use states::States;
pub use store::StateId;
pub use turns::Turn;

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
    /// Where it began; what comes before is listed last.
    begin: u32,
    moved: bool,
    done: bool,
    /// Has it been at the end, so that it lists what comes before its beginning?
    again: bool,
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
        let net = self.moves.words.is_none().then_some(&self.moves.net);
        self.observed = Observed::new(self.system, net, predicates);
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

    /// Empty collections of states, one per worker and at least one, that share what they find: a
    /// state has the same id for all. Each belongs to one thread, and [rests](States::rest) until it
    /// is asked for an [initial](Explicit::initial) state.
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
        let is_first = !cursor.moved;
        if states.should_touch(from, is_first) {
            states.touch(&self.moves.net, cursor.at);
        }
        loop {
            let event = self.moves.next(self, states, cursor)?;
            if states.cut == Cut::Now {
                // A state whose successors are cut off is not dead.
                cursor.moved = true;
                states.cut = Cut::Before;
            }
            let Some(event) = event else {
                if cursor.goes_round() {
                    continue;
                }
                break;
            };
            cursor.moved = true;
            if let Some(to) = states.reach()? {
                states.goes(from, to, is_first);
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
        let is_first = !cursor.moved;
        if states.should_touch(from, is_first) {
            states.touch_words(words, word, cursor.at);
        }
        loop {
            let found = words.find(word, cursor.at);
            let Some(t) = found.filter(|t| *t < cursor.end()) else {
                if cursor.goes_round() {
                    continue;
                }
                return Ok(self.end(from, cursor));
            };
            cursor.at = t + 1;
            cursor.moved = true;
            if let Some(to) = self.take_word(words, states, (from, word), t)? {
                states.goes(from, to, is_first);
                let event = self.moves.net.transitions[t as usize].event;
                return Ok(Some((Some(event), to)));
            }
        }
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
        if states.fire(self, t)? {
            states.reach()
        } else {
            states.cut = Cut::Before;
            Ok(None)
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
        states.touch_nothing(from);
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

    /// How many transitions of a net are enabled in `state`, if that is known without looking for them.
    pub fn enabled_transitions(&self, states: &mut States, state: StateId) -> Option<usize> {
        states.load(self, state);
        states.focus.count()
    }

    /// How many transitions the net has: [`way_behind`](Explicit::way_behind) takes numbers below this.
    pub fn transitions(&self) -> usize {
        self.moves.net.len()
    }

    /// A way to go on from `from` by the first enabled transition from this number on, going round: for somebody who draws one of very many.
    pub fn way_behind(&self, states: &mut States, from: StateId, number: usize) -> Option<Way> {
        states.load(self, from);
        states.touch_nothing(from);
        let net = &self.moves.net;
        let found = states.focus.find(net, number as u32);
        let at = found.or_else(|| states.focus.find(net, 0))?;
        let cursor = Cursor {
            at,
            ..Cursor::default()
        };
        Some((Some(net.transitions[at as usize].event), cursor))
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
        states.truth(&self.observed, |form, focus| {
            self.moves.is_true(form, focus)
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
