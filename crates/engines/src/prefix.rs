//! The shortest beginning of a run that decides: breadth-first in the product, to a node from which the automaton accepts whatever follows.
//!
//! A depth-first search of a net that grows may run away from what is a few steps off, and there is no cycle that would stop it. Engines
//! on single states look around first, and [`shorten`](crate::shorten()) ends with the nearest node of this kind. Engines that need all states of a net
//! have none where there is no end to them: whoever asked for one of them looks around in its place ([`beginning`]).

use crate::problem::Problem;
use crate::steps::{Steps, concrete};
use crate::sync::Sync;
use lariat_budget::{Budget, Observer, Stop};
use lariat_emptiness::{Counts, Edge, Lasso as Abstract, NodeId};
use lariat_model::Lasso;

/// Nodes that are looked at before a search that may run away: a few hundredths of a second, and part of what a glance of `auto` may do.
pub(crate) const LOOK: usize = 4000;

/// Edges between two looks at the clock.
const TICK: u64 = 1024;

/// A shortest beginning of a run that is evidence, of no more than `longest` steps, if one is found among `effort` states of the product.
pub fn beginning(
    problem: &Problem<'_>,
    longest: usize,
    effort: u64,
    budget: &Budget,
    observer: &dyn Observer,
) -> Option<Lasso> {
    let product = Sync::new(problem, observer);
    let mut worker = product.worker(&budget.clone().with_work(effort));
    let most = (usize::MAX, longest);
    let found = nearest(&product, &mut worker, most, &mut Counts::default()).ok()??;
    concrete(&product, &mut worker, &found).ok()
}

/// A way from an initial node to one that accepts for ever, with no more than `longest` edges, among the first `most` nodes.
///
/// `counts` is filled in where one is found.
pub(crate) fn nearest<P: Steps>(
    product: &P,
    worker: &mut P::Worker,
    (most, longest): (usize, usize),
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
    // Nodes of the order from here on are one edge further away.
    let (mut depth, mut further) = (0, tree.order.len());
    while let Some(&node) = tree.order.get(next) {
        if next == further {
            (depth, further) = (depth + 1, tree.order.len());
        }
        if product.accepts_forever(worker, node) {
            return Ok(Some(tree.found(node, counts)));
        }
        next += 1;
        if depth == longest {
            continue;
        }
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
