//! The reachable states, under an order that is found by trying.
//!
//! No static score may choose an order alone, so `auto` tries: the file order first, under a small
//! budget of nodes and before any other order has been computed; then the candidates.
//! Budgets are counted in nodes created, never in seconds, so that runs repeat.

use super::pumping::{Pumping, pumping};
use super::space::Symbolic;
use lariat_budget::{Budget, Observer, Stop};
use lariat_dd::Set;
use lariat_model::order::{self, Order, OrderName};
use lariat_model::{Deadlock, System};

/// Which order to use.
#[derive(Clone, Debug, Default)]
pub enum OrderChoice {
    /// Whatever turns out to work.
    #[default]
    Auto,
    /// The order that a heuristic makes.
    Named(OrderName),
    /// This one.
    Given(Order),
}

/// A space with all its reachable states.
pub struct Reached<'a> {
    /// The space.
    pub space: Symbolic<'a>,
    /// The reachable states.
    pub states: Set,
    /// The order used, by name.
    pub order: String,
    /// What was tried, the successful attempt last.
    pub trail: Vec<Attempt>,
}

/// One try of an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The order, by name.
    pub order: String,
    /// Nodes created.
    pub created: u64,
    /// Why it was given up; `None` if it succeeded.
    pub stop: Option<Stop>,
}

/// What came of looking for all reachable states.
pub enum Reach<'a> {
    /// Here they are.
    All(Box<Reached<'a>>),
    /// There are infinitely many, and this is why.
    Unbounded(Pumping),
}
