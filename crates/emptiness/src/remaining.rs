//! The lasso among the nodes that the parallel check has left: a sequential search among them, and a
//! shortest path from an initial node.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::lasso::{GraphLasso, NodeSet, shortened_from};
use crate::outcome::{Counts, Outcome};
use crate::scc_stack::{Policy, SearchMove, search};

/// The nodes among which an accepting cycle lies.
#[derive(Debug)]
pub struct Remaining {
    pub(crate) nodes: Vec<NodeId>,
    /// Exclusive upper bound of the ids of found nodes.
    pub(crate) known: usize,
}

impl Remaining {
    /// A lasso through these nodes. The budget of the search may be used up: seal a graph that
    /// supports it first.
    pub fn lasso<G: Graph>(
        &self,
        graph: &G,
        worker: &mut G::Worker,
    ) -> Result<Option<GraphLasso>, G::Stop> {
        let inside: NodeSet = self.nodes.iter().collect();
        let rooted = Rooted {
            graph,
            roots: &self.nodes,
        };
        let found = search(&rooted, worker, &mut Counts::default(), Among(&inside))?;
        match found {
            Outcome::Accepting(evidence) => shortened_from(graph, worker, &evidence, self.known),
            _ => Ok(None),
        }
    }
}

/// A graph with other initial nodes.
struct Rooted<'a, G> {
    graph: &'a G,
    roots: &'a [NodeId],
}

impl<G: Graph> Graph for Rooted<'_, G> {
    type Stop = G::Stop;
    type Worker = G::Worker;
    type Cursor = G::Cursor;

    fn marks(&self) -> Marks {
        self.graph.marks()
    }

    fn initial(&self, _: &mut G::Worker, k: usize) -> Result<Option<NodeId>, G::Stop> {
        Ok(self.roots.get(k).copied())
    }

    fn next_edge(
        &self,
        worker: &mut G::Worker,
        node: NodeId,
        cursor: &mut G::Cursor,
    ) -> Result<Option<Edge>, G::Stop> {
        self.graph.next_edge(worker, node, cursor)
    }

    fn tick(&self, worker: &mut G::Worker, bytes: usize) -> Result<(), G::Stop> {
        self.graph.tick(worker, bytes)
    }
}

/// Enters the nodes of a set.
struct Among<'a>(&'a NodeSet);

impl<G: Graph> Policy<G> for Among<'_> {
    fn decide(
        &mut self,
        _: &G,
        _: &mut G::Worker,
        _: &mut Counts,
        node: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(if self.0.contains(node) {
            SearchMove::Enter
        } else {
            SearchMove::Ignore
        })
    }
}
