//! NSIEC: Couvreur's check without nodes that a dead node includes.
//!
//! If `T ⊆ D` and no accepting run begins in `D`, none begins in `T`. So an edge to an unseen `T`,
//! or an initial `T`, is skipped if a dead `D` of its class includes it. Inclusion in active nodes
//! is not used ("no stack inclusion"), so the search follows only edges of the graph, and an
//! accepting component accepts in the graph itself.
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion tests*,
//! report LIP6 2006/003 (shorter: ACSD 2007). Deviations: only maximal dead nodes are stored, and
//! initial nodes are tested as well.
//!
//! Cost: per unseen node at most as many inclusion tests as the antichain of its class has members.
//! The default for graphs whose nodes are sets.

use crate::graph::{NodeId, Ordered};
use crate::inclusion::Antichain;
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, search};

/// Checks whether `graph` has an accepting lasso. Never returns [`Outcome::Undecided`].
///
/// `counts` is also filled in when the graph stops the search.
pub fn nsiec<G: Ordered>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<Evidence>, G::Stop> {
    search(graph, worker, counts, Nsiec(Antichain::default()))
}

struct Nsiec(Antichain);

impl<G: Ordered> Policy<G> for Nsiec {
    fn decide(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        node: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(if self.0.covers(graph, worker, counts, node)? {
            SearchMove::Ignore
        } else {
            SearchMove::Enter
        })
    }

    fn retire(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId], _: usize) {
        self.0.retire(graph, worker, nodes);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
