//! Advice for reductions from linear programming.
//!
//! The rules for nets are in `lariat_reductions`, which `lariat_structural` depends on; a rule that
//! needs linear programming receives the answers as advice, and checks them exactly.

use lariat_budget::Budget;
use lariat_model::{System, VarId};
use lariat_reductions::ImplicitPlace;
use lariat_structural::{FactLimits, Facts};

/// Limits on one request for advice. Queries that have an answer need few pivots.
const LIMITS: FactLimits = FactLimits {
    question: 250,
    total: 1_000,
    nodes: FactLimits::NODES,
};

/// Advice from structural facts about the net; none when the budget ends.
pub(crate) fn advice_by_facts(
    budget: &Budget,
) -> impl FnMut(&System, &[VarId]) -> Vec<ImplicitPlace> {
    move |net, places| {
        let mut facts = Facts::limited(net, LIMITS);
        facts.implicit(places, budget).unwrap_or_default()
    }
}
