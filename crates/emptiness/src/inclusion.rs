//! Which nodes include which: the two indices under NSIEC, IEC and AEC.
//!
//! Dead nodes are kept as an *antichain* per class: a set inside of a dead set is dead, so
//! only the largest matter. Which these are is found out when a node is to be compared with them: a search that ends on its way back from a chain never asks. Active nodes are kept in the order of discovery, per class, so
//! that a dying component is cut off at its end. An inclusion test may cost a diagram
//! operation; both indices stop at the first hit.

use std::collections::HashMap;

use crate::graph::{NodeId, Ordered};
use crate::outcome::Counts;

/// The largest dead nodes of each class.
#[derive(Default)]
pub(crate) struct Antichain {
    classes: HashMap<u32, Dead>,
    len: usize,
}

/// The dead nodes of a class.
#[derive(Default)]
struct Dead {
    /// None of them includes another.
    largest: Vec<NodeId>,
    /// Those that have not been compared yet.
    fresh: Vec<NodeId>,
}

impl Dead {
    /// Compares the fresh ones. The newest come first: they are nearer to where the search began, and often the larger ones.
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
    /// Does a dead node include `node`? The newest are asked first: what has just been left is
    /// what the search is most likely to meet again.
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
    pub(crate) fn bury<G: Ordered>(&mut self, graph: &G, worker: &G::Worker, nodes: &[NodeId]) {
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

/// The active nodes of each class, with their positions, in increasing order.
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

    /// Forgets `nodes`, which are all active nodes from `position` on.
    pub(crate) fn bury<G: Ordered>(
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

    /// The first active node of the class of `node` for which `test` holds, and its position.
    /// The oldest are asked first: an edge back to one of them closes the largest component.
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
