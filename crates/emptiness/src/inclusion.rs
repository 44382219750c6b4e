//! The inclusion indices of NSIEC, IEC and AEC.
//!
//! Dead nodes are stored as an *antichain* per class: a subset of a dead set is dead, so only the
//! maximal ones matter. They are compared lazily, at the next query: a search that backtracks along
//! a chain makes no comparison. Active nodes are stored per class in the order of discovery, so a
//! completed component is truncated. An inclusion test may cost a diagram operation; both indices
//! stop at the first hit.

use std::collections::HashMap;

use crate::graph::{NodeId, Ordered};
use crate::outcome::Counts;

/// Maximal dead nodes of each class.
#[derive(Default)]
pub(crate) struct Antichain {
    classes: HashMap<u32, Dead>,
    len: usize,
}

/// Dead nodes of one class.
#[derive(Default)]
struct Dead {
    /// Pairwise incomparable.
    largest: Vec<NodeId>,
    /// Not compared yet.
    fresh: Vec<NodeId>,
}

impl Dead {
    /// Compares the fresh nodes, newest first: they are nearer to the initial node and often
    /// larger.
    fn settle<G: Ordered>(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
    ) -> Result<(), G::Stop> {
        'fresh: while let Some(node) = self.fresh.pop() {
            let mut i = 0;
            while i < self.largest.len() {
                counts.inclusion_tests += 1;
                if graph.includes(worker, self.largest[i], node)? {
                    continue 'fresh;
                }
                counts.inclusion_tests += 1;
                if graph.includes(worker, node, self.largest[i])? {
                    self.largest.remove(i);
                } else {
                    i += 1;
                }
            }
            self.largest.push(node);
        }
        Ok(())
    }
}

impl Antichain {
    /// Returns whether a dead node includes `node`. Tests the newest first: the search is most
    /// likely to reach a recently completed component again.
    pub(crate) fn covers<G: Ordered>(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        node: NodeId,
    ) -> Result<bool, G::Stop> {
        let Some(class) = self.classes.get_mut(&graph.class(worker, node)) else {
            return Ok(false);
        };
        let known = class.largest.len() + class.fresh.len();
        class.settle(graph, worker, counts)?;
        self.len -= known - class.largest.len();
        for &dead in class.largest.iter().rev() {
            counts.inclusion_tests += 1;
            if graph.includes(worker, dead, node)? {
                counts.dead_inclusions += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds dead nodes.
    pub(crate) fn retire<G: Ordered>(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId]) {
        for &node in nodes {
            let class = self.classes.entry(graph.class(worker, node)).or_default();
            class.fresh.push(node);
            self.len += 1;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        2 * self.len * size_of::<NodeId>()
    }
}

/// Active nodes of each class with their positions, in increasing order.
#[derive(Default)]
pub(crate) struct Active {
    classes: HashMap<u32, Vec<(NodeId, usize)>>,
    len: usize,
}

impl Active {
    pub(crate) fn enter<G: Ordered>(
        &mut self,
        graph: &G,
        worker: &G::Worker,
        node: NodeId,
        position: usize,
    ) {
        let class = graph.class(worker, node);
        self.classes
            .entry(class)
            .or_default()
            .push((node, position));
        self.len += 1;
    }

    /// Removes `nodes`, which are all active nodes from `position` on.
    pub(crate) fn retire<G: Ordered>(
        &mut self,
        graph: &G,
        worker: &G::Worker,
        nodes: &[NodeId],
        position: usize,
    ) {
        for &node in nodes {
            let class = self.classes.entry(graph.class(worker, node)).or_default();
            while class.pop_if(|(_, p)| *p >= position).is_some() {
                self.len -= 1;
            }
        }
    }

    /// The first active node of the class of `node` that satisfies `test`, and its position. Tests
    /// the oldest first: an edge back to an old node closes the largest component.
    pub(crate) fn find<G: Ordered>(
        &self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        node: NodeId,
        test: impl Fn(&mut G::Worker, NodeId) -> Result<bool, G::Stop>,
    ) -> Result<Option<(NodeId, usize)>, G::Stop> {
        let class = graph.class(worker, node);
        for &(active, position) in self.classes.get(&class).into_iter().flatten() {
            counts.inclusion_tests += 1;
            if test(worker, active)? {
                counts.active_inclusions += 1;
                return Ok(Some((active, position)));
            }
        }
        Ok(None)
    }

    pub(crate) fn bytes(&self) -> usize {
        2 * self.len * size_of::<(NodeId, usize)>()
    }
}
