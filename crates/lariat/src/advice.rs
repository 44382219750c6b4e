//! What reductions are told by linear programming.
//!
//! Rules for nets are in `reductions`, which comes before `structural`; so the rules ask for advice, and this is who gives it.

use lariat_budget::Budget;
use lariat_model::{System, VarId};
use lariat_reductions::Told;
use lariat_structural::{Facts, Limits};

/// What advice may cost each time it is asked for: a hundredth of a second or two. Questions that have an answer need few pivots.
const LIMITS: Limits = Limits {
    question: 250,
    total: 1_000,
    nodes: Limits::NODES,
};

/// Advice by facts about the net, within a budget. Where that ends there is none.
pub(crate) fn by_facts(budget: &Budget) -> impl FnMut(&System, &[VarId]) -> Vec<Told> {
    move |net, places| {
        let mut facts = Facts::limited(net, LIMITS);
        facts.implicit(places, budget).unwrap_or_default()
    }
}
