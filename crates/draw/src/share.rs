//! Polls of the budget, and shares of its time.
//!
//! A layout whose budget ends is replaced by a simple one, which takes linear time
//! ([`grid`](crate::grid)); the picture says so.

use lariat_budget::{Budget, Stop};

/// Steps of work between two polls: a few dozen microseconds.
const EVERY: usize = 4096;

/// Counts steps of work, and polls the budget at the first and then every [`EVERY`] of them.
pub(crate) struct Poll<'a> {
    budget: &'a Budget,
    left: usize,
}

impl<'a> Poll<'a> {
    pub fn new(budget: &'a Budget) -> Poll<'a> {
        Poll { budget, left: 0 }
    }

    /// Counts `steps` of work.
    pub fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        match self.left.checked_sub(steps.max(1)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = EVERY;
                self.budget.check()
            }
        }
    }
}

/// The budget with this part of its remaining time.
pub(crate) fn part(budget: &Budget, part: f64) -> Budget {
    match budget.time_left() {
        Some(left) => budget.clone().with_deadline(left.mul_f64(part)),
        None => budget.clone(),
    }
}

/// The remark in a picture whose layout was ended by the budget.
pub(crate) fn remark(stop: &Stop) -> String {
    let why = match stop {
        Stop::Memory => "too little memory for",
        Stop::Interrupted => "an interruption ended",
        _ => "too little time for",
    };
    format!("simple layout: {why} the usual one")
}
