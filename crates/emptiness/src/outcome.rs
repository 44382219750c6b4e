//! What a check answers.

use crate::graph::{Edge, NodeId};

/// The answer of an emptiness check, with evidence `E` where there is some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<E> {
    /// The search is complete and there is no accepting lasso.
    Empty,
    /// There is one, and here it is.
    Accepting(E),
    /// The check took a shortcut that may have invented this one; only AEC says so.
    Undecided(E),
}

impl<E> Outcome<E> {
    /// The same answer with other evidence.
    pub fn map<T>(self, f: impl FnOnce(E) -> T) -> Outcome<T> {
        match self {
            Outcome::Empty => Outcome::Empty,
            Outcome::Accepting(e) => Outcome::Accepting(f(e)),
            Outcome::Undecided(e) => Outcome::Undecided(f(e)),
        }
    }
}

/// Where an accepting lasso was seen.
///
/// The graph is walked again to make a [`Lasso`](crate::Lasso) of it. IEC replaces edges: its evidence
/// belongs to the [`Decomposed`](crate::Decomposed) graph, which is the graph itself where `parts`
/// is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The initial node from which the search came.
    pub initial: NodeId,
    /// The edges from there into the component, in order.
    pub prefix: Vec<Edge>,
    /// The nodes of a strongly connected, accepting part of the graph. The last edge of
    /// `prefix` (or `initial`) ends in one of them.
    pub component: Vec<NodeId>,
    /// The nodes that were taken apart, outside of the component as well: its concrete cycles
    /// may run through their wholes.
    pub parts: Vec<Part>,
    /// The search has entered no node with this or a larger number.
    pub known: usize,
}

/// A node that a check has put in the place of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The larger one.
    pub whole: NodeId,
    /// A subset of it.
    pub part: NodeId,
}

/// What a check counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes entered.
    pub nodes: u64,
    /// Edges looked at.
    pub edges: u64,
    /// The length of the longest depth-first path.
    pub deepest: u64,
    /// Inclusion tests made.
    pub inclusion_tests: u64,
    /// Nodes left out because a dead node includes them.
    pub dead_inclusions: u64,
    /// Nodes replaced by active ones: taken apart (IEC) or enlarged (AEC).
    pub active_inclusions: u64,
}
