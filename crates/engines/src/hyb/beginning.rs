//! Beginnings of runs that are evidence: pairs whose automaton state accepts whatever follows.
//!
//! They are asked for when a round has ended without a fair cycle. On a net that is bounded there is a cycle wherever there is such a pair, or a
//! deadlock; on one that is not, every round is cut off at its cap, and runs that never come back show in no other way.

use lariat_dd::Predicate;
use lariat_dd::kernel::{Residual, Scope};

/// Pairs whose automaton state is one of these.
pub struct Forever {
    /// Of no other predicate.
    pub scope: Scope,
    /// The level of the automaton.
    pub automaton: u32,
    /// By state of the automaton.
    pub states: Vec<bool>,
}

impl Forever {
    /// Asks for the automaton's state, and for nothing above it.
    pub const ROOT: Residual = Residual(2);
}

impl Predicate for Forever {
    fn scope(&self) -> &Scope {
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
