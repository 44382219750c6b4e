//! AEC: the approximating check.
//!
//! Beside NSIEC's rule for dead nodes: an edge to an unseen `T` that an *active* `D` includes
//! is turned into an edge to `D`. The graph only gains lassos by this, so "empty" is an answer;
//! but a component that was closed by such an edge may accept by what was gained, and then the
//! answer is [`Outcome::Undecided`].
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion
//! tests*, ACSD 2009. The paper is in doubt as soon as one edge anywhere was turned. We are
//! in doubt only about components that such an edge has closed: the path into a component
//! and every merge inside of another are made of true edges.
//!
//! Cost: that of IEC without its rests, on the smallest graph of all; a first pass. After
//! `Undecided`, [`lasso`](crate::lasso) looks for a lasso of true edges inside the component; if there
//! is none, ask NSIEC.

use crate::graph::{NodeId, Ordered};
use crate::inclusion::{Active, Antichain};
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, bytes, search};

/// Does `graph` have an accepting lasso?
///
/// `counts` is filled in also when the graph stops the search.
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
    /// Positions of active nodes, increasing, such that the components with turned edges are
    /// those that contain one.
    turned: Vec<usize>,
}

impl<G: Ordered> Policy<G> for Aec {
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
        let around = |worker: &mut G::Worker, active| graph.includes(worker, active, node);
        let Some((known, position)) = self.active.find(graph, worker, counts, node, around)? else {
            return Ok(SearchMove::Enter);
        };
        // The turned edge joins everything from `position` on, so a larger entry stands for it.
        if self.turned.last().is_none_or(|&last| last < position) {
            self.turned.push(position);
        }
        Ok(SearchMove::Divert(known))
    }

    fn enter(&mut self, graph: &G, worker: &G::Worker, node: NodeId, position: usize) {
        self.active.enter(graph, worker, node, position);
    }

    fn bury(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId], position: usize) {
        while self.turned.pop_if(|p| *p >= position).is_some() {}
        self.active.bury(graph, worker, nodes, position);
        self.dead.bury(graph, worker, nodes);
    }

    fn exact(&self, position: usize) -> bool {
        self.turned.last().is_none_or(|&last| last < position)
    }

    fn bytes(&self) -> usize {
        self.dead.bytes() + self.active.bytes() + bytes(&self.turned)
    }
}
