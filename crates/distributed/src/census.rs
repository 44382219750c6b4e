//! Counters over all states: deadlocks, tokens, failed claims.

use lariat_model::{Domain, Predicate, System};
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable};
use serde::{Deserialize, Serialize};

/// Counters over the states that one worker owns.
pub(crate) struct StateCensus<'q> {
    claims: &'q [Predicate],
    is_count: Vec<bool>,
    /// The tokens of the previous state; `None` before the first.
    tokens: Option<i128>,
    pub dead: u64,
    most: i64,
    most_in_all: i128,
    failed: Vec<u64>,
}

/// Counters over a set of states.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StateTotals {
    /// States without a step.
    pub deadlocks: u64,
    /// The largest number of tokens in one place.
    pub max_tokens_in_place: u64,
    /// The largest number of tokens in all places together.
    pub max_tokens: u128,
    /// For each claim, the number of states in which it does not hold.
    pub failed: Vec<u64>,
}

impl StateTotals {
    /// Combines the counters of two disjoint sets of states.
    pub(crate) fn join(&mut self, other: &StateTotals) {
        self.deadlocks += other.deadlocks;
        self.max_tokens_in_place = self.max_tokens_in_place.max(other.max_tokens_in_place);
        self.max_tokens = self.max_tokens.max(other.max_tokens);
        self.failed
            .resize(self.failed.len().max(other.failed.len()), 0);
        for (mine, others) in self.failed.iter_mut().zip(&other.failed) {
            *mine += others;
        }
    }
}

impl<'q> StateCensus<'q> {
    pub fn new(system: &System, claims: &'q [Predicate]) -> StateCensus<'q> {
        let is_count = |domain: &Domain| matches!(domain, Domain::Count { .. });
        let variables = system.variables.iter();
        StateCensus {
            claims,
            is_count: variables.map(|v| is_count(&v.domain)).collect(),
            tokens: None,
            dead: 0,
            most: 0,
            most_in_all: 0,
            failed: vec![0; claims.len()],
        }
    }

    /// Counts a state. No other caller may read values between two calls: see
    /// [`StateCensus::follow`].
    pub fn count(&mut self, space: &Explicit<'_>, states: &mut StateTable, state: ExplicitStateId) {
        let (mut is_count, mut tokens, mut most) = (self.is_count.iter(), 0, self.most);
        let all_visited = space.tell_values(states, state, |value| {
            if is_count.next() == Some(&true) {
                most = most.max(value);
                tokens += i128::from(value);
            }
        });
        if all_visited {
            (self.tokens, self.most) = (Some(tokens), most);
        } else {
            self.follow(space, states, state);
        }
        self.most_in_all = self.most_in_all.max(self.tokens.unwrap_or(0));
        for (claim, failed) in self.claims.iter().zip(&mut self.failed) {
            *failed += u64::from(!space.holds(states, state, claim));
        }
    }

    /// Updates the tokens by the changes since the previous state.
    fn follow(&mut self, space: &Explicit<'_>, states: &mut StateTable, state: ExplicitStateId) {
        let (values, changes) = space.values_and_changes(states, state);
        match &mut self.tokens {
            Some(tokens) => {
                for (var, old) in changes {
                    if self.is_count[*var as usize] {
                        let new = values[*var as usize];
                        self.most = self.most.max(new);
                        *tokens += i128::from(new) - i128::from(*old);
                    }
                }
            }
            None => {
                let counts = values.iter().zip(&self.is_count);
                let counts = counts.filter(|(_, is)| **is).map(|(value, _)| *value);
                self.most = counts.clone().max().unwrap_or(0);
                self.tokens = Some(counts.map(i128::from).sum());
            }
        }
    }

    pub fn counted(self) -> StateTotals {
        StateTotals {
            deadlocks: self.dead,
            max_tokens_in_place: self.most.max(0) as u64,
            max_tokens: self.most_in_all.max(0) as u128,
            failed: self.failed,
        }
    }
}
