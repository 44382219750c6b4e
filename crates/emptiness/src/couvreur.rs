//! Couvreur's emptiness check.
//!
//! A graph has an accepting lasso iff a reachable, strongly connected component with at least one
//! edge carries every mark. The check computes the components by one depth-first search while the
//! graph is being built, and stops at the first cycle that completes the marks, usually long before
//! the component is fully explored. It supports any number of marks on edges; nothing is
//! degeneralized.
//!
//! J.-M. Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999. The numbering
//! differs: a node's number is its position among the active nodes, so dead nodes have none and no
//! separate list of a component's nodes is needed (see `scc_stack.rs`).
//!
//! Cost: every edge once; about 8 bytes per node and the path.

use crate::graph::Graph;
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, search};

/// Checks whether `graph` has an accepting lasso. Never returns [`Outcome::Undecided`].
///
/// `counts` is also filled in when the graph stops the search.
pub fn couvreur<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<Evidence>, G::Stop> {
    search(graph, worker, counts, Plain)
}

/// Enters every unseen node.
struct Plain;

impl<G: Graph> Policy<G> for Plain {}
