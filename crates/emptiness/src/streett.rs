//! Emptiness under Streett pairs by recursive refinement of components.
//!
//! A pair `(E, T)` is *enabled* in nodes and *met* by edges. A cycle is fair if it carries all
//! marks and, for every pair, meets it or does not enable it. Fair runs express strong fairness. A
//! pair that every node enables acts as a further mark, so conditions may exceed [`Marks::MAX`].
//!
//! Let `C` be a strongly connected set of nodes, `M` its marks, `E` the pairs that its nodes enable
//! and `T` the pairs that its edges meet:
//!
//! ```text
//! fair(C)  =  ∅                                           if M lacks a mark
//!             C                                           if E ⊆ T
//!             ⋃ fair(D), D a component of C \ {n | n enables some pair of E \ T}      otherwise
//! ```
//!
//! A pair of `E \ T` is not met in `C`, so no fair cycle of `C` contains a node that enables it (E.
//! A. Emerson, C.-L. Lei, *Modalities for model checking*, 1987; M. Rauch Henzinger, J. A. Telle,
//! SWAT 1996). The components come from Couvreur's search on the fly. A component is refined when
//! it is complete, and before that whenever it carries all marks and has doubled in size since its
//! last refinement. So violations are found early, and the total cost of refining a growing
//! component is proportional to the last refinement.
//!
//! Cost: every edge once for the search, and about twice for each level of refinement of its
//! component; the number of levels is at most the number of pairs. Pairs are queried from the graph
//! and not stored.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::lasso::{NodeSet, initial_nodes};
use crate::outcome::{Counts, Outcome};
use crate::scc_stack::{Policy, bytes, search};

/// A set of pairs as bits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PairSet(Vec<u64>);

impl PairSet {
    /// The empty set over the given number of pairs.
    pub fn none(pairs: usize) -> PairSet {
        PairSet(vec![0; pairs.div_ceil(64)])
    }

    /// Adds a pair.
    pub fn insert(&mut self, pair: usize) {
        self.0[pair / 64] |= 1 << (pair % 64);
    }

    /// Returns whether the set contains the pair.
    pub fn contains(&self, pair: usize) -> bool {
        self.0[pair / 64] >> (pair % 64) & 1 == 1
    }

    /// The pairs as bits, 64 per word.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }

    fn add(&mut self, other: &PairSet) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn remove(&mut self, other: &PairSet) {
        for (word, less) in self.0.iter_mut().zip(&other.0) {
            *word &= !less;
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn meets(&self, other: &PairSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// A graph with Streett pairs in addition to marks.
pub trait Streett: Graph {
    /// Number of pairs.
    fn pairs(&self) -> usize;

    /// Adds the pairs that `node` enables.
    fn enabled(
        &self,
        worker: &mut Self::Worker,
        node: NodeId,
        enabled: &mut PairSet,
    ) -> Result<(), Self::Stop>;

    /// [`Graph::next_edge`], with the pairs that the edge meets added to `met`.
    fn next_meeting(
        &self,
        worker: &mut Self::Worker,
        node: NodeId,
        cursor: &mut Self::Cursor,
        met: &mut PairSet,
    ) -> Result<Option<Edge>, Self::Stop>;
}

/// An edge and its position among the edges of its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumberedEdge {
    /// The edge.
    pub edge: Edge,
    /// Number of preceding edges of the source.
    pub number: u32,
}

/// A fair lasso. Edges with equal ends and marks may meet different pairs, so each edge has its
/// number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairLasso {
    /// The initial node.
    pub initial: NodeId,
    /// The edges from there to the cycle, in order.
    pub prefix: Vec<NumberedEdge>,
    /// The edges of the cycle, at least one.
    pub cycle: Vec<NumberedEdge>,
}

/// Checks whether `graph` has a fair lasso. Never returns [`Outcome::Undecided`].
///
/// `counts` is also filled in when the graph stops the search.
pub fn streett<G: Streett>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
) -> Result<Outcome<FairLasso>, G::Stop> {
    let (refined, mut found) = (Vec::new(), Vec::new());
    let policy = Refining {
        refined,
        found: &mut found,
    };
    let known = match search(graph, worker, counts, policy)? {
        Outcome::Empty => return Ok(Outcome::Empty),
        Outcome::Accepting(evidence) | Outcome::Undecided(evidence) => evidence.known,
    };
    match lasso(graph, worker, &found, known)? {
        Some(lasso) => Ok(Outcome::Accepting(lasso)),
        None => unreachable!("a fair component has a lasso"),
    }
}

struct Refining<'a> {
    /// Start and size of each component that was refined before it was complete.
    refined: Vec<(usize, usize)>,
    found: &'a mut Vec<NodeId>,
}

impl Refining<'_> {
    /// Removes the refinements from a position on, which are parts of one component; returns the
    /// largest size.
    fn forget(&mut self, position: usize) -> usize {
        let mut largest = 0;
        while let Some((_, size)) = self.refined.pop_if(|(at, _)| *at >= position) {
            largest = size.max(largest);
        }
        largest
    }
}

impl<G: Streett> Policy<G> for Refining<'_> {
    fn confirm(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        nodes: &[NodeId],
        position: usize,
    ) -> Result<bool, G::Stop> {
        let largest = self.forget(position);
        if nodes.len() < 2 * largest {
            self.refined.push((position, largest));
            return Ok(false);
        }
        self.refined.push((position, nodes.len()));
        *self.found = fair_part(graph, worker, nodes)?;
        Ok(!self.found.is_empty())
    }

    fn confirm_complete(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        nodes: &[NodeId],
        position: usize,
    ) -> Result<bool, G::Stop> {
        self.forget(position);
        *self.found = fair_part(graph, worker, nodes)?;
        Ok(!self.found.is_empty())
    }
}

/// A strongly connected subset of `nodes` that carries all marks and meets every pair it enables;
/// empty if there is none.
fn fair_part<G: Streett>(
    graph: &G,
    worker: &mut G::Worker,
    nodes: &[NodeId],
) -> Result<Vec<NodeId>, G::Stop> {
    let mut todo = vec![nodes.to_vec()];
    while let Some(within) = todo.pop() {
        for component in components(graph, worker, &within)? {
            let Some(unmet) = unmet_pairs(graph, worker, &component)? else {
                continue;
            };
            if unmet.is_empty() {
                return Ok(component);
            }
            let mut left = Vec::new();
            let mut enabled = PairSet::none(graph.pairs());
            for node in component {
                enabled.clear();
                graph.enabled(worker, node, &mut enabled)?;
                if !enabled.meets(&unmet) {
                    left.push(node);
                }
            }
            if !left.is_empty() {
                todo.push(left);
            }
        }
    }
    Ok(Vec::new())
}

/// The pairs that a component enables and does not meet. `None` if no cycle of the component
/// carries all marks.
fn unmet_pairs<G: Streett>(
    graph: &G,
    worker: &mut G::Worker,
    component: &[NodeId],
) -> Result<Option<PairSet>, G::Stop> {
    let inside: NodeSet = component.iter().collect();
    let mut marks = Marks::NONE;
    let mut has_edge = false;
    let (mut enabled, mut met) = (PairSet::none(graph.pairs()), PairSet::none(graph.pairs()));
    let mut of_edge = met.clone();
    for (i, node) in component.iter().enumerate() {
        graph.enabled(worker, *node, &mut enabled)?;
        let mut cursor = G::Cursor::default();
        loop {
            of_edge.clear();
            let edge = graph.next_meeting(worker, *node, &mut cursor, &mut of_edge)?;
            let Some(edge) = edge else { break };
            if inside.contains(edge.to) {
                has_edge = true;
                marks = marks.union(edge.marks);
                met.add(&of_edge);
            }
        }
        if i % 1024 == 1023 {
            graph.tick(worker, inside.bytes())?;
        }
    }
    enabled.remove(&met);
    let accepting = has_edge && marks.contains(graph.marks());
    Ok(accepting.then_some(enabled))
}

/// The strongly connected components of the graph on `within` (Tarjan, SIAM J. Comput. 1972),
/// including single nodes without edges.
fn components<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    within: &[NodeId],
) -> Result<Vec<Vec<NodeId>>, G::Stop> {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let Some(largest) = within.iter().max() else {
        return Ok(Vec::new());
    };
    let inside: NodeSet = within.iter().collect();
    let mut number = vec![UNSEEN; largest.index() + 1];
    graph.tick(worker, bytes(&number) + inside.bytes())?;
    let mut found = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    // Node, cursor, index and lowlink.
    let mut path: Vec<(NodeId, G::Cursor, u32, u32)> = Vec::new();
    let mut steps = 0u32;
    for root in within {
        if number[root.index()] != UNSEEN {
            continue;
        }
        let mut entered = Some(*root);
        loop {
            if let Some(node) = entered.take() {
                let own = open.len() as u32;
                number[node.index()] = own;
                open.push(node);
                path.push((node, G::Cursor::default(), own, own));
            }
            let Some((node, cursor, own, least)) = path.last_mut() else {
                break;
            };
            steps += 1;
            if steps.is_multiple_of(1024) {
                graph.tick(worker, bytes(&number) + inside.bytes())?;
            }
            match graph.next_edge(worker, *node, cursor)? {
                Some(edge) if !inside.contains(edge.to) => {}
                Some(edge) => match number[edge.to.index()] {
                    UNSEEN => entered = Some(edge.to),
                    DONE => {}
                    known => *least = known.min(*least),
                },
                None => {
                    let (own, least) = (*own, *least);
                    path.pop();
                    if least == own {
                        let component = open.split_off(own as usize);
                        for node in &component {
                            number[node.index()] = DONE;
                        }
                        found.push(component);
                    } else if let Some((.., above)) = path.last_mut() {
                        *above = least.min(*above);
                    }
                }
            }
        }
    }
    Ok(found)
}

/// A path into a fair component, and a cycle in it that carries all marks and meets all enabled
/// pairs.
fn lasso<G: Streett>(
    graph: &G,
    worker: &mut G::Worker,
    component: &[NodeId],
    known: usize,
) -> Result<Option<FairLasso>, G::Stop> {
    let inside: NodeSet = component.iter().collect();
    let initial = initial_nodes(graph, worker)?;
    let into = match initial.iter().find(|node| inside.contains(**node)) {
        Some(node) => Some((*node, Vec::new())),
        None => {
            let reached = |node: NodeId| node.index() < known;
            walk(graph, worker, &initial, reached, |edge, _| {
                inside.contains(edge.to)
            })?
        }
    };
    let Some((initial, prefix)) = into else {
        return Ok(None);
    };
    let entry = end(initial, &prefix);
    let mut missing = PairSet::none(graph.pairs());
    for node in component {
        graph.enabled(worker, *node, &mut missing)?;
    }
    let mut marks = graph.marks();
    let (mut cycle, mut at) = (Vec::new(), entry);
    let stays = |node: NodeId| inside.contains(node);
    while !marks.is_empty() || !missing.is_empty() {
        let helps = |edge: Edge, met: &PairSet| {
            !edge.marks.intersection(marks).is_empty() || met.meets(&missing)
        };
        let Some((_, path)) = walk(graph, worker, &[at], stays, helps)? else {
            return Ok(None);
        };
        let (seen, met) = along(graph, worker, at, &path)?;
        marks = marks.minus(seen);
        missing.remove(&met);
        at = end(at, &path);
        cycle.extend(path);
    }
    if cycle.is_empty() || at != entry {
        let Some((_, path)) = walk(graph, worker, &[at], stays, |edge, _| edge.to == entry)? else {
            return Ok(None);
        };
        cycle.extend(path);
    }
    Ok(Some(FairLasso {
        initial,
        prefix,
        cycle,
    }))
}

fn end(start: NodeId, path: &[NumberedEdge]) -> NodeId {
    path.last().map_or(start, |last| last.edge.to)
}

/// The marks and the met pairs along a path.
fn along<G: Streett>(
    graph: &G,
    worker: &mut G::Worker,
    mut from: NodeId,
    path: &[NumberedEdge],
) -> Result<(Marks, PairSet), G::Stop> {
    let (mut marks, mut all) = (Marks::NONE, PairSet::none(graph.pairs()));
    let mut met = all.clone();
    for NumberedEdge { edge, number } in path {
        let mut cursor = G::Cursor::default();
        for _ in 0..=*number {
            met.clear();
            graph.next_meeting(worker, from, &mut cursor, &mut met)?;
        }
        marks = marks.union(edge.marks);
        all.add(&met);
        from = edge.to;
    }
    Ok((marks, all))
}

/// A shortest path, of at least one edge, from one of `sources` through nodes that satisfy `inside`
/// to an edge that satisfies `goal`; also returns its source.
fn walk<G: Streett>(
    graph: &G,
    worker: &mut G::Worker,
    sources: &[NodeId],
    inside: impl Fn(NodeId) -> bool,
    goal: impl Fn(Edge, &PairSet) -> bool,
) -> Result<Option<(NodeId, Vec<NumberedEdge>)>, G::Stop> {
    /// A visited node, the edge by which it was reached and the index of its predecessor's visit.
    struct Visit {
        node: NodeId,
        by: Option<(NumberedEdge, u32)>,
    }
    let mut seen: NodeSet = sources.iter().collect();
    let mut visits: Vec<Visit> = Vec::new();
    visits.extend(sources.iter().map(|&node| Visit { node, by: None }));
    let mut met = PairSet::none(graph.pairs());
    let mut i = 0;
    while i < visits.len() {
        let mut cursor = G::Cursor::default();
        let mut number = 0;
        loop {
            met.clear();
            let edge = graph.next_meeting(worker, visits[i].node, &mut cursor, &mut met)?;
            let Some(edge) = edge else { break };
            let this = NumberedEdge { edge, number };
            number += 1;
            if !inside(edge.to) {
                continue;
            }
            if goal(edge, &met) {
                let mut path = vec![this];
                let mut at = &visits[i];
                while let Some((by, from)) = at.by {
                    path.push(by);
                    at = &visits[from as usize];
                }
                path.reverse();
                return Ok(Some((at.node, path)));
            }
            if seen.insert(edge.to) {
                visits.push(Visit {
                    node: edge.to,
                    by: Some((this, i as u32)),
                });
            }
        }
        i += 1;
        if i % 1024 == 0 {
            graph.tick(worker, bytes(&visits) + seen.bytes())?;
        }
    }
    Ok(None)
}
