//! The shortest beginning of a run that decides: breadth-first in the product, to a node from which the automaton accepts whatever follows.
//!
//! A depth-first search of a net that grows may run away from what is a few steps off, and there is no cycle that would stop it. Engines
//! on single states look around first. ([`shorten`](crate::shorten()) ends with the nearest node of this kind, among what it explores anyway.)

use crate::explicit::steps::Steps;
use lariat_budget::Stop;
use lariat_emptiness::{Counts, Edge, Lasso as Abstract, NodeId};

/// Nodes that are looked at before a search that may run away: a few hundredths of a second, and part of what a glance of `auto` may do.
pub(crate) const LOOK: usize = 4000;

/// Edges between two looks at the clock.
const TICK: u64 = 1024;

/// A shortest way from an initial node to one that accepts for ever, among the first `most` nodes.
///
/// `counts` is filled in where one is found.
pub(crate) fn nearest<P: Steps>(
    product: &P,
    worker: &mut P::Worker,
    most: usize,
    counts: &mut Counts,
) -> Result<Option<Abstract>, Stop> {
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
            // Those that were made are still looked at.
            let found = tree.order[next..].iter().copied();
            let mut found = found.filter(|node| product.accepts_forever(worker, *node));
            return Ok(found.next().map(|node| tree.found(node, counts)));
        }
    }
    Ok(None)
}

/// Nodes in the order in which they were found, each with the edge by which it was.
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

    /// The way to a node, and what it took to find it.
    fn found(&self, to: NodeId, counts: &mut Counts) -> Abstract {
        counts.nodes += self.order.len() as u64;
        counts.edges += self.edges;
        let mut prefix = Vec::new();
        let mut at = to;
        while let Some(Some((from, edge))) = self.by[at.index()] {
            prefix.push(edge);
            at = from;
        }
        prefix.reverse();
        Abstract {
            initial: at,
            prefix,
            cycle: Vec::new(),
        }
    }
}
