//! An accepting component that several workers have found together, and its evidence.
//!
//! The workers record the union-find, but no path. A second, sequential search among the nodes that
//! are not dead finds a path into the component, and verifies that it accepts.

use crate::graph::{Graph, NodeId};
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, search};
use crate::union_find::{EntryIndex, UnionFind};

/// Result of a search that has found an accepting component: the sets, to locate it again.
#[derive(Debug)]
pub struct LassoHint {
    pub(crate) sets: UnionFind,
    /// A node of the accepting component.
    pub(crate) at: EntryIndex,
}

impl LassoHint {
    /// The evidence, computed by a search of one worker in the fragment that all workers have
    /// explored. Seal a graph that supports it first.
    pub fn evidence<G: Graph>(
        &self,
        graph: &G,
        worker: &mut G::Worker,
    ) -> Result<Evidence, G::Stop> {
        let counts = &mut Counts::default();
        let mut is_known = |node| self.sets.is_alive(node, self.at);
        if let Outcome::Accepting(evidence) = search(graph, worker, counts, Among(&mut is_known))? {
            return Ok(evidence);
        }
        // Nodes on the way may have died before all workers noticed the cancellation.
        match search(graph, worker, counts, Among(&mut |_| true))? {
            Outcome::Accepting(evidence) => Ok(evidence),
            _ => unreachable!("a component with all marks has a lasso"),
        }
    }
}

/// Enters the nodes that satisfy the predicate.
struct Among<'a>(&'a mut dyn FnMut(NodeId) -> bool);

impl<G: Graph> Policy<G> for Among<'_> {
    fn decide(
        &mut self,
        _: &G,
        _: &mut G::Worker,
        _: &mut Counts,
        node: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(if (self.0)(node) {
            SearchMove::Enter
        } else {
            SearchMove::Ignore
        })
    }
}
