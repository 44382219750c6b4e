//! The graph that IEC has searched.
//!
//! Where IEC split `T` into `D` and `T \ D`, an edge `R –F→ T` stands for an edge `R –F→ X` to each
//! part `X ⊆ T`. With these edges added, the prefix of IEC's evidence is a path and its component
//! is strongly connected and accepting, so [`lasso`](crate::lasso) succeeds.
//!
//! For concrete states, every state of `X` is a state of `T`, so it has a predecessor in `R` *by
//! the edge to `T`*: a backward walk from a state of `X` may leave `X`, but not `T`.
//! [`Decomposed::origin`] returns the edge to `T` for an edge to `X`.

use std::collections::{HashMap, HashSet};

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::outcome::Evidence;

/// A graph with the additional edges of a decomposition; the graph itself if nothing was split.
pub struct Decomposed<'a, G> {
    graph: &'a G,
    /// The parts of each split node, transitively.
    parts: HashMap<NodeId, Vec<NodeId>>,
}

impl<'a, G: Graph> Decomposed<'a, G> {
    /// The graph that `evidence` refers to.
    pub fn new(graph: &'a G, evidence: &Evidence) -> Decomposed<'a, G> {
        let mut direct: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for part in &evidence.parts {
            direct.entry(part.whole).or_default().push(part.part);
        }
        let all = |whole: NodeId| {
            let mut seen = HashSet::from([whole]);
            let mut parts = vec![whole];
            let mut i = 0;
            while i < parts.len() {
                for &part in direct.get(&parts[i]).into_iter().flatten() {
                    if seen.insert(part) {
                        parts.push(part);
                    }
                }
                i += 1;
            }
            parts.swap_remove(0);
            parts
        };
        let parts = direct.keys().map(|&whole| (whole, all(whole))).collect();
        Decomposed { graph, parts }
    }

    /// The edge of the original graph from which `edge` (with source `from`) was derived: its
    /// target equals or includes that of `edge`. `None` if there is none.
    pub fn origin(
        &self,
        worker: &mut G::Worker,
        from: NodeId,
        edge: Edge,
    ) -> Result<Option<Edge>, G::Stop> {
        let mut cursor = G::Cursor::default();
        while let Some(true_edge) = self.graph.next_edge(worker, from, &mut cursor)? {
            if true_edge.marks == edge.marks
                && (true_edge.to == edge.to || self.parts_of(true_edge.to).contains(&edge.to))
            {
                return Ok(Some(true_edge));
            }
        }
        Ok(None)
    }

    fn parts_of(&self, node: NodeId) -> &[NodeId] {
        self.parts.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// Cursor over the edges of a [`Decomposed`] graph.
#[derive(Default)]
pub struct DecomposedCursor<C> {
    inner: C,
    /// The node whose parts come next, the marks of the edge to it, and the number of parts
    /// returned.
    pending: Option<(NodeId, Marks, usize)>,
}

impl<G: Graph> Graph for Decomposed<'_, G> {
    type Stop = G::Stop;
    type Worker = G::Worker;
    type Cursor = DecomposedCursor<G::Cursor>;

    fn marks(&self) -> Marks {
        self.graph.marks()
    }

    fn initial(&self, worker: &mut G::Worker, k: usize) -> Result<Option<NodeId>, G::Stop> {
        self.graph.initial(worker, k)
    }

    fn next_edge(
        &self,
        worker: &mut G::Worker,
        node: NodeId,
        cursor: &mut Self::Cursor,
    ) -> Result<Option<Edge>, G::Stop> {
        if let Some((whole, marks, given)) = &mut cursor.pending {
            if let Some(&to) = self.parts_of(*whole).get(*given) {
                *given += 1;
                return Ok(Some(Edge { to, marks: *marks }));
            }
            cursor.pending = None;
        }
        let edge = self.graph.next_edge(worker, node, &mut cursor.inner)?;
        cursor.pending = edge.map(|edge| (edge.to, edge.marks, 0));
        Ok(edge)
    }

    fn tick(&self, worker: &mut G::Worker, bytes: usize) -> Result<(), G::Stop> {
        self.graph.tick(worker, bytes)
    }
}
