//! The search that all checks of this crate share.
//!
//! Couvreur's depth-first search keeps, beside the path, a stack of the strongly connected
//! components that the path runs through. Nodes of these components are *active*; a component
//! that the search leaves for good is *dead*. An edge from the top of the path
//!
//! - to a dead node says nothing new,
//! - to an active node closes a cycle: all components from that node's upward become one, and
//!   its marks are the union of theirs, of the edges between them and of the closing edge,
//! - to an unseen node is entered — unless a [`Policy`] knows better: the checks on ordered
//!   graphs differ from the plain one, and from each other, in this one decision.
//!
//! The component on top is accepting as soon as its marks are all marks, which is tested after
//! every merge, also after one by a self-loop: with no marks at all every cycle accepts.
//!
//! # Memory
//!
//! Active nodes lie on `live` in the order of discovery, and each component is a piece of it:
//! a component is known by the position where it begins, and dies by cutting `live` there. A
//! seen node costs four bytes in `slot`, an active one four more; a node on the path costs a
//! frame (its cursor and 16 bytes), a component 16 bytes. Arrays grow by half and ask the
//! graph's budget before they do.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::outcome::{Counts, Evidence, Outcome, Part};

/// Steps between two looks at the budget.
const TICK: u64 = 1024;

/// What to do with an edge to a node that was not seen before.
pub(crate) enum SearchMove {
    /// Visit the node.
    Enter,
    /// Leave it out: nothing accepting begins there.
    Ignore,
    /// Go to this active node instead.
    Divert(NodeId),
    /// Go to the active node `known`, and to `rest`, in place of the node.
    Split { known: NodeId, rest: NodeId },
}

/// How a check differs from the plain search.
pub(crate) trait Policy<G: Graph> {
    /// Decides about an edge to the unseen `node`.
    fn meet(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        node: NodeId,
    ) -> Result<SearchMove, G::Stop>;

    /// `node` has become active, at this position of the live nodes.
    fn enter(&mut self, _graph: &G, _worker: &G::Worker, _node: NodeId, _position: usize) {}

    /// The component of `nodes` is dead; it began at this position of the live nodes.
    fn bury(&mut self, _graph: &G, _worker: &G::Worker, _nodes: &[NodeId], _position: usize) {}

    /// The search has entered the last node of `path`, by an edge: is this path enough? Then it is the prefix of the evidence, and the
    /// component is its last node.
    fn suffices(
        &mut self,
        _graph: &G,
        _worker: &mut G::Worker,
        _path: SearchPath<'_, G::Cursor>,
    ) -> Result<bool, G::Stop> {
        Ok(false)
    }

    /// A cycle was closed at `to`, in a component that has `marks`, not all of them: does it
    /// accept all the same?
    fn accepts(&mut self, _graph: &G, _worker: &G::Worker, _to: NodeId, _marks: Marks) -> bool {
        false
    }

    /// The component of `nodes`, which begins at this position of the live nodes, carries all marks: is that enough?
    fn confirm(
        &mut self,
        _graph: &G,
        _worker: &mut G::Worker,
        _nodes: &[NodeId],
        _position: usize,
    ) -> Result<bool, G::Stop> {
        Ok(true)
    }

    /// The same of a component that is complete and was not found to be enough before.
    fn last_look(
        &mut self,
        _graph: &G,
        _worker: &mut G::Worker,
        _nodes: &[NodeId],
        _position: usize,
    ) -> Result<bool, G::Stop> {
        Ok(false)
    }

    /// Was the component that begins at this position made of true edges alone?
    fn exact(&self, _position: usize) -> bool {
        true
    }

    /// The nodes taken apart so far, and into what.
    fn parts(self) -> Vec<Part>
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
                policy.meet(graph, worker, counts, node)?,
                SearchMove::Ignore
            )
        {
            continue;
        }
        stacks.enter(graph, worker, counts, &mut policy, node, Marks::NONE)?;
        while let Some(frame) = stacks.path.last_mut() {
            let Some(mut edge) = graph.next_edge(worker, frame.node, &mut frame.cursor)? else {
                if let Some((nodes, position)) = stacks.completed(all)
                    && policy.last_look(graph, worker, nodes, position)?
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
                    State::Unseen => match policy.meet(graph, worker, counts, edge.to)? {
                        SearchMove::Ignore => break,
                        SearchMove::Enter => {
                            let Edge { to, marks } = edge;
                            stacks.enter(graph, worker, counts, &mut policy, to, marks)?;
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
    /// The marks of the edge by which it was entered.
    marks: Marks,
    node: NodeId,
}

/// The path of a depth-first search, from an initial node to the node that it has come to. Positions are counted in edges: the initial node is at 0.
pub struct SearchPath<'a, C>(&'a [Frame<C>]);

impl<C> Clone for SearchPath<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for SearchPath<'_, C> {}

impl<'a, C> SearchPath<'a, C> {
    /// How many edges there are.
    pub fn edges(self) -> usize {
        self.0.len() - 1
    }

    /// The node at a position.
    pub fn node(self, position: usize) -> NodeId {
        self.0[position].node
    }

    /// The edge from a position to the next, and where the edges of its source stand: this one was the last.
    pub fn edge(self, position: usize) -> (Edge, &'a C) {
        let Frame { node, marks, .. } = self.0[position + 1];
        (Edge { to: node, marks }, &self.0[position].cursor)
    }
}

/// A component that the path runs through.
struct Component {
    /// The marks on its edges.
    marks: Marks,
    /// Where its nodes begin in `live`; they end where the next component begins.
    live: u32,
    /// Where its first node is in `path`.
    path: u32,
}

const UNSEEN: u32 = 0;
const DEAD: u32 = u32::MAX;

struct Stacks<C> {
    /// Per node: [`UNSEEN`], [`DEAD`], or its position in `live` plus one.
    slot: Vec<u32>,
    live: Vec<NodeId>,
    path: Vec<Frame<C>>,
    components: Vec<Component>,
}

impl<C> Default for Stacks<C> {
    fn default() -> Self {
        Stacks {
            slot: Vec::new(),
            live: Vec::new(),
            path: Vec::new(),
            components: Vec::new(),
        }
    }
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

    /// Puts an unseen node on the path, a component of its own.
    fn enter<G: Graph<Cursor = C>>(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        counts: &mut Counts,
        policy: &mut impl Policy<G>,
        node: NodeId,
        marks: Marks,
    ) -> Result<(), G::Stop> {
        let mut held = self.bytes() + policy.bytes();
        let mut ask = |more| {
            held += more;
            graph.tick(worker, held)
        };
        let unknown = (node.index() + 1).saturating_sub(self.slot.len());
        room(&mut self.slot, unknown, &mut ask)?;
        room(&mut self.live, 1, &mut ask)?;
        room(&mut self.path, 1, &mut ask)?;
        room(&mut self.components, 1, &mut ask)?;

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

    /// Takes the last node off the path, and its component with it if it was the first there.
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
            policy.bury(graph, worker, nodes, position);
            self.live.truncate(position);
        }
    }

    /// The nodes of the component on top, and where they begin.
    fn top(&self) -> (&[NodeId], usize) {
        let from = self.components.last().map_or(0, |top| top.live as usize);
        (&self.live[from..], from)
    }

    /// [`top`](Stacks::top) if that component ends with the node on top of the path and carries all marks.
    fn completed(&self, all: Marks) -> Option<(&[NodeId], usize)> {
        let top = self.components.last()?;
        let ends = top.path as usize + 1 == self.path.len() && top.marks.contains(all);
        ends.then(|| self.top())
    }

    /// Closes a cycle by an edge from the top of the path to the active node `to`. Returns the
    /// marks of the component that is then on top.
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

    /// The answer when the component on top is accepting.
    fn accept<G: Graph<Cursor = C>>(mut self, policy: impl Policy<G>) -> Outcome<Evidence> {
        let (live, path) = match self.components.last() {
            Some(top) => (top.live as usize, top.path as usize),
            None => unreachable!("there is a component to accept"),
        };
        let exact = policy.exact(live);
        // Shifted in place: a copy of a large component would be bytes that nobody asked for.
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

/// Makes room for `more` elements, asking first for the bytes of the larger array: while it is
/// copied there are both.
pub(crate) fn room<T, E>(
    v: &mut Vec<T>,
    more: usize,
    ask: impl FnOnce(usize) -> Result<(), E>,
) -> Result<(), E> {
    let len = v.len() + more;
    if len <= v.capacity() {
        return Ok(());
    }
    let larger = len.max(v.capacity() + v.capacity() / 2).max(64);
    ask(larger * size_of::<T>())?;
    v.reserve_exact(larger - v.len());
    Ok(())
}
