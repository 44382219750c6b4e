//! Passes: from one system to another, with the way back.
//!
//! A pass makes another system of a system and says in its [`Lift`] what a proposition means there and which run of the
//! old system a run of the new one stands for. Engines see the last system and never know which passes ran before; a
//! counterexample goes back through all of them and is replayed on what the user wrote.
//!
//! | pass | from, to | preserves | back |
//! | --- | --- | --- | --- |
//! | [`UnfoldingLift`] | a coloured net, its unfolding | everything | by the names of places and bindings |
//!
//! The unfolding is done by the reader, so that propositions are bound to the unfolded system in the first place; its
//! way back is the last one that a lasso goes.

mod systems;
mod unfolding;

pub use systems::Systems;
pub use unfolding::UnfoldingLift;

use crate::lasso::Lasso;
use crate::predicate::Proposition;
use crate::system::System;
use std::fmt;

/// The way back from the system that a pass has made.
pub trait Lift: Send + Sync {
    /// The proposition about the old system in terms of the new one; `None` if the new system cannot tell.
    fn forward(&self, proposition: &Proposition) -> Option<Proposition>;

    /// A run of the old system that satisfies the same formulas as this run of the new one. The error says why there is
    /// none, which is a defect of the pass.
    ///
    /// The run may be a covering one: then its [`growth`](Lasso::growth) goes back as well. A pass that leaves places out must
    /// say what a round does to them, for the old system may grow, or shrink, where the new one comes round.
    fn back(&self, lasso: Lasso) -> Result<Lasso, String>;
}

/// What a pass has made.
pub struct Pass<'s> {
    /// The rule, as users know it.
    pub name: &'static str,
    /// The new system.
    pub system: &'s System,
    /// The way back.
    pub lift: Box<dyn Lift + 's>,
}

impl fmt::Debug for Pass<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}
