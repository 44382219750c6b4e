//! IEC: the inclusion-based check that splits nodes.
//!
//! In addition to NSIEC's rule for dead nodes, an edge `R –F→ T` to an unseen `T` that includes an
//! *active* `D` is replaced by
//!
//! ```text
//! R –F→ D    and    R –F→ T \ D
//! ```
//!
//! so that the cycle through `D` is closed immediately and only the difference is new. The
//! difference may itself be dead, active or split again.
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion tests*,
//! report LIP6 2006/003 (shorter: ACSD 2007). Two deviations:
//!
//! - If the difference includes `T` (possible where a graph closes its sets), splitting would not
//!   terminate, so `T` is entered whole. An empty difference is dropped.
//! - The published check reports the component only, but a concrete cycle through `D` may visit
//!   states of `T \ D` that are in none of its nodes. The evidence therefore lists every part with
//!   its whole; [`Decomposed`](crate::Decomposed) is the graph that was searched.
//!
//! Cost: that of NSIEC, and per unseen node one inclusion test with each active node of its class.
//! The search may visit sets that are not nodes of the original graph; it terminates because
//! differences shrink.

use crate::graph::{NodeId, Ordered};
use crate::inclusion::{Active, Antichain};
use crate::outcome::{Counts, Evidence, Outcome, SubsetNode};
use crate::scc_stack::{Policy, SearchMove, bytes, search};

/// Checks whether `graph` has an accepting lasso. Never returns [`Outcome::Undecided`].
///
/// `counts` is also filled in when the graph stops the search.
pub fn iec<G: Ordered>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<Evidence>, G::Stop> {
    search(graph, worker, counts, Iec::default())
}

#[derive(Default)]
struct Iec {
    dead: Antichain,
    active: Active,
    parts: Vec<SubsetNode>,
}

impl<G: Ordered> Policy<G> for Iec {
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
        let inside = |worker: &mut G::Worker, active| graph.includes(worker, node, active);
        let Some((known, _)) = self.active.find(graph, worker, counts, node, inside)? else {
            return Ok(SearchMove::Enter);
        };
        let whole = node;
        match graph.minus(worker, whole, known)? {
            None => {
                self.parts.push(SubsetNode { whole, part: known });
                Ok(SearchMove::Divert(known))
            }
            Some(rest) if rest == whole || graph.includes(worker, rest, whole)? => {
                Ok(SearchMove::Enter)
            }
            Some(rest) => {
                self.parts.push(SubsetNode { whole, part: known });
                self.parts.push(SubsetNode { whole, part: rest });
                Ok(SearchMove::Split { known, rest })
            }
        }
    }

    fn enter(&mut self, graph: &G, worker: &G::Worker, node: NodeId, position: usize) {
        self.active.enter(graph, worker, node, position);
    }

    fn retire(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId], position: usize) {
        self.active.retire(graph, worker, nodes, position);
        self.dead.retire(graph, worker, nodes);
    }

    fn parts(self) -> Vec<SubsetNode> {
        self.parts
    }

    fn bytes(&self) -> usize {
        self.dead.bytes() + self.active.bytes() + bytes(&self.parts)
    }
}
