//! NSIEC: Couvreur's check that leaves out what a dead node includes.
//!
//! If `T ⊆ D` and nothing accepting begins in `D`, nothing accepting begins in `T`. So an
//! edge to an unseen `T` is ignored as soon as some dead `D` of its class includes it; the
//! same holds for an initial node. Inclusions in active nodes are not used ("no stack
//! inclusion"), so every edge that the search takes is an edge of the graph, and a component
//! that accepts does so in the graph itself.
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion
//! tests*, ACSD 2009. We keep only the largest dead nodes, and apply the test to initial nodes.
//!
//! Cost: per unseen node as many inclusion tests as the antichain of its class is wide. The
//! best default where nodes are sets.

use crate::graph::{NodeId, Ordered};
use crate::inclusion::Antichain;
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, search};

/// Does `graph` have an accepting lasso? Never answers [`Outcome::Undecided`].
///
/// `counts` is filled in also when the graph stops the search.
pub fn nsiec<G: Ordered>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<Evidence>, G::Stop> {
    search(graph, worker, counts, Nsiec(Antichain::default()))
}

struct Nsiec(Antichain);

impl<G: Ordered> Policy<G> for Nsiec {
    fn meet(
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

    fn bury(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId], _: usize) {
        self.0.bury(graph, worker, nodes);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
