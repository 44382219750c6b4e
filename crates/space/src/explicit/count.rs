//! Statistics of a complete explicit state space, by one worker or several.
//!
//! With one worker, states are numbered in the order of discovery, so the store is the queue of the
//! breadth-first search. Several workers keep separate lists (`together.rs`). Every figure is a sum
//! or a maximum over all states and does not depend on the order of exploration, so ids are not
//! needed: where several workers count a small net, its states are a set of words without ids
//! (`words.rs`).

#[cfg(test)]
mod tests;
mod together;
mod words;

use super::{Explicit, ExplicitStateId, StateTable};
use lariat_budget::{Budget, Progress, RunContext, Stop};
use lariat_model::{Domain, EventId, Predicate, VarId};
use lariat_parallel::Outside;
use std::num::NonZeroUsize;
use together::{CountSearch, WorkerHalt, explore as explore_together};
use words::WordSearch;

const STATES_PER_REPORT: u64 = 65_536;

/// Statistics of a state space; lower bounds if `stop` is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExplicitCounts {
    /// Distinct states.
    pub states: u64,
    /// Pairs of a state and a step from it, without stuttering.
    pub edges: u64,
    /// States without an outgoing step.
    pub deadlocks: u64,
    /// Maximal number of tokens in one place.
    pub max_tokens_in_place: u64,
    /// Maximal number of tokens in all places together.
    pub max_tokens: u128,
    /// Bits of a packed state at the end.
    pub packed_bits: u64,
    /// Bytes held for states and their hash table; with several workers slightly more, depending on
    /// the schedule.
    pub bytes: u64,
    /// A variable that was assigned a value beyond its range, which was wrapped around.
    pub overflow: Option<VarId>,
    /// For each claim, the number of states that violate it.
    pub failed: Vec<u64>,
    /// The limit that stopped the exploration; `None` if it is complete.
    pub stop: Option<Stop>,
}

/// Explores all reachable states breadth first and evaluates the `claims` in each.
pub fn count(space: &Explicit<'_>, claims: &[Predicate], ctx: RunContext<'_>) -> ExplicitCounts {
    let mut states = space.states(ctx.budget);
    let mut count = ExplicitCounts::zero(claims);
    count.stop = explore(space, claims, &mut states, &mut count, ctx).err();
    count.found(&states);
    count
}

/// [`count`] with several threads; the order of exploration is not deterministic.
pub fn count_together(
    space: &Explicit<'_>,
    claims: &[Predicate],
    workers: NonZeroUsize,
    ctx: RunContext<'_>,
) -> ExplicitCounts {
    if workers == NonZeroUsize::MIN {
        return count(space, claims, ctx);
    }
    let blank = ExplicitCounts::zero(claims);
    if claims.is_empty()
        && let Some(searches) = WordSearch::for_workers(space, workers.get(), ctx.budget)
    {
        let (searches, mut sum, is_outgrown) = explore_together(searches, &blank, ctx);
        if !is_outgrown {
            searches.iter().for_each(|search| search.add_to(&mut sum));
            return sum;
        }
    }
    let all = space.workers(workers.get(), ctx.budget).into_iter();
    let searches = all.map(|states| StateSearch::new(space, claims, states, ctx.budget));
    let (mut searches, mut sum, _) = explore_together(searches.collect(), &blank, ctx);
    let overflows = searches.iter().filter_map(|s| s.states.overflow());
    sum.overflow = overflows.min();
    // The last remaining table knows the exact number of states.
    searches.truncate(1);
    if let Some(mut last) = searches.pop() {
        last.states.resume();
        sum.found(&last.states);
    }
    sum
}

impl ExplicitCounts {
    fn zero(claims: &[Predicate]) -> ExplicitCounts {
        ExplicitCounts {
            failed: vec![0; claims.len()],
            ..ExplicitCounts::default()
        }
    }

    /// Sets the figures that are known only at the end.
    fn found(&mut self, states: &StateTable) {
        self.states = states.len() as u64;
        self.packed_bits = states.packed_bits() as u64;
        self.bytes = states.bytes();
        self.overflow = self.overflow.or(states.overflow());
    }

    fn add(&mut self, other: ExplicitCounts) {
        self.edges += other.edges;
        self.deadlocks += other.deadlocks;
        self.max_tokens_in_place = self.max_tokens_in_place.max(other.max_tokens_in_place);
        self.max_tokens = self.max_tokens.max(other.max_tokens);
        for (failed, more) in self.failed.iter_mut().zip(other.failed) {
            *failed += more;
        }
    }
}

/// Visits states one at a time and counts their steps.
struct Census<'a> {
    space: &'a Explicit<'a>,
    claims: &'a [Predicate],
    is_count: Vec<bool>,
    /// Tokens of the state in focus, and the maximum of any place so far.
    tokens: i128,
    most: i64,
    steps: Vec<(EventId, ExplicitStateId)>,
}

impl<'a> Census<'a> {
    fn new(space: &'a Explicit<'a>, claims: &'a [Predicate], states: &StateTable) -> Census<'a> {
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

    /// Counts a state and its steps, and leaves the steps in `steps`.
    fn look(
        &mut self,
        states: &mut StateTable,
        state: ExplicitStateId,
        count: &mut ExplicitCounts,
    ) -> Result<(), Stop> {
        if self.space.system().source.is_none() {
            // A program has no tokens.
            states.load(self.space, state);
        }
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
    states: &mut StateTable,
    count: &mut ExplicitCounts,
    ctx: RunContext<'_>,
) -> Result<(), Stop> {
    space.all_initial(states)?;
    let mut census = Census::new(space, claims, states);
    let mut next = 0;
    while next < states.len() {
        census.look(states, ExplicitStateId(next as u32), count)?;
        ctx.budget.spend(1)?;
        next += 1;
        if next.is_multiple_of(STATES_PER_REPORT as usize) {
            ctx.observer.progress(Progress::new(
                "exploring",
                &[(states.len() as u64, "states"), (count.edges, "edges")],
            ));
        }
    }
    if states.was_cut() {
        return Err(Stop::Bound(
            "states beyond the boundary of the model were omitted".to_owned(),
        ));
    }
    Ok(())
}

/// One of several workers that explore states by id.
struct StateSearch<'a> {
    states: StateTable,
    census: Census<'a>,
    found: Vec<ExplicitStateId>,
    budget: Budget,
}

impl<'a> StateSearch<'a> {
    fn new(
        space: &'a Explicit<'a>,
        claims: &'a [Predicate],
        mut states: StateTable,
        budget: &Budget,
    ) -> StateSearch<'a> {
        states.keep_new();
        StateSearch {
            budget: budget.clone(),
            census: Census::new(space, claims, &states),
            states,
            found: Vec::new(),
        }
    }
}

impl CountSearch for StateSearch<'_> {
    type State = ExplicitStateId;

    fn open(&mut self) -> Result<(), Stop> {
        self.states.open()
    }

    fn rest(&mut self) -> Outside<'_> {
        self.states.outside(&self.budget)
    }

    fn start(&mut self) -> Result<(), WorkerHalt> {
        self.census.space.all_initial(&mut self.states)?;
        self.states.take_new(&mut self.found);
        Ok(())
    }

    fn look(
        &mut self,
        state: ExplicitStateId,
        count: &mut ExplicitCounts,
    ) -> Result<(), WorkerHalt> {
        self.census.look(&mut self.states, state, count)?;
        self.states.take_new(&mut self.found);
        Ok(())
    }

    fn found(&mut self) -> &mut Vec<ExplicitStateId> {
        &mut self.found
    }

    fn states(&self) -> u64 {
        self.states.len() as u64
    }
}
