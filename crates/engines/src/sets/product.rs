//! Products whose nodes are (automaton state, kind, set of states), as graphs for emptiness checks.
//!
//! A product returns the `k`-th group of edges of a node. This file interns nodes, computes a group
//! when a check first needs it (it may cost a saturation), memoizes it, and compares sets for the
//! checks by inclusion. A node stores its key and the root of its diagram, nothing per state.
//!
//! Each product defines its kinds. Nodes of equal automaton state and kind are compared by their
//! sets. Divergent nodes have the empty set and one kind per label: inclusion is equality for them.

use super::builders::GroupPrefetcher;
use super::operators::SymbolicProblem;
use super::walk::lost;
use lariat_automata::{Guard, StateId};
use lariat_budget::{Budget, Lease, Observer, Progress, RunContext, Stop};
use lariat_emptiness::{Edge, Graph, Marks, NodeId, Ordered};
use lariat_model::{Lasso, State};
use lariat_space::symbolic::Set;
use rustc_hash::FxHashMap;
use std::marker::PhantomData;
use std::sync::Arc;

/// A node of a product.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Aggregate {
    pub location: StateId,
    /// Defined by the product; nodes of different kinds are never compared.
    pub kind: u32,
    pub set: Set,
}

impl Aggregate {
    /// Creates a node of a product with a single kind.
    pub fn plain(location: StateId, set: Set) -> Aggregate {
        Aggregate {
            location,
            kind: 0,
            set,
        }
    }
}

/// The concrete steps that an edge represents.
pub enum EdgePassage {
    /// One step by a letter of `guard`, then any number of steps inside of the target by letters of
    /// `through`, if present.
    Step {
        guard: Guard,
        through: Option<Guard>,
    },
    /// The edge represents infinite runs from its source, such as this one.
    End(Lasso),
    /// The edge represents infinite runs, one from each of these states of its source;
    /// [`SetProduct::ending`] constructs it.
    EndIn(Set),
}

/// A product of the automaton with sets of states.
///
/// Edges are queried in groups `k` = 0, 1, … until `None`; a group may be empty. A group is a
/// function of node and `k`. Only nodes that represent divergence have an empty set.
pub trait SetProduct {
    fn marks(&self) -> Marks;

    /// Returns the `k`-th group of initial nodes.
    fn initial(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        k: usize,
    ) -> Result<Option<Vec<Aggregate>>, Stop>;

    /// Returns the `k`-th group of edges of `from`.
    fn edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop>;

    /// Returns the letters of the steps inside of an initial node that reach its states from
    /// initial states; `None` if it has only initial states.
    fn start(&mut self, sets: &mut SymbolicProblem<'_, '_>, node: &Aggregate) -> Option<Guard>;

    /// Returns the states of `node` from which every continuation is accepted. A node with such
    /// states gets one accepting self-loop and no other edges.
    fn evidence(&self, sets: &mut SymbolicProblem<'_, '_>, node: &Aggregate) -> Result<Set, Stop> {
        sets.evidence(node.location, &node.set)
    }

    /// Returns the concrete steps of the edges in the `k`-th group of `from`.
    fn passage(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<EdgePassage, Stop>;

    /// Returns the infinite run from `start` that a group of edges of `from` represents. Called
    /// only after [`passage`](SetProduct::passage) returned [`EdgePassage::EndIn`] for the group.
    fn ending(
        &mut self,
        _sets: &mut SymbolicProblem<'_, '_>,
        _from: &Aggregate,
        _start: &State,
    ) -> Result<Lasso, Stop> {
        Err(lost())
    }
}

/// The graph of a product; its nodes and edges are in the [`SetWorker`].
pub struct Aggregates<'o, 'w, 'r, 's, P> {
    marks: Marks,
    observer: &'o dyn Observer,
    kind: PhantomData<fn() -> (P, &'w SymbolicProblem<'r, 's>)>,
}

/// The explored part of a product, in the thread of the check.
pub struct SetWorker<'w, 'r, 's, P> {
    pub sets: &'w mut SymbolicProblem<'r, 's>,
    pub product: P,
    nodes: Vec<Aggregate>,
    ids: FxHashMap<Aggregate, NodeId>,
    classes: FxHashMap<(StateId, u32), u32>,
    class_of: Vec<u32>,
    initial: Vec<NodeId>,
    initial_groups: Option<usize>,
    edges: Vec<Edges>,
    edge_count: usize,
    ahead: Option<Arc<GroupPrefetcher>>,
    budget: Budget,
    own: Lease,
    check: Lease,
}

/// The edges of a node that the check has queried.
#[derive(Default)]
struct Edges {
    /// Edges with their groups.
    known: Vec<(Edge, u32)>,
    asked: u32,
    complete: bool,
}

impl<'o, 'w, 'r, 's, P: SetProduct> Aggregates<'o, 'w, 'r, 's, P> {
    /// Creates the graph of `product` and an empty worker, optionally with prefetched edges.
    pub fn new(
        product: P,
        sets: &'w mut SymbolicProblem<'r, 's>,
        ahead: Option<Arc<GroupPrefetcher>>,
        ctx: RunContext<'o>,
    ) -> (Aggregates<'o, 'w, 'r, 's, P>, SetWorker<'w, 'r, 's, P>) {
        let budget = ctx.budget;
        let graph = Aggregates {
            marks: product.marks(),
            observer: ctx.observer,
            kind: PhantomData,
        };
        let worker = SetWorker {
            sets,
            product,
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            classes: FxHashMap::default(),
            class_of: Vec::new(),
            initial: Vec::new(),
            initial_groups: Some(0),
            edges: Vec::new(),
            edge_count: 0,
            ahead,
            budget: budget.clone(),
            own: budget.lease(),
            check: budget.lease(),
        };
        (graph, worker)
    }
}

impl<P: SetProduct> SetWorker<'_, '_, '_, P> {
    pub fn node(&self, id: NodeId) -> &Aggregate {
        &self.nodes[id.index()]
    }

    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// Returns the initial nodes that the check has queried.
    pub fn initial_nodes(&self) -> impl Iterator<Item = &Aggregate> {
        self.initial.iter().map(|id| self.node(*id))
    }

    /// Returns the states of the node from which every continuation is accepted.
    pub fn evidence(&mut self, node: NodeId) -> Result<Set, Stop> {
        let node = &self.nodes[node.index()];
        self.product.evidence(self.sets, node)
    }

    /// Returns the `k`-th group of edges of `from`, prefetched or computed.
    fn group_of(
        &mut self,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        match &self.ahead {
            Some(ahead) => ahead.group(&mut self.product, self.sets, from, k),
            None => self.product.edges(self.sets, from, k),
        }
    }

    pub(super) fn dismiss_builders(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            ahead.dismiss();
        }
    }

    fn intern(&mut self, node: Aggregate) -> Result<NodeId, Stop> {
        if let Some(&known) = self.ids.get(&node) {
            return Ok(known);
        }
        self.budget.spend(1)?;
        let id = NodeId(self.nodes.len() as u32);
        let classes = self.classes.len() as u32;
        let class = self.classes.entry((node.location, node.kind));
        let class = *class.or_insert(classes);
        if self.nodes.len() == self.nodes.capacity() {
            let each = 2 * size_of::<Aggregate>() + size_of::<Edges>() + 64;
            let edges = self.edge_count * size_of::<(Edge, u32)>();
            self.own.resize((2 * self.nodes.len() + 8) * each + edges)?;
        }
        self.class_of.push(class);
        self.edges.push(Edges::default());
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        Ok(id)
    }

    /// Returns the group that contains `edge` of `from`.
    pub(super) fn group(&self, from: NodeId, edge: Edge) -> Option<usize> {
        let known = &self.edges[from.index()].known;
        let found = known.iter().find(|(e, _)| *e == edge);
        found.map(|(_, group)| *group as usize)
    }
}

impl<'w, 'r, 's, P: SetProduct> Graph for Aggregates<'_, 'w, 'r, 's, P> {
    type Stop = Stop;
    type Worker = SetWorker<'w, 'r, 's, P>;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.marks
    }

    fn initial(
        &self,
        worker: &mut SetWorker<'w, 'r, 's, P>,
        k: usize,
    ) -> Result<Option<NodeId>, Stop> {
        while worker.initial.len() <= k
            && let Some(group) = worker.initial_groups
        {
            let nodes = worker.product.initial(worker.sets, group)?;
            worker.initial_groups = nodes.is_some().then_some(group + 1);
            for node in nodes.into_iter().flatten() {
                let id = worker.intern(node)?;
                worker.initial.push(id);
            }
        }
        Ok(worker.initial.get(k).copied())
    }

    fn next_edge(
        &self,
        worker: &mut SetWorker<'w, 'r, 's, P>,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stop> {
        loop {
            let edges = &worker.edges[node.index()];
            if let Some((edge, _)) = edges.known.get(*cursor) {
                *cursor += 1;
                return Ok(Some(*edge));
            }
            if edges.complete {
                return Ok(None);
            }
            let group = edges.asked;
            let from = worker.nodes[node.index()].clone();
            let decides = group == 0 && !worker.evidence(node)?.is_empty();
            let found = if decides {
                Some(vec![(self.marks, from)])
            } else {
                worker.group_of(&from, group as usize)?
            };
            worker.edges[node.index()].complete = decides || found.is_none();
            worker.edges[node.index()].asked = group + 1;
            for (marks, to) in found.into_iter().flatten() {
                let to = worker.intern(to)?;
                let edge = Edge { to, marks };
                worker.edges[node.index()].known.push((edge, group));
                worker.edge_count += 1;
            }
            self.tick(worker, 0)?;
        }
    }

    fn tick(&self, worker: &mut SetWorker<'w, 'r, 's, P>, bytes: usize) -> Result<(), Stop> {
        if bytes > 0 {
            worker.check.resize(bytes)?;
        }
        worker.budget.check()?;
        let figures = [
            (worker.nodes.len() as u64, "aggregates"),
            (
                worker.sets.space.store_figures().nodes as u64,
                "diagram nodes",
            ),
        ];
        self.observer
            .progress(Progress::new("emptiness check", &figures));
        Ok(())
    }
}

impl<'w, 'r, 's, P: SetProduct> Ordered for Aggregates<'_, 'w, 'r, 's, P> {
    fn class(&self, worker: &SetWorker<'w, 'r, 's, P>, node: NodeId) -> u32 {
        worker.class_of[node.index()]
    }

    fn includes(
        &self,
        worker: &mut SetWorker<'w, 'r, 's, P>,
        big: NodeId,
        small: NodeId,
    ) -> Result<bool, Stop> {
        // With many nodes, inclusion tests dominate the work.
        worker.budget.spend(1)?;
        let [big, small] = [big, small].map(|id| &worker.nodes[id.index()].set);
        let includes = worker.sets.space.store().is_subset(small, big)?;
        if includes && let Some(ahead) = &worker.ahead {
            ahead.note_inclusion();
        }
        Ok(includes)
    }

    fn minus(
        &self,
        worker: &mut SetWorker<'w, 'r, 's, P>,
        whole: NodeId,
        part: NodeId,
    ) -> Result<Option<NodeId>, Stop> {
        let node = worker.nodes[whole.index()].clone();
        let part = &worker.nodes[part.index()].set;
        let set = worker.sets.space.store().difference(&node.set, part)?;
        if set.is_empty() {
            return Ok(None);
        }
        worker.intern(Aggregate { set, ..node }).map(Some)
    }
}
