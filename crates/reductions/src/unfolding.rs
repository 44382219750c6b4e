//! Lift of the unfolding of a coloured net, by names.
//!
//! Events of the unfolding are called `t(x=1)`, places `p(1,2)`. The coloured net replays a lasso
//! from these names alone, evaluating its own terms and guards, so that the replay is independent
//! of the unfolding.

use super::{Lift, LiftError};
use lariat_budget::Budget;
use lariat_model::coloured::ColouredNet;
use lariat_model::{Lasso, Proposition, System};

/// The lift of an unfolding.
#[derive(Clone, Copy, Debug)]
pub struct UnfoldingLift<'m> {
    /// The net as it was read.
    pub net: &'m ColouredNet,
    /// Its unfolding.
    pub system: &'m System,
}

impl Lift for UnfoldingLift<'_> {
    /// Returns the proposition unchanged: the reader has bound it to the unfolding.
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        Some(proposition.clone())
    }

    /// Returns the same run after the coloured net has replayed every step.
    fn back(&self, lasso: Lasso, budget: &Budget) -> Result<Lasso, LiftError> {
        self.net.replay(self.system, &lasso, budget)?;
        Ok(lasso)
    }
}
