//! An explicit state graph: packed states, identified by their contents; successors on demand.
//!
//! [`Explicit`] is the immutable part, shared by all workers: the layout of a packed state
//! (`layout.rs`) and the events in flat form (`net.rs`, `compile.rs`). [`StateTable`] is one
//! worker's part: the states found, in a store that assigns dense ids (`store.rs`), and the state
//! in focus with the data derived from it (`states.rs`). Several workers may share a store
//! (`shared_store.rs`).
//!
//! A step takes time linear in its changes, not in the size of the system. The focus moves
//! between states by the cells in which they differ; enabled transitions (`enabled.rs`) and
//! observed predicates (`observed.rs`) are updated from the variables that changed. The hash of
//! a state is a weighted sum of its cells, to which a transition adds a constant: so the hashes
//! of all successors are known, and their slots prefetched, before any transition is fired.

mod ample;
mod chunks;
mod code;
mod compile;
mod count;
mod enabled;
mod footprint;
mod guard_test;
mod index;
mod layout;
mod moves;
mod net;
mod observed;
mod orbits;
mod overflow;
mod plain;
mod prefetch;
mod quotient;
mod rehearsal;
mod remote;
mod shared_store;
mod sourced;
mod states;
mod step_offset;
mod store;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod words;

pub use count::{ExplicitCounts, count, count_together};
pub use orbits::{Orbits, orbits};
pub use plain::VectorInterner;
pub use remote::{PreparedSuccessor, TOGETHER};
pub use states::StateTable;
pub use step_offset::StepOffset;
pub use store::ExplicitStateId;

use ample::AmpleSets;
use index::mix;
use lariat_budget::{Budget, Stop};
use lariat_model::{Deadlock, EventId, Predicate, System, Value};
use layout::PackedLayout;
use moves::CompiledMoves;
use observed::Observed;
use plain::hash_of_word;
use states::Cut;
use std::sync::Arc;
use words::Words;

/// The immutable part of an explicit state space.
#[derive(Debug)]
pub struct Explicit<'s> {
    system: &'s System,
    layout: Arc<PackedLayout>,
    moves: CompiledMoves,
    observed: Observed<'s>,
    /// The observed predicates of a system with a source.
    sourced: Vec<(u64, &'s Predicate)>,
    deadlock: Deadlock,
    /// The steps to which [`next`](Explicit::next) is restricted, if it is.
    ample: Option<AmpleSets>,
}

/// An iteration over the steps of a state.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepCursor {
    at: u32,
    choice: u32,
    /// First step of the iteration; the steps before it are listed last.
    begin: u32,
    moved: bool,
    done: bool,
    /// True after the wrap-around, while the steps before `begin` are listed.
    again: bool,
    /// End of the ample set that is listed; 0 if all steps are.
    ample_end: u32,
}

/// A step without its target: the event, or `None` for stuttering, and the cursor at which
/// [`Explicit::next`] yields the step.
pub type StepChoice = (Option<EventId>, StepCursor);

/// A step: the event, or `None` for stuttering in a deadlock, and the target.
pub type Successor = (Option<EventId>, ExplicitStateId);

impl<'s> Explicit<'s> {
    /// Compiles a system.
    pub fn new(system: &'s System, deadlock: Deadlock) -> Explicit<'s> {
        let layout = PackedLayout::new(system);
        Explicit {
            system,
            moves: CompiledMoves::new(system, &layout),
            layout: Arc::new(layout),
            observed: Observed::default(),
            sourced: Vec::new(),
            deadlock,
            ample: None,
        }
    }

    /// Restricts [`next`](Explicit::next) to ample sets (partial-order reduction), so that the graph
    /// is stutter-equivalent to the full one as far as the truth of `visible` is concerned. Other
    /// functions list all steps.
    pub fn reduced(
        mut self,
        visible: &[&Predicate],
        budget: &Budget,
    ) -> Result<Explicit<'s>, Stop> {
        if self.system.source.is_none() {
            let gates = self.moves.compiled.gates();
            self.ample = AmpleSets::new(self.system, gates, visible, budget)?;
        }
        Ok(self)
    }

    /// The number of locations with ample sets; 0 in a full graph.
    pub fn ample_locations(&self) -> usize {
        self.ample.as_ref().map_or(0, AmpleSets::len)
    }

    /// Registers predicates for [`truth`](Explicit::truth), each with its bit, and returns the
    /// space.
    #[must_use]
    pub fn observing(mut self, predicates: Vec<(u64, &'s Predicate)>) -> Explicit<'s> {
        if self.system.source.is_some() {
            self.sourced = predicates;
            return self;
        }
        let net = self.moves.words.is_none().then_some(&self.moves.net);
        self.observed = Observed::new(self.system, net, predicates);
        self
    }

    /// The system of this state space.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// An empty state table for one worker.
    pub fn states(&self, budget: &Budget) -> StateTable {
        StateTable::new(self, budget)
    }

    /// Empty state tables that share a store, one per worker and at least one: a state has the same
    /// id in all. Each belongs to one thread and [rests](StateTable::rest) until it is passed to
    /// [`initial`](Explicit::initial).
    pub fn workers(&self, workers: usize, budget: &Budget) -> Vec<StateTable> {
        StateTable::common(self, workers, budget)
    }

    /// The `k`-th initial state. `None` if there is none, or if `states` are
    /// [sealed](StateTable::seal) and do not contain it.
    pub fn initial(
        &self,
        states: &mut StateTable,
        k: usize,
    ) -> Result<Option<ExplicitStateId>, Stop> {
        if states.sourced.is_some() {
            return self.initial_sourced(k);
        }
        match self.initial_prospect(states, k)? {
            Some(_) => states.reach(),
            None => Ok(None),
        }
    }

    /// Adds all initial states to `states`.
    pub(crate) fn all_initial(&self, states: &mut StateTable) -> Result<(), Stop> {
        (0..self.system.initial.len()).try_for_each(|k| self.initial(states, k).map(drop))
    }

    /// The next step from `from`, `None` after the last.
    ///
    /// A nondeterministic event may yield the same target twice.
    pub fn next(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        cursor: &mut StepCursor,
    ) -> Result<Option<Successor>, Stop> {
        if cursor.done {
            return Ok(None);
        }
        states.tick()?;
        if states.sourced.is_some() {
            return self.next_sourced(states, from, cursor);
        }
        if let Some(words) = &self.moves.words
            && let Some(word) = states.word(from)
        {
            return self.next_word(words, states, from, word, cursor);
        }
        states.load(self, from);
        let is_first = !cursor.moved;
        if states.should_prefetch(from, is_first) {
            states.prefetch(&self.moves.net, cursor.at);
        }
        if let Some(ample) = &self.ample
            && cursor.is_new()
            && cursor.at == 0
        {
            self.moves.narrow(ample, states, cursor);
        }
        loop {
            let event = self.moves.next(self, states, cursor)?;
            if states.cut_off.seen == Cut::Now {
                // A state whose successors were cut off is not a deadlock.
                cursor.moved = true;
                states.cut_off.seen = Cut::Before;
            }
            let Some(event) = event else {
                if cursor.goes_round() {
                    continue;
                }
                break;
            };
            cursor.moved = true;
            if let Some(to) = states.reach()? {
                states.record_step(from, to, is_first);
                return Ok(Some((Some(event), to)));
            }
        }
        Ok(self.end(from, cursor))
    }

    /// Ends the iteration; in a deadlock that stutters, yields the stuttering step.
    fn end(&self, from: ExplicitStateId, cursor: &mut StepCursor) -> Option<Successor> {
        cursor.done = true;
        let stutters = !cursor.moved && self.deadlock == Deadlock::Stutter;
        stutters.then_some((None, from))
    }

    /// [`next`](Explicit::next) for a state that is a word.
    #[inline]
    fn next_word(
        &self,
        words: &Words,
        states: &mut StateTable,
        from: ExplicitStateId,
        word: u64,
        cursor: &mut StepCursor,
    ) -> Result<Option<Successor>, Stop> {
        let is_first = !cursor.moved;
        if states.should_prefetch(from, is_first) {
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
            if let Some(to) = self.take_word(words, states, from, word, t)? {
                states.record_step(from, to, is_first);
                let event = self.moves.net.transitions[t as usize].event;
                return Ok(Some((Some(event), to)));
            }
        }
    }

    /// Target of an enabled transition; `None` if it is cut off, or unknown to sealed states.
    #[inline]
    fn take_word(
        &self,
        words: &Words,
        states: &mut StateTable,
        from: ExplicitStateId,
        word: u64,
        t: u32,
    ) -> Result<Option<ExplicitStateId>, Stop> {
        if let Some(to) = words.fire(word, t) {
            return states.reach_word(to);
        }
        states.load(self, from);
        if states.fire(self, t)? {
            states.reach()
        } else {
            states.cut_off.seen = Cut::Before;
            Ok(None)
        }
    }

    /// Appends all steps from `from` by events, without stuttering, to `steps`.
    ///
    /// Successive lookups would each wait for memory. So the hashes of all successors are computed
    /// first, and their slots are prefetched together.
    pub fn expand(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        steps: &mut Vec<(EventId, ExplicitStateId)>,
    ) -> Result<(), Stop> {
        if states.sourced.is_some() {
            return self.expand_sourced(states, from, steps);
        }
        if let Some(words) = &self.moves.words
            && let Some(word) = states.word(from)
        {
            return self.expand_word(words, states, from, word, steps);
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
        let listed = ahead.transitions.iter();
        let sums = listed.map(|t| sum.wrapping_add(net.transitions[*t as usize].weight));
        ahead.hashes.extend(sums.map(mix));
        states.store.prefetch(&ahead.hashes);
        for t in ahead.transitions.iter().copied() {
            if states.fire(self, t)? {
                steps.push((net.transitions[t as usize].event, states.intern()?));
            }
        }
        self.expand_others(states, &mut ahead, steps)?;
        states.ahead = ahead;
        Ok(())
    }

    /// [`expand`](Explicit::expand) for a state that is a word.
    fn expand_word(
        &self,
        words: &Words,
        states: &mut StateTable,
        from: ExplicitStateId,
        word: u64,
        steps: &mut Vec<(EventId, ExplicitStateId)>,
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
        states.store.prefetch(&ahead.hashes);
        for t in ahead.transitions.iter().copied() {
            if let Some(to) = self.take_word(words, states, from, word, t)? {
                steps.push((self.moves.net.transitions[t as usize].event, to));
            }
        }
        states.ahead = ahead;
        Ok(())
    }

    /// [`expand`](Explicit::expand) for events other than net transitions.
    fn expand_others(
        &self,
        states: &mut StateTable,
        ahead: &mut PrefetchBuffer,
        steps: &mut Vec<(EventId, ExplicitStateId)>,
    ) -> Result<(), Stop> {
        let mut cursor = StepCursor::from(self.moves.net.len() as u32);
        ahead.clear();
        while let Some(event) = self.moves.next(self, states, &mut cursor)? {
            ahead.changes.extend_from_slice(&states.scratch.changes);
            let end = ahead.changes.len();
            ahead.others.push((event, end, states.scratch.sum));
            ahead.hashes.push(states.next_hash());
        }
        states.store.prefetch(&ahead.hashes);
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

    /// Appends all steps from `from` by events to `ways`, without looking up their targets, for a
    /// caller that takes few of them. [`next`](Explicit::next) takes a step from its cursor.
    pub fn ways(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        ways: &mut Vec<StepChoice>,
    ) -> Result<(), Stop> {
        if states.sourced.is_some() {
            return self.ways_sourced(states, from, ways);
        }
        states.load(self, from);
        states.suppress_prefetch(from);
        if self.moves.has_fault(&states.focus) {
            return Ok(());
        }
        let net = &self.moves.net;
        let mut from = 0;
        while let Some(at) = states.focus.find(net, from) {
            let event = net.transitions[at as usize].event;
            ways.push((Some(event), StepCursor::from(at)));
            from = at + 1;
        }
        let mut cursor = StepCursor::from(net.len() as u32);
        loop {
            let way = cursor;
            match self.moves.next(self, states, &mut cursor)? {
                Some(event) => ways.push((Some(event), way)),
                None => return Ok(()),
            }
        }
    }

    /// Number of enabled net transitions in `state`; `None` if it is not maintained.
    pub fn enabled_transitions(
        &self,
        states: &mut StateTable,
        state: ExplicitStateId,
    ) -> Option<usize> {
        if states.sourced.is_some() {
            return None;
        }
        states.load(self, state);
        states.focus.count()
    }

    /// Number of net transitions, the bound of the argument of
    /// [`way_behind`](Explicit::way_behind).
    pub fn transitions(&self) -> usize {
        self.moves.net.len()
    }

    /// The step from `from` by the first enabled transition from `number` on, cyclically, without
    /// its target. For random draws among many transitions.
    pub fn way_behind(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        number: usize,
    ) -> Option<StepChoice> {
        states.load(self, from);
        states.suppress_prefetch(from);
        let net = &self.moves.net;
        let found = states.focus.find(net, number as u32);
        let at = found.or_else(|| states.focus.find(net, 0))?;
        let event = net.transitions[at as usize].event;
        Some((Some(event), StepCursor::from(at)))
    }

    /// The values of all variables in `state`, computed by the difference from the state in focus.
    pub fn values<'a>(&self, states: &'a mut StateTable, state: ExplicitStateId) -> &'a [Value] {
        if states.sourced.is_some() {
            let sourced = states.sourced.as_mut();
            return sourced.map_or(&[], |sourced| sourced.values(state));
        }
        states.load(self, state);
        &states.focus.values
    }

    /// Returns whether the predicate holds in `state`.
    pub fn holds(
        &self,
        states: &mut StateTable,
        state: ExplicitStateId,
        predicate: &Predicate,
    ) -> bool {
        if let Some(sourced) = &mut states.sourced {
            return self.system.holds(predicate, sourced.values(state));
        }
        states.load(self, state);
        self.moves.holds(predicate, &states.focus)
    }

    /// Bits of the [observed](Explicit::observing) predicates that hold in `state`.
    pub fn truth(&self, states: &mut StateTable, state: ExplicitStateId) -> u64 {
        if let Some(sourced) = &mut states.sourced {
            let values = sourced.values(state);
            let truths = self.sourced.iter();
            let holds = truths.filter(|(_, predicate)| self.system.holds(predicate, values));
            return holds.fold(0, |bits, (bit, _)| bits | bit);
        }
        states.load(self, state);
        states.truth(&self.observed, |form, focus| {
            self.moves.is_true(form, focus)
        })
    }
}

/// Successors to be looked up, whose slots are prefetched together.
#[derive(Debug, Default)]
struct PrefetchBuffer {
    transitions: Vec<u32>,
    /// Events, each with the end of its changes in `changes` and the sum of its successor.
    others: Vec<(EventId, usize, u64)>,
    changes: Vec<tree::CellChange>,
    hashes: Vec<u32>,
}

impl PrefetchBuffer {
    fn clear(&mut self) {
        self.transitions.clear();
        self.others.clear();
        self.changes.clear();
        self.hashes.clear();
    }
}
