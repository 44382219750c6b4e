//! Finite prefixes as evidence: pairs whose automaton state accepts every continuation.
//!
//! Evaluated when a round has ended without a fair cycle. In a bounded net with such a pair there
//! is also a cycle or a deadlock. In an unbounded net every round is cut off at its cap, and runs
//! that repeat no state are found only like this.

use lariat_dd::LevelPredicate;
use lariat_dd::kernel::{CacheScope, Residual};

/// Predicate on pairs by their automaton state.
pub struct Forever {
    pub scope: CacheScope,
    pub automaton: u32,
    /// By automaton state: the predicate's value.
    pub states: Vec<bool>,
}

impl Forever {
    /// The only undecided residual: it depends on the automaton state alone.
    pub const ROOT: Residual = Residual(2);
}

impl LevelPredicate for Forever {
    fn scope(&self) -> &CacheScope {
        &self.scope
    }

    fn step(
        &mut self,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, lariat_budget::Stop> {
        if level < self.automaton {
            return Ok(residual);
        }
        Ok(match self.states.get(value as usize) {
            Some(true) => Residual::TRUE,
            _ => Residual::FALSE,
        })
    }
}
