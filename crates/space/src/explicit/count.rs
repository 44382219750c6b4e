//! The figures of a whole explicit state space, by one worker or by several.
//!
//! States are numbered in the order of discovery, so that with one worker the store is its own breadth-first queue. Several workers keep lists of their
//! own (`together.rs`). What is counted is a sum or a maximum over all states, and does not depend on who comes first. So states need no
//! numbers, and those of small nets get none where several workers count (`words.rs`).

#[cfg(test)]
mod tests;
mod together;
mod words;

use super::{Explicit, StateId, States};
use lariat_budget::{Budget, Observer, Progress, Stop};
use lariat_model::{Domain, EventId, Predicate, VarId};
use std::num::NonZeroUsize;
use together::{Halt, Search, explore as explore_together};
use words::WordSearch;

/// States between two words about progress.
const STATES_PER_WORD: u64 = 65_536;

/// What was counted. Lower bounds if the exploration stopped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    /// Different states.
    pub states: u64,
    /// Pairs of a state and a step from it; stuttering is none.
    pub edges: u64,
    /// States without a step.
    pub deadlocks: u64,
    /// The largest number of tokens seen in one place.
    pub max_tokens_in_place: u64,
    /// The largest number of tokens seen in all places together.
    pub max_tokens: u128,
    /// Bits of one packed state at the end.
    pub packed_bits: u64,
    /// Bytes held for states and the table that finds them. Several workers hold a little more, depending on who found what.
    pub bytes: u64,
    /// A variable that was assigned a value beyond its range, which wrapped around.
    pub overflow: Option<VarId>,
    /// For each claim, the number of states in which it does not hold.
    pub failed: Vec<u64>,
    /// Why the exploration stopped, if it did not end.
    pub stop: Option<Stop>,
}

/// Explores everything reachable, breadth first, and asks in every state whether the `claims` hold.
pub fn count(
    space: &Explicit<'_>,
    claims: &[Predicate],
    budget: &Budget,
    observer: &dyn Observer,
) -> Count {
    let mut states = space.states(budget);
    let mut count = Count::of(claims);
    count.stop = explore(space, claims, &mut states, &mut count, budget, observer).err();
    count.found(&states);
    count
}

/// The same by so many workers, in no order.
pub fn count_together(
    space: &Explicit<'_>,
    claims: &[Predicate],
    workers: NonZeroUsize,
    budget: &Budget,
    observer: &dyn Observer,
) -> Count {
    if workers == NonZeroUsize::MIN {
        return count(space, claims, budget, observer);
    }
    let blank = Count::of(claims);
    if claims.is_empty()
        && let Some(searches) = WordSearch::of(space, workers.get(), budget)
    {
        let (searches, mut sum, is_outgrown) = explore_together(searches, &blank, budget, observer);
        if !is_outgrown {
            searches.iter().for_each(|search| search.tell(&mut sum));
            return sum;
        }
    }
    let all = space.workers(workers.get(), budget).into_iter();
    let searches = all.map(|states| StateSearch::new(space, claims, states));
    let (mut searches, mut sum, _) = explore_together(searches.collect(), &blank, budget, observer);
    let overflows = searches.iter().filter_map(|s| s.states.overflow());
    sum.overflow = overflows.min();
    // The last that is left knows how many there are.
    searches.truncate(1);
    if let Some(mut last) = searches.pop() {
        last.states.resume();
        sum.found(&last.states);
    }
    sum
}

impl Count {
    fn of(claims: &[Predicate]) -> Count {
        Count {
            failed: vec![0; claims.len()],
            ..Count::default()
        }
    }

    /// What is known of the states when all is over.
    fn found(&mut self, states: &States) {
        self.states = states.len() as u64;
        self.packed_bits = states.packed_bits() as u64;
        self.bytes = states.bytes();
        self.overflow = self.overflow.or(states.overflow());
    }

    fn add(&mut self, other: Count) {
        self.edges += other.edges;
        self.deadlocks += other.deadlocks;
        self.max_tokens_in_place = self.max_tokens_in_place.max(other.max_tokens_in_place);
        self.max_tokens = self.max_tokens.max(other.max_tokens);
        for (failed, more) in self.failed.iter_mut().zip(other.failed) {
            *failed += more;
        }
    }
}

/// Looks at one state after the other.
struct Census<'a> {
    space: &'a Explicit<'a>,
    claims: &'a [Predicate],
    is_count: Vec<bool>,
    /// The tokens of the state in focus, and the most that any place has had.
    tokens: i128,
    most: i64,
    steps: Vec<(EventId, StateId)>,
}

impl<'a> Census<'a> {
    fn new(space: &'a Explicit<'a>, claims: &'a [Predicate], states: &States) -> Census<'a> {
        let variables = &space.system().variables;
        let is_count = |domain: &Domain| matches!(domain, Domain::Count { .. });
        let is_count: Vec<bool> = variables.iter().map(|v| is_count(&v.domain)).collect();
        let counts = states.focus.values.iter().zip(&is_count);
        let counts = counts.filter(|(_, is)| **is).map(|(value, _)| *value);
        Census {
            space,
            claims,
            tokens: counts.clone().map(i128::from).sum(),
            most: counts.max().unwrap_or(0),
            is_count,
            steps: Vec::new(),
        }
    }

    /// Counts a state and its steps, which are in `steps` then.
    fn look(&mut self, states: &mut States, state: StateId, count: &mut Count) -> Result<(), Stop> {
        states.load(self.space, state);
        for (var, old) in &states.focus.changed {
            if self.is_count[*var as usize] {
                let new = states.focus.values[*var as usize];
                self.most = self.most.max(new);
                self.tokens += i128::from(new) - i128::from(*old);
            }
        }
        count.max_tokens_in_place = self.most as u64;
        count.max_tokens = count.max_tokens.max(self.tokens as u128);
        for (claim, failed) in self.claims.iter().zip(&mut count.failed) {
            *failed += u64::from(!self.space.holds(states, state, claim));
        }
        self.steps.clear();
        self.space.expand(states, state, &mut self.steps)?;
        count.edges += self.steps.len() as u64;
        count.deadlocks += u64::from(self.steps.is_empty());
        Ok(())
    }
}

fn explore(
    space: &Explicit<'_>,
    claims: &[Predicate],
    states: &mut States,
    count: &mut Count,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Stop> {
    let mut k = 0;
    while space.initial(states, k)?.is_some() {
        k += 1;
    }
    let mut census = Census::new(space, claims, states);
    let mut next = 0;
    while next < states.len() {
        census.look(states, StateId(next as u32), count)?;
        budget.spend(1)?;
        next += 1;
        if next.is_multiple_of(STATES_PER_WORD as usize) {
            observer.progress(Progress {
                phase: "exploring",
                figures: &[(states.len() as u64, "states"), (count.edges, "edges")],
            });
        }
    }
    Ok(())
}

/// One of several workers that look at states by their numbers.
struct StateSearch<'a> {
    states: States,
    census: Census<'a>,
    found: Vec<StateId>,
}

impl<'a> StateSearch<'a> {
    fn new(
        space: &'a Explicit<'a>,
        claims: &'a [Predicate],
        mut states: States,
    ) -> StateSearch<'a> {
        states.keep_new();
        StateSearch {
            census: Census::new(space, claims, &states),
            states,
            found: Vec::new(),
        }
    }
}

impl Search for StateSearch<'_> {
    type State = StateId;

    fn open(&mut self) -> Result<(), Stop> {
        self.states.open()
    }

    fn rest(&mut self) {
        self.states.rest();
    }

    fn start(&mut self) -> Result<(), Halt> {
        let mut k = 0;
        while self.census.space.initial(&mut self.states, k)?.is_some() {
            k += 1;
        }
        self.states.take_new(&mut self.found);
        Ok(())
    }

    fn look(&mut self, state: StateId, count: &mut Count) -> Result<(), Halt> {
        self.census.look(&mut self.states, state, count)?;
        self.states.take_new(&mut self.found);
        Ok(())
    }

    fn found(&mut self) -> &mut Vec<StateId> {
        &mut self.found
    }

    fn states(&self) -> u64 {
        self.states.len() as u64
    }
}
