//! Shortest prefix after which the automaton accepts every continuation, by breadth-first search.
//!
//! A depth-first search of a growing net may diverge although such a prefix is short, because no
//! cycle stops it. Engines on single states therefore run this bounded search first.
//! ([`shorten`](crate::shorten()) also ends with the nearest such node of the part it explores.)

use crate::explicit::steps::SingleStateProduct;
use lariat_budget::Stop;
use lariat_emptiness::{Counts, Edge, GraphLasso, NodeId};

/// Nodes of the search before one that may diverge; part of the short first round of `auto`.
pub(crate) const MOST_NODES: usize = 4000;

/// Edges between two polls of the budget.
const TICK: u64 = 1024;

/// Finds a shortest path from an initial node to one with
/// [`accepts_forever`](SingleStateProduct::accepts_forever) among the first `most` nodes; adds to
/// `counts`.
pub(crate) fn nearest<P: SingleStateProduct>(
    product: &P,
    worker: &mut P::Worker,
    most: usize,
    counts: &mut Counts,
) -> Result<Option<GraphLasso>, Stop> {
    if !product.takes_prefixes() {
        return Ok(None);
    }
    let mut tree = Tree::default();
    let mut k = 0;
    while let Some(node) = product.initial(worker, k)? {
        tree.add(node, None);
        k += 1;
    }
    let mut next = 0;
    while let Some(&node) = tree.order.get(next) {
        if product.accepts_forever(worker, node) {
            return Ok(Some(tree.found(node, counts)));
        }
        next += 1;
        let mut cursor = P::Cursor::default();
        while let Some(edge) = product.next_edge(worker, node, &mut cursor)? {
            tree.add(edge.to, Some((node, edge)));
            tree.edges += 1;
            if tree.edges.is_multiple_of(TICK) {
                product.tick(worker, tree.bytes())?;
            }
        }
        if tree.order.len() >= most {
            // Nodes found but not yet expanded.
            let found = tree.order[next..].iter().copied();
            let mut found = found.filter(|node| product.accepts_forever(worker, *node));
            return Ok(found.next().map(|node| tree.found(node, counts)));
        }
    }
    Ok(None)
}

/// Nodes in the order of discovery, each with the edge by which it was found.
#[derive(Default)]
struct Tree {
    order: Vec<NodeId>,
    /// By node.
    by: Vec<Option<Option<(NodeId, Edge)>>>,
    edges: u64,
}

impl Tree {
    fn add(&mut self, node: NodeId, by: Option<(NodeId, Edge)>) {
        if self.by.len() <= node.index() {
            self.by.resize(node.index() + 1, None);
        }
        if self.by[node.index()].is_none() {
            self.by[node.index()] = Some(by);
            self.order.push(node);
        }
    }

    fn bytes(&self) -> usize {
        self.order.capacity() * size_of::<NodeId>()
            + self.by.capacity() * size_of::<Option<Option<(NodeId, Edge)>>>()
    }

    /// Returns the path to a node; adds the size of the search to `counts`.
    fn found(&self, to: NodeId, counts: &mut Counts) -> GraphLasso {
        counts.nodes += self.order.len() as u64;
        counts.edges += self.edges;
        let mut prefix = Vec::new();
        let mut at = to;
        while let Some(Some((from, edge))) = self.by[at.index()] {
            prefix.push(edge);
            at = from;
        }
        prefix.reverse();
        GraphLasso {
            initial: at,
            prefix,
            cycle: Vec::new(),
        }
    }
}
