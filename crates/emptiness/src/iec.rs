//! IEC: the inclusion-aware check that takes nodes apart.
//!
//! Beside NSIEC's rule for dead nodes: when an edge `R –F→ T` leads to an unseen `T` that
//! includes an *active* `D`, it is replaced by
//!
//! ```text
//! R –F→ D    and    R –F→ T \ D
//! ```
//!
//! so that the cycle through `D` is closed at once and only the rest is new. The rest may be
//! dead, active or taken apart again.
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion
//! tests*, ACSD 2009. We differ twice:
//!
//! - A rest that again includes `T` (possible where a graph closes the sets it makes) would be
//!   taken apart for ever: then `T` is entered whole. An empty rest is dropped.
//! - The published check reports the component alone, but a concrete cycle through `D` may
//!   run through states of `T \ D` that are in none of its nodes. So the evidence names
//!   every part with its whole; [`Decomposed`](crate::Decomposed) is the graph that was searched.
//!
//! Cost: NSIEC's, and per unseen node an inclusion test with each active node of its class. May
//! visit sets that are no nodes of the original graph; always terminates, since rests shrink.

use crate::graph::{NodeId, Ordered};
use crate::inclusion::{Active, Antichain};
use crate::outcome::{Counts, Evidence, Outcome, Part};
use crate::scc_stack::{Policy, SearchMove, bytes, search};

/// Does `graph` have an accepting lasso? Never answers [`Outcome::Undecided`].
///
/// `counts` is filled in also when the graph stops the search.
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
    parts: Vec<Part>,
}

impl<G: Ordered> Policy<G> for Iec {
    fn meet(
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
                self.parts.push(Part { whole, part: known });
                Ok(SearchMove::Divert(known))
            }
            Some(rest) if rest == whole || graph.includes(worker, rest, whole)? => {
                Ok(SearchMove::Enter)
            }
            Some(rest) => {
                self.parts.push(Part { whole, part: known });
                self.parts.push(Part { whole, part: rest });
                Ok(SearchMove::Split { known, rest })
            }
        }
    }

    fn enter(&mut self, graph: &G, worker: &G::Worker, node: NodeId, position: usize) {
        self.active.enter(graph, worker, node, position);
    }

    fn bury(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId], position: usize) {
        self.active.bury(graph, worker, nodes, position);
        self.dead.bury(graph, worker, nodes);
    }

    fn parts(self) -> Vec<Part> {
        self.parts
    }

    fn bytes(&self) -> usize {
        self.dead.bytes() + self.active.bytes() + bytes(&self.parts)
    }
}
