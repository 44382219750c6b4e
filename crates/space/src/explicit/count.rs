//! The figures of a whole explicit state space.
//!
//! States are numbered in the order of discovery, so the interner is its own breadth-first queue.

use super::{Explicit, StateId, States};
use lariat_budget::{Budget, Observer, Progress, Stop};
use lariat_model::{Domain, Predicate, VarId};

/// What was counted. Lower bounds if the exploration stopped.
#[derive(Clone, Debug, Default)]
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
    /// Bytes held for states and the table that finds them.
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
    let mut count = Count {
        failed: vec![0; claims.len()],
        ..Count::default()
    };
    count.stop = explore(space, claims, &mut states, &mut count, budget, observer).err();
    count.states = states.len() as u64;
    count.packed_bits = states.packed_bits() as u64;
    count.bytes = states.bytes();
    count.overflow = states.overflow();
    count
}

fn explore(
    space: &Explicit<'_>,
    claims: &[Predicate],
    states: &mut States,
    count: &mut Count,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Stop> {
    let is_count = |var: usize| {
        let domain = &space.system().variables[var].domain;
        matches!(domain, Domain::Count { .. })
    };
    let is_count: Vec<bool> = (0..space.system().variables.len()).map(is_count).collect();
    let mut k = 0;
    while space.initial(states, k)?.is_some() {
        k += 1;
    }
    // The tokens of the state in focus, and the most that any place has had.
    let counts = states.focus.values.iter().zip(&is_count);
    let counts = counts.filter(|(_, is)| **is).map(|(value, _)| *value);
    let mut tokens: i128 = counts.clone().map(i128::from).sum();
    let mut most = counts.max().unwrap_or(0);
    let mut steps = Vec::new();
    let mut next = 0;
    while next < states.len() {
        let state = StateId(next as u32);
        states.load(space, state);
        for (var, old) in &states.focus.changed {
            if is_count[*var as usize] {
                let new = states.focus.values[*var as usize];
                most = most.max(new);
                tokens += i128::from(new) - i128::from(*old);
            }
        }
        count.max_tokens_in_place = most as u64;
        count.max_tokens = count.max_tokens.max(tokens as u128);
        for (claim, failed) in claims.iter().zip(&mut count.failed) {
            *failed += u64::from(!space.holds(states, state, claim));
        }
        steps.clear();
        space.expand(states, state, &mut steps)?;
        count.edges += steps.len() as u64;
        count.deadlocks += u64::from(steps.is_empty());
        budget.spend(1)?;
        next += 1;
        if next % 65_536 == 0 {
            observer.progress(Progress {
                phase: "exploring",
                figures: &[(states.len() as u64, "states"), (count.edges, "edges")],
            });
        }
    }
    Ok(())
}
