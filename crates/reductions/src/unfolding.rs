//! The way back from the unfolding of a coloured net: by names.
//!
//! Events of the unfolding are called `t(x=1)`, places `p(1,2)`. The coloured net replays a lasso from these names
//! alone, by evaluating its own terms and guards, so that an error of the unfolding cannot vouch for itself.

use super::{Astray, Lift};
use lariat_model::coloured::ColouredNet;
use lariat_model::{Lasso, Proposition, System};

/// The way back to a coloured net.
#[derive(Clone, Copy, Debug)]
pub struct UnfoldingLift<'m> {
    /// The net as it was read.
    pub net: &'m ColouredNet,
    /// Its unfolding.
    pub system: &'m System,
}

impl Lift for UnfoldingLift<'_> {
    /// Propositions are bound to the unfolding by the reader: they are in its terms already.
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        Some(proposition.clone())
    }

    /// The same run, told in the same names, once the coloured net has taken every step of it.
    fn back(&self, lasso: Lasso) -> Result<Lasso, Astray> {
        let replayed = self.net.replay(self.system, &lasso);
        replayed.map_err(Astray::Defect)?;
        Ok(lasso)
    }
}
