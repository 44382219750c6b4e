//! A breadth-first emptiness check.
//!
//! Nodes are expanded in the order of discovery. Whenever the number of expanded nodes has grown by
//! half, and at the end, Couvreur's check searches the expanded part:
//!
//! ```text
//! repeat  expand nodes, oldest first      until their number has grown by half or no node is left
//!         Couvreur on the subgraph of the expanded nodes     until it accepts or no node is left
//! ```
//!
//! Every edge of the subgraph is an edge of the graph, so its accepting components accept. The last
//! subgraph is the whole graph, so "empty" is exact. Components near the initial nodes are found
//! before distant ones, however many edges lead away. Where edges are computed in parallel, all
//! nodes of a layer are available, while a depth-first search mostly waits for its own path.
//!
//! C. A. Abid, K. Klai, J. Arias, H. Ouni, *SOG-based multi-core LTL model checking*, ISPA 2020, name
//! such a check as future work.
//!
//! Cost: every edge once, stored in 16 bytes, and three times in the subgraphs together.

use crate::couvreur::couvreur;
use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{bytes, grow};
use std::ops::Range;

/// Expanded nodes before the first search.
const FIRST: usize = 16;

/// Edges between two budget polls.
const TICK: u64 = 1024;

/// Checks whether `graph` has an accepting lasso. Never returns [`Outcome::Undecided`].
///
/// `counts` is also filled in when the graph stops the search; `deepest` is the number of layers.
pub fn breadth_first<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<Evidence>, G::Stop> {
    let mut known = Expanded::default();
    let mut k = 0;
    while let Some(node) = graph.initial(worker, k)? {
        k += 1;
        known.initial.push(node);
        known.discover(graph, worker, node)?;
    }
    let (mut next, mut searched, mut layer) = (0, 0, 0);
    loop {
        counts.nodes = known.queue.len() as u64;
        if next == layer && next < known.queue.len() {
            layer = known.queue.len();
            counts.deepest += 1;
        }
        let complete = next == known.queue.len();
        if complete || next >= (searched + searched / 2).max(FIRST) {
            searched = next;
            let view = View {
                graph,
                known: &known,
            };
            let found = couvreur(&view, worker, &mut Counts::default())?;
            if complete || matches!(found, Outcome::Accepting(_)) {
                return Ok(found);
            }
        }
        let Some(&node) = known.queue.get(next) else {
            return Ok(Outcome::Empty);
        };
        next += 1;
        known.expand(graph, worker, counts, node)?;
    }
}

/// The nodes discovered so far, and the edges of the expanded ones.
#[derive(Default)]
struct Expanded {
    initial: Vec<NodeId>,
    /// Nodes in the order of discovery.
    queue: Vec<NodeId>,
    /// By node: discovered.
    seen: Vec<bool>,
    edges: Vec<Edge>,
    /// By node: its edges, empty unless expanded.
    of_node: Vec<Range<usize>>,
}

impl Expanded {
    fn bytes(&self) -> usize {
        bytes(&self.queue) + bytes(&self.seen) + bytes(&self.edges) + bytes(&self.of_node)
    }

    fn discover<G: Graph>(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        node: NodeId,
    ) -> Result<(), G::Stop> {
        let held = self.bytes();
        if self.seen.len() <= node.index() {
            let more = node.index() + 1 - self.seen.len();
            grow(&mut self.seen, more, |b| graph.tick(worker, held + b))?;
            grow(&mut self.of_node, more, |b| graph.tick(worker, held + b))?;
            self.seen.resize(node.index() + 1, false);
            self.of_node.resize(node.index() + 1, 0..0);
        }
        if !std::mem::replace(&mut self.seen[node.index()], true) {
            grow(&mut self.queue, 1, |b| graph.tick(worker, held + b))?;
            self.queue.push(node);
        }
        Ok(())
    }

    fn expand<G: Graph>(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        node: NodeId,
    ) -> Result<(), G::Stop> {
        let start = self.edges.len();
        let mut cursor = G::Cursor::default();
        while let Some(edge) = graph.next_edge(worker, node, &mut cursor)? {
            counts.edges += 1;
            let held = self.bytes();
            if counts.edges.is_multiple_of(TICK) {
                graph.tick(worker, held)?;
            }
            grow(&mut self.edges, 1, |b| graph.tick(worker, held + b))?;
            self.edges.push(edge);
            self.discover(graph, worker, edge.to)?;
        }
        self.of_node[node.index()] = start..self.edges.len();
        Ok(())
    }
}

/// The subgraph of the expanded nodes.
struct View<'a, G> {
    graph: &'a G,
    known: &'a Expanded,
}

impl<G: Graph> Graph for View<'_, G> {
    type Stop = G::Stop;
    type Worker = G::Worker;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.graph.marks()
    }

    fn initial(&self, _: &mut G::Worker, k: usize) -> Result<Option<NodeId>, G::Stop> {
        Ok(self.known.initial.get(k).copied())
    }

    fn next_edge(
        &self,
        _: &mut G::Worker,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, G::Stop> {
        let range = self.known.of_node[node.index()].clone();
        let edge = self.known.edges[range].get(*cursor).copied();
        *cursor += 1;
        Ok(edge)
    }

    fn tick(&self, worker: &mut G::Worker, bytes: usize) -> Result<(), G::Stop> {
        self.graph.tick(worker, self.known.bytes() + bytes)
    }
}
