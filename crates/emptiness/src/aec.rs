//! AEC: the approximate inclusion-based check.
//!
//! In addition to NSIEC's rule for dead nodes, an edge to an unseen `T` that an *active* `D`
//! includes is redirected to `D`. Redirection only adds lassos, so "empty" is exact. A component
//! closed by a redirected edge may accept only because of it; the answer is then
//! [`Outcome::Undecided`].
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion tests*,
//! report LIP6 2006/003 (shorter: ACSD 2007), §4. The published check is undecided once any edge
//! was redirected. This one is undecided only for components that a redirected edge has closed: the
//! path into a component and the merges inside other components use edges of the graph.
//!
//! Cost: that of IEC without the differences, on the smallest graph of all checks; suited as a
//! first pass. After `Undecided`, [`lasso`](crate::lasso) searches the component for a lasso of
//! graph edges; if there is none, NSIEC decides.

use crate::graph::{NodeId, Ordered};
use crate::inclusion::{Active, Antichain};
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, bytes, search};

/// Checks whether `graph` has an accepting lasso.
///
/// `counts` is also filled in when the graph stops the search.
pub fn aec<G: Ordered>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<Evidence>, G::Stop> {
    search(graph, worker, counts, Aec::default())
}

#[derive(Default)]
struct Aec {
    dead: Antichain,
    active: Active,
    /// Positions of active nodes, increasing. A component contains a redirected edge iff it
    /// contains one of these positions.
    turned: Vec<usize>,
}

impl<G: Ordered> Policy<G> for Aec {
    fn decide(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        node: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        if self.dead.covers(graph, worker, counts, node)? {
            return Ok(SearchMove::Ignore);
        }
        let around = |worker: &mut G::Worker, active| graph.includes(worker, active, node);
        let Some((known, position)) = self.active.find(graph, worker, counts, node, around)? else {
            return Ok(SearchMove::Enter);
        };
        // The redirected edge merges everything from `position` on, so a larger entry covers this
        // one.
        if self.turned.last().is_none_or(|&last| last < position) {
            self.turned.push(position);
        }
        Ok(SearchMove::Divert(known))
    }

    fn enter(&mut self, graph: &G, worker: &G::Worker, node: NodeId, position: usize) {
        self.active.enter(graph, worker, node, position);
    }

    fn retire(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId], position: usize) {
        while self.turned.pop_if(|p| *p >= position).is_some() {}
        self.active.retire(graph, worker, nodes, position);
        self.dead.retire(graph, worker, nodes);
    }

    fn exact(&self, position: usize) -> bool {
        self.turned.last().is_none_or(|&last| last < position)
    }

    fn bytes(&self) -> usize {
        self.dead.bytes() + self.active.bytes() + bytes(&self.turned)
    }
}
