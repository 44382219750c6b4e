//! Results of emptiness checks.

use crate::graph::{Edge, NodeId};

/// The answer of an emptiness check, with evidence `E`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<E> {
    /// The search is complete and there is no accepting lasso.
    Empty,
    /// An accepting lasso exists.
    Accepting(E),
    /// An accepting component exists only with redirected edges; returned by AEC alone.
    Undecided(E),
}

impl<E> Outcome<E> {
    /// Maps the evidence.
    pub fn map<T>(self, f: impl FnOnce(E) -> T) -> Outcome<T> {
        match self {
            Outcome::Empty => Outcome::Empty,
            Outcome::Accepting(e) => Outcome::Accepting(f(e)),
            Outcome::Undecided(e) => Outcome::Undecided(f(e)),
        }
    }
}

/// An accepting component and the depth-first path into it.
///
/// [`lasso`](crate::lasso) walks the graph again to construct a [`GraphLasso`](crate::GraphLasso).
/// IEC replaces edges: its evidence refers to the [`Decomposed`](crate::Decomposed) graph, which
/// equals the graph if `parts` is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The initial node from which the component was reached.
    pub initial: NodeId,
    /// The edges from `initial` into the component, in order.
    pub prefix: Vec<Edge>,
    /// The nodes of a strongly connected, accepting subgraph. The last edge of `prefix` (or
    /// `initial`) ends in one of them.
    pub component: Vec<NodeId>,
    /// All nodes that were split, also outside of the component: concrete cycles may visit states
    /// of their wholes.
    pub parts: Vec<SubsetNode>,
    /// Exclusive upper bound of the ids of entered nodes.
    pub known: usize,
}

/// A node that IEC searches in place of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubsetNode {
    /// The larger node.
    pub whole: NodeId,
    /// A subset of it.
    pub part: NodeId,
}

/// Statistics of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes entered.
    pub nodes: u64,
    /// Edges examined.
    pub edges: u64,
    /// Length of the longest depth-first path.
    pub deepest: u64,
    /// Inclusion tests made.
    pub inclusion_tests: u64,
    /// Nodes skipped because a dead node includes them.
    pub dead_inclusions: u64,
    /// Nodes replaced by active ones: split (IEC) or enlarged (AEC).
    pub active_inclusions: u64,
}
