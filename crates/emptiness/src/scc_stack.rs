//! The depth-first search that all checks of this crate except [`ufscc`](crate::ufscc()) share.
//!
//! Couvreur's search keeps, beside the path, a stack of the strongly connected components on the
//! path. Nodes of these components are *active*; nodes of completed components are *dead*. An edge
//! from the top of the path
//!
//! - to a dead node is ignored,
//! - to an active node closes a cycle: all components from that node's upward are merged; the marks
//!   of the result are the union of theirs, of the edges between them and of the closing edge,
//! - to an unseen node is entered, unless the [`Policy`] decides otherwise: the checks on ordered
//!   graphs differ from the plain one, and from each other, in this decision.
//!
//! The top component is accepting as soon as it carries all marks. This is tested after every
//! merge, including one by a self-loop: without marks every cycle accepts.
//!
//! # Memory
//!
//! Active nodes are in `live` in the order of discovery. Each component is a contiguous range of
//! `live`, identified by its start, and a completed component is removed by truncation. A seen node
//! costs four bytes in `slot`, an active one four more; a node on the path costs a frame (its
//! cursor and 16 bytes), a component 16 bytes. Arrays grow by half, after [`Graph::tick`] has
//! leased the bytes.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::outcome::{Counts, Evidence, Outcome, SubsetNode};

/// Edges between two budget polls.
const TICK: u64 = 1024;

/// Decision about an edge to an unseen node.
pub(crate) enum SearchMove {
    /// Visit the node.
    Enter,
    /// Skip the node: no accepting run begins there.
    Ignore,
    /// Redirect the edge to this active node.
    Divert(NodeId),
    /// Replace the edge by edges to the active node `known` and to `rest`.
    Split { known: NodeId, rest: NodeId },
}

/// Decisions in which a check differs from the plain search.
pub(crate) trait Policy<G: Graph> {
    /// Decides about an edge to the unseen `node`.
    fn decide(
        &mut self,
        _graph: &G,
        _worker: &mut G::Worker,
        _counts: &mut Counts,
        _node: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(SearchMove::Enter)
    }

    /// Called when `node` becomes active at this position of `live`.
    fn enter(&mut self, _graph: &G, _worker: &G::Worker, _node: NodeId, _position: usize) {}

    /// Called when the component of `nodes`, which began at this position of `live`, is complete.
    fn retire(&mut self, _graph: &G, _worker: &G::Worker, _nodes: &[NodeId], _position: usize) {}

    /// Called when the search has entered the last node of `path` by an edge. Returns whether the
    /// search ends with this path as the prefix and its last node as the component.
    fn suffices(
        &mut self,
        _graph: &G,
        _worker: &mut G::Worker,
        _path: SearchPath<'_, G::Cursor>,
    ) -> Result<bool, G::Stop> {
        Ok(false)
    }

    /// Called when a cycle was closed at `to`, in a component with `marks` that lacks some mark.
    /// Returns whether it accepts nevertheless.
    fn accepts(&mut self, _graph: &G, _worker: &G::Worker, _to: NodeId, _marks: Marks) -> bool {
        false
    }

    /// Returns whether the component of `nodes`, which begins at this position of `live` and
    /// carries all marks, accepts.
    fn confirm(
        &mut self,
        _graph: &G,
        _worker: &mut G::Worker,
        _nodes: &[NodeId],
        _position: usize,
    ) -> Result<bool, G::Stop> {
        Ok(true)
    }

    /// The same test for a completed component that was not accepted before.
    fn confirm_complete(
        &mut self,
        _graph: &G,
        _worker: &mut G::Worker,
        _nodes: &[NodeId],
        _position: usize,
    ) -> Result<bool, G::Stop> {
        Ok(false)
    }

    /// Returns whether the component that begins at this position consists of graph edges only.
    fn exact(&self, _position: usize) -> bool {
        true
    }

    /// The nodes split so far, with their parts.
    fn parts(self) -> Vec<SubsetNode>
    where
        Self: Sized,
    {
        Vec::new()
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        0
    }
}

/// Searches `graph` for an accepting component.
pub(crate) fn search<G: Graph, P: Policy<G>>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
    mut policy: P,
) -> Result<Outcome<Evidence>, G::Stop> {
    let all = graph.marks();
    let mut stacks = Stacks::<G::Cursor>::default();
    let mut k = 0;
    while let Some(node) = graph.initial(worker, k)? {
        k += 1;
        // Nothing is active here, so the policy can only enter or ignore.
        if stacks.state(node) != State::Unseen
            || matches!(
                policy.decide(graph, worker, counts, node)?,
                SearchMove::Ignore
            )
        {
            continue;
        }
        let marks = Marks::NONE;
        let edge = Edge { to: node, marks };
        stacks.enter(graph, worker, counts, &mut policy, edge)?;
        while let Some(frame) = stacks.path.last_mut() {
            let Some(mut edge) = graph.next_edge(worker, frame.node, &mut frame.cursor)? else {
                if let Some((nodes, position)) = stacks.completed(all)
                    && policy.confirm_complete(graph, worker, nodes, position)?
                {
                    return Ok(stacks.accept(policy));
                }
                stacks.leave(graph, worker, &mut policy);
                continue;
            };
            counts.edges += 1;
            if counts.edges.is_multiple_of(TICK) {
                graph.tick(worker, stacks.bytes() + policy.bytes())?;
            }
            loop {
                let (cycle, next) = match stacks.state(edge.to) {
                    State::Dead => break,
                    State::Active => (edge.to, None),
                    State::Unseen => match policy.decide(graph, worker, counts, edge.to)? {
                        SearchMove::Ignore => break,
                        SearchMove::Enter => {
                            stacks.enter(graph, worker, counts, &mut policy, edge)?;
                            if policy.suffices(graph, worker, SearchPath(&stacks.path))? {
                                return Ok(stacks.accept(policy));
                            }
                            break;
                        }
                        SearchMove::Divert(known) => (known, None),
                        SearchMove::Split { known, rest } => (known, Some(rest)),
                    },
                };
                let marks = stacks.merge(cycle, edge.marks);
                let (nodes, position) = stacks.top();
                if marks.contains(all) && policy.confirm(graph, worker, nodes, position)?
                    || policy.accepts(graph, worker, cycle, marks)
                {
                    return Ok(stacks.accept(policy));
                }
                match next {
                    Some(rest) => edge.to = rest,
                    None => break,
                }
            }
        }
    }
    Ok(Outcome::Empty)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Active,
    Dead,
}

/// A node on the depth-first path.
struct Frame<C> {
    cursor: C,
    /// Marks of the edge by which the node was entered.
    marks: Marks,
    node: NodeId,
}

/// The path of a depth-first search from an initial node to the current node. Positions count
/// edges: the initial node is at 0.
pub struct SearchPath<'a, C>(&'a [Frame<C>]);

impl<C> Clone for SearchPath<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for SearchPath<'_, C> {}

impl<'a, C> SearchPath<'a, C> {
    /// Number of edges.
    pub fn edges(self) -> usize {
        self.0.len() - 1
    }

    /// The node at a position.
    pub fn node(self, position: usize) -> NodeId {
        self.0[position].node
    }

    /// The edge from `position` to the next node, and the cursor of its source just after this
    /// edge.
    pub fn edge(self, position: usize) -> (Edge, &'a C) {
        let Frame { node, marks, .. } = self.0[position + 1];
        (Edge { to: node, marks }, &self.0[position].cursor)
    }
}

/// A component on the path.
struct Component {
    /// Marks on its edges.
    marks: Marks,
    /// Start of its nodes in `live`; they end where the next component begins.
    live: u32,
    /// Index of its first node in `path`.
    path: u32,
}

const UNSEEN: u32 = 0;
const DEAD: u32 = u32::MAX;

#[derive(Default)]
struct Stacks<C> {
    /// Per node: [`UNSEEN`], [`DEAD`], or its position in `live` plus one.
    slot: Vec<u32>,
    live: Vec<NodeId>,
    path: Vec<Frame<C>>,
    components: Vec<Component>,
}

impl<C: Default> Stacks<C> {
    fn state(&self, node: NodeId) -> State {
        match self.slot.get(node.index()) {
            None | Some(&UNSEEN) => State::Unseen,
            Some(&DEAD) => State::Dead,
            Some(_) => State::Active,
        }
    }

    fn bytes(&self) -> usize {
        bytes(&self.slot) + bytes(&self.live) + bytes(&self.path) + bytes(&self.components)
    }

    /// Pushes the unseen target of an edge onto the path as a separate component.
    fn enter<G: Graph<Cursor = C>>(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        policy: &mut impl Policy<G>,
        Edge { to: node, marks }: Edge,
    ) -> Result<(), G::Stop> {
        let mut held = self.bytes() + policy.bytes();
        let mut lease = |more| {
            held += more;
            graph.tick(worker, held)
        };
        let unknown = (node.index() + 1).saturating_sub(self.slot.len());
        grow(&mut self.slot, unknown, &mut lease)?;
        grow(&mut self.live, 1, &mut lease)?;
        grow(&mut self.path, 1, &mut lease)?;
        grow(&mut self.components, 1, &mut lease)?;

        let position = self.live.len();
        policy.enter(graph, worker, node, position);
        if node.index() >= self.slot.len() {
            self.slot.resize(node.index() + 1, UNSEEN);
        }
        self.slot[node.index()] = position as u32 + 1;
        self.components.push(Component {
            marks: Marks::NONE,
            live: position as u32,
            path: self.path.len() as u32,
        });
        self.live.push(node);
        self.path.push(Frame {
            cursor: C::default(),
            marks,
            node,
        });
        counts.nodes += 1;
        counts.deepest = counts.deepest.max(self.path.len() as u64);
        Ok(())
    }

    /// Pops the last node of the path and, if it was the first of its component, retires the
    /// component.
    fn leave<G: Graph<Cursor = C>>(
        &mut self,
        graph: &G,
        worker: &G::Worker,
        policy: &mut impl Policy<G>,
    ) {
        self.path.pop();
        let begins_here = |c: &mut Component| c.path as usize == self.path.len();
        if let Some(component) = self.components.pop_if(begins_here) {
            let position = component.live as usize;
            let nodes = &self.live[position..];
            for node in nodes {
                self.slot[node.index()] = DEAD;
            }
            policy.retire(graph, worker, nodes, position);
            self.live.truncate(position);
        }
    }

    /// The nodes of the top component and their start in `live`.
    fn top(&self) -> (&[NodeId], usize) {
        let from = self.components.last().map_or(0, |top| top.live as usize);
        (&self.live[from..], from)
    }

    /// [`top`](Stacks::top) if the component's only node on the path is the last one and it carries
    /// all marks.
    fn completed(&self, all: Marks) -> Option<(&[NodeId], usize)> {
        let top = self.components.last()?;
        let ends = top.path as usize + 1 == self.path.len() && top.marks.contains(all);
        ends.then(|| self.top())
    }

    /// Closes a cycle by an edge from the end of the path to the active node `to`. Returns the
    /// marks of the merged component.
    fn merge(&mut self, to: NodeId, marks: Marks) -> Marks {
        let position = self.slot[to.index()] - 1;
        let mut marks = marks;
        while let Some(above) = self.components.pop_if(|c| c.live > position) {
            let entered = self.path[above.path as usize].marks;
            marks = marks.union(above.marks).union(entered);
        }
        match self.components.last_mut() {
            Some(top) => {
                top.marks = top.marks.union(marks);
                top.marks
            }
            None => unreachable!("an active node lies in a component"),
        }
    }

    /// The answer when the top component is accepting.
    fn accept<G: Graph<Cursor = C>>(mut self, policy: impl Policy<G>) -> Outcome<Evidence> {
        let (live, path) = match self.components.last() {
            Some(top) => (top.live as usize, top.path as usize),
            None => unreachable!("there is a component to accept"),
        };
        let exact = policy.exact(live);
        // Shifted in place: copying a large component would use memory that was not leased.
        self.live.drain(..live);
        let evidence = Evidence {
            initial: self.path[0].node,
            prefix: self.path[1..=path]
                .iter()
                .map(|frame| Edge {
                    to: frame.node,
                    marks: frame.marks,
                })
                .collect(),
            component: self.live,
            parts: policy.parts(),
            known: self.slot.len(),
        };
        if exact {
            Outcome::Accepting(evidence)
        } else {
            Outcome::Undecided(evidence)
        }
    }
}

pub(crate) fn bytes<T>(v: &Vec<T>) -> usize {
    v.capacity() * size_of::<T>()
}

/// Reserves capacity for `more` elements. Leases the bytes of the larger array first, since both
/// arrays exist during the copy.
pub(crate) fn grow<T, E>(
    v: &mut Vec<T>,
    more: usize,
    lease: impl FnOnce(usize) -> Result<(), E>,
) -> Result<(), E> {
    let len = v.len() + more;
    if len <= v.capacity() {
        return Ok(());
    }
    let larger = len.max(v.capacity() + v.capacity() / 2).max(64);
    lease(larger * size_of::<T>())?;
    v.reserve_exact(larger - v.len());
    Ok(())
}
