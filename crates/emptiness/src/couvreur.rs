//! Couvreur's emptiness check.
//!
//! A graph has an accepting lasso iff a reachable, strongly connected component with at least
//! one edge carries every mark. The check computes the components by one depth-first search
//! while the graph is being built, and stops at the first cycle that completes the marks —
//! usually long before the component, let alone the graph, is known. Marks may be many and
//! sit on edges: nothing is degeneralized.
//!
//! J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999. We differ in
//! the numbering: a node's number is its place among the active nodes, so that dead nodes need
//! none and no separate list of a component's nodes is kept (see `scc_stack.rs`).
//!
//! Cost: every edge once; about 8 bytes per node and the path.

use crate::graph::{Graph, NodeId};
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, search};

/// Does `graph` have an accepting lasso? Never answers [`Outcome::Undecided`].
///
/// `counts` is filled in also when the graph stops the search.
pub fn couvreur<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<Evidence>, G::Stop> {
    search(graph, worker, counts, Plain)
}

/// Enters every unseen node.
struct Plain;

impl<G: Graph> Policy<G> for Plain {
    fn meet(
        &mut self,
        _: &G,
        _: &mut G::Worker,
        _: &mut Counts,
        _: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(SearchMove::Enter)
    }
}
