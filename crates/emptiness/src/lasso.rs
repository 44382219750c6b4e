//! Construction of a lasso from an accepting component.
//!
//! A check ends with a component that is known to accept. The lasso is a path into it and one short
//! cycle, both found by walking the graph again:
//!
//! - the cycle: from the entry, breadth-first inside the component to the nearest edge with a
//!   missing mark, from there to the next, and finally back to the entry;
//! - the prefix: breadth-first from the initial nodes, through nodes that the check has reached, to
//!   the nearest node of the component, which becomes the entry.
//!
//! The lasso is *short*, not shortest: the order of the marks is greedy, and a component that the
//! check has not reached may be nearer. Cost: the prefix visits each edge of the nodes nearer than
//! the component once; the cycle visits the edges of the component once per mark.
//!
//! The cycle is computed first, from the entry that the check has used. If the graph stops while
//! the prefix is being shortened, the depth-first prefix and this cycle are returned, so a lasso
//! found before the deadline is not lost.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::outcome::Evidence;
use crate::scc_stack::{bytes, grow};

/// An accepting lasso: `prefix` leads from `initial` to the node where `cycle` begins and ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphLasso {
    /// The initial node.
    pub initial: NodeId,
    /// The edges from there to the cycle, in order.
    pub prefix: Vec<Edge>,
    /// The edges of the cycle, at least one, carrying all marks together.
    pub cycle: Vec<Edge>,
}

impl GraphLasso {
    /// The node where the cycle begins.
    pub fn entry(&self) -> NodeId {
        end(self.initial, &self.prefix)
    }

    fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }
}

/// A short accepting lasso through the component of `evidence`.
///
/// `None` if the component does not accept by edges of the graph alone, which happens only where a
/// check has replaced edges (IEC: use the [`Decomposed`](crate::Decomposed) graph instead) or
/// redirected them (AEC). Every returned lasso is a lasso of `graph`.
///
/// Fails if the graph stops before the first cycle is complete: a caller with an almost exhausted
/// budget should grant additional time.
pub fn lasso<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    evidence: &Evidence,
) -> Result<Option<GraphLasso>, G::Stop> {
    let component = &Component::new(evidence, graph.marks());
    lasso_in(graph, worker, component, evidence)
}

/// A short lasso through the component of `evidence`, whose cycle may have any marks. Unless
/// `by_path`, the search that gave the evidence did not start at an initial node.
pub(crate) fn lasso_with_any_marks<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    evidence: &Evidence,
    by_path: bool,
) -> Result<Option<GraphLasso>, G::Stop> {
    let component = &Component::new(evidence, Marks::NONE);
    if by_path {
        lasso_in(graph, worker, component, evidence)
    } else {
        shortened(graph, worker, component, evidence.known)
    }
}

fn lasso_in<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    component: &Component,
    evidence: &Evidence,
) -> Result<Option<GraphLasso>, G::Stop> {
    let found_at = end(evidence.initial, &evidence.prefix);
    let Some(cycle) = cycle(graph, worker, component, found_at)? else {
        return Ok(None);
    };
    let found = GraphLasso {
        initial: evidence.initial,
        prefix: evidence.prefix.clone(),
        cycle,
    };
    if found.prefix.is_empty() {
        return Ok(Some(found));
    }
    match shortened(graph, worker, component, evidence.known) {
        Ok(Some(better)) if better.len() < found.len() => Ok(Some(better)),
        _ => Ok(Some(found)),
    }
}

/// Component in which the cycle is searched.
struct Component {
    nodes: NodeSet,
    /// The marks that the cycle must carry.
    marks: Marks,
    /// Size of this set and of the evidence.
    bytes: usize,
}

impl Component {
    fn new(evidence: &Evidence, marks: Marks) -> Component {
        let nodes: NodeSet = evidence.component.iter().collect();
        let bytes = nodes.bytes()
            + bytes(&evidence.component)
            + bytes(&evidence.prefix)
            + bytes(&evidence.parts);
        Component {
            nodes,
            marks,
            bytes,
        }
    }

    fn contains(&self, node: NodeId) -> bool {
        self.nodes.contains(node)
    }
}

/// The node where `path` ends.
fn end(start: NodeId, path: &[Edge]) -> NodeId {
    path.last().map_or(start, |edge| edge.to)
}

/// A lasso with a shortest prefix into the component.
fn shortened<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    component: &Component,
    known: usize,
) -> Result<Option<GraphLasso>, G::Stop> {
    let initial = initial_nodes(graph, worker)?;
    let inside = initial.iter().copied().find(|&n| component.contains(n));
    let into = match inside {
        Some(node) => Some((node, Vec::new())),
        None => walk(
            graph,
            worker,
            component.bytes,
            &initial,
            |node| node.index() < known,
            |edge| component.contains(edge.to),
        )?,
    };
    let Some((initial, prefix)) = into else {
        return Ok(None);
    };
    let entry = end(initial, &prefix);
    let cycle = cycle(graph, worker, component, entry)?;
    Ok(cycle.map(|cycle| GraphLasso {
        initial,
        prefix,
        cycle,
    }))
}

/// All initial nodes.
pub(crate) fn initial_nodes<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
) -> Result<Vec<NodeId>, G::Stop> {
    let mut initial = Vec::new();
    while let Some(node) = graph.initial(worker, initial.len())? {
        initial.push(node);
    }
    Ok(initial)
}

/// An accepting cycle from `entry` inside of `component`.
fn cycle<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    component: &Component,
    entry: NodeId,
) -> Result<Option<Vec<Edge>>, G::Stop> {
    let inside = |node| component.contains(node);
    let mut cycle: Vec<Edge> = Vec::new();
    let mut missing = component.marks;
    let mut at = entry;
    while !missing.is_empty() {
        let helps = |edge: Edge| !edge.marks.intersection(missing).is_empty();
        let Some((_, path)) = walk(graph, worker, component.bytes, &[at], inside, helps)? else {
            return Ok(None);
        };
        let seen = path.iter().fold(Marks::NONE, |m, e| m.union(e.marks));
        missing = missing.minus(seen);
        at = end(at, &path);
        cycle.extend(path);
    }
    if cycle.is_empty() || at != entry {
        let closes = |edge: Edge| edge.to == entry;
        let Some((_, path)) = walk(graph, worker, component.bytes, &[at], inside, closes)? else {
            return Ok(None);
        };
        cycle.extend(path);
    }
    Ok(Some(cycle))
}

/// A shortest path, of at least one edge, from one of `sources` through nodes that satisfy `inside`
/// to an edge that satisfies `goal`; also returns its source. `held` is the number of bytes in use
/// by the caller.
pub(crate) fn walk<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    held: usize,
    sources: &[NodeId],
    inside: impl Fn(NodeId) -> bool,
    goal: impl Fn(Edge) -> bool,
) -> Result<Option<(NodeId, Vec<Edge>)>, G::Stop> {
    /// A visited node, the marks of the edge to it and the index of its predecessor's visit.
    struct Visit {
        marks: Marks,
        node: NodeId,
        from: u32,
    }
    const NOWHERE: u32 = u32::MAX;

    let mut seen = NodeSet::default();
    let mut visits: Vec<Visit> = Vec::new();
    for &node in sources {
        if seen.insert(node) {
            visits.push(Visit {
                marks: Marks::NONE,
                node,
                from: NOWHERE,
            });
        }
    }
    let mut i = 0;
    while i < visits.len() {
        let mut cursor = G::Cursor::default();
        while let Some(edge) = graph.next_edge(worker, visits[i].node, &mut cursor)? {
            if !inside(edge.to) {
                continue;
            }
            if goal(edge) {
                let mut path = vec![edge];
                let mut at = &visits[i];
                while at.from != NOWHERE {
                    let (to, marks) = (at.node, at.marks);
                    path.push(Edge { to, marks });
                    at = &visits[at.from as usize];
                }
                path.reverse();
                return Ok(Some((at.node, path)));
            }
            if seen.insert(edge.to) {
                let held = held + bytes(&visits) + seen.bytes();
                grow(&mut visits, 1, |more| graph.tick(worker, held + more))?;
                visits.push(Visit {
                    marks: edge.marks,
                    node: edge.to,
                    from: i as u32,
                });
            }
        }
        i += 1;
        if i % 1024 == 0 {
            graph.tick(worker, held + bytes(&visits) + seen.bytes())?;
        }
    }
    Ok(None)
}

/// A bit set of nodes.
#[derive(Default)]
pub(crate) struct NodeSet(Vec<u64>);

impl<'a> FromIterator<&'a NodeId> for NodeSet {
    fn from_iter<I: IntoIterator<Item = &'a NodeId>>(nodes: I) -> NodeSet {
        let mut set = NodeSet::default();
        for node in nodes {
            set.insert(*node);
        }
        set
    }
}

impl NodeSet {
    /// Adds `node`; returns whether it was missing.
    pub(crate) fn insert(&mut self, node: NodeId) -> bool {
        let (word, bit) = (node.index() / 64, 1 << (node.index() % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let missing = self.0[word] & bit == 0;
        self.0[word] |= bit;
        missing
    }

    pub(crate) fn contains(&self, node: NodeId) -> bool {
        let (word, bit) = (node.index() / 64, 1 << (node.index() % 64));
        self.0.get(word).is_some_and(|w| w & bit != 0)
    }

    pub(crate) fn bytes(&self) -> usize {
        bytes(&self.0)
    }
}
