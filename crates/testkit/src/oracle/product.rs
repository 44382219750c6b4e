//! Explicit products and their fair strongly connected components.

use super::Reachable;
use crate::fairness::Ledger;
use crate::interpret;
use lariat_model::{Constraint, EventId, Lasso, RunRecorder, State, Strength, System};
use std::collections::{HashMap, VecDeque};

/// An explicit graph with marks on its edges; an accepting cycle carries all bits of `all`.
pub(super) struct Product {
    /// Per node, the state of the system.
    pub(super) state: Vec<usize>,
    pub(super) roots: Vec<usize>,
    pub(super) edges: Vec<Vec<ProductEdge>>,
    pub(super) all: u128,
}

#[derive(Clone, Copy)]
pub(super) struct ProductEdge {
    pub(super) to: usize,
    pub(super) event: Option<EventId>,
    pub(super) marks: u128,
}

/// The fairness constraints of the search.
pub(super) struct Fair<'a> {
    pub(super) system: &'a System,
    pub(super) fairness: &'a [Constraint],
}

impl Fair<'_> {
    /// Returns whether no fair loop visits `state`, given all steps of its component.
    fn excludes(&self, all: Ledger, state: &State) -> bool {
        let violated = all.violated(self.fairness);
        self.fairness.iter().enumerate().any(|(i, constraint)| {
            violated >> i & 1 == 1
                && match constraint.strength {
                    Strength::Weak => true,
                    Strength::Strong => {
                        interpret::satisfies(self.system, state, &constraint.enabled)
                    }
                }
        })
    }
}

impl Product {
    /// Builds the part reachable from the roots. A node begins with a state of the system.
    pub(super) fn build(
        roots: Vec<(usize, usize)>,
        all: u128,
        mut successors: impl FnMut(&(usize, usize)) -> Vec<((usize, usize), Option<EventId>, u128)>,
    ) -> Product {
        let mut ids = HashMap::new();
        let mut nodes = Vec::new();
        let mut id = |node, nodes: &mut Vec<(usize, usize)>| {
            *ids.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        let roots = roots.into_iter().map(|r| id(r, &mut nodes)).collect();
        let mut edges: Vec<Vec<ProductEdge>> = Vec::new();
        while edges.len() < nodes.len() {
            let out = successors(&nodes[edges.len()]);
            edges.push(
                out.into_iter()
                    .map(|(node, event, marks)| ProductEdge {
                        to: id(node, &mut nodes),
                        event,
                        marks,
                    })
                    .collect(),
            );
        }
        Product {
            state: nodes.into_iter().map(|(s, _)| s).collect(),
            roots,
            edges,
            all,
        }
    }

    /// Returns the strongly connected component of every node, by Kosaraju's algorithm: a
    /// depth-first search for the postorder, then a backward search from each node in reverse
    /// postorder. Nodes that are not `alive` are singletons.
    fn components(&self, alive: &[bool]) -> Vec<usize> {
        let n = self.edges.len();
        let mut order = Vec::with_capacity(n);
        let mut seen: Vec<bool> = alive.iter().map(|alive| !alive).collect();
        for root in 0..n {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            let mut path = vec![(root, 0)];
            while let Some((node, next)) = path.last_mut() {
                match self.edges[*node].get(*next) {
                    Some(edge) => {
                        *next += 1;
                        if !seen[edge.to] {
                            seen[edge.to] = true;
                            path.push((edge.to, 0));
                        }
                    }
                    None => {
                        order.push(*node);
                        path.pop();
                    }
                }
            }
        }
        let mut backwards = vec![Vec::new(); n];
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges.iter().filter(|e| alive[from] && alive[e.to]) {
                backwards[edge.to].push(from);
            }
        }
        let mut component: Vec<usize> = vec![usize::MAX; n];
        for (node, slot) in component.iter_mut().enumerate() {
            if !alive[node] {
                *slot = node;
            }
        }
        for &root in order.iter().rev() {
            let mut todo = vec![root];
            while let Some(node) = todo.pop() {
                if component[node] == usize::MAX {
                    component[node] = root;
                    todo.extend(&backwards[node]);
                }
            }
        }
        component
    }

    /// Returns the component of every node that lies in a fair accepting one.
    fn fair_components(
        &self,
        graph: &Reachable,
        free: u128,
        fair: &Fair<'_>,
    ) -> Vec<Option<usize>> {
        let mut alive = vec![true; self.edges.len()];
        loop {
            let component = self.components(&alive);
            let inner = |node: usize, edge: &ProductEdge| {
                alive[node] && alive[edge.to] && component[edge.to] == component[node]
            };
            let mut marks: HashMap<usize, (u128, Ledger)> = HashMap::new();
            for (node, edges) in self.edges.iter().enumerate() {
                for edge in edges.iter().filter(|e| inner(node, e)) {
                    let (seen, ledger) = marks
                        .entry(component[node])
                        .or_insert((free, Ledger::default()));
                    *seen |= edge.marks;
                    let state = &graph.states[self.state[node]];
                    *ledger = ledger.and(Ledger::of(fair.system, fair.fairness, state, edge.event));
                }
            }
            let mut changed = false;
            for node in (0..alive.len())
                .filter(|node| alive[*node])
                .collect::<Vec<_>>()
            {
                let dies = match marks.get(&component[node]) {
                    Some((seen, ledger)) if seen & self.all == self.all => {
                        fair.excludes(*ledger, &graph.states[self.state[node]])
                    }
                    _ => true,
                };
                alive[node] = !dies;
                changed |= dies;
            }
            if !changed {
                let fair = component.into_iter().zip(alive);
                return fair.map(|(c, alive)| alive.then_some(c)).collect();
            }
        }
    }

    /// Returns a path from a root to a fair accepting component, and a fair accepting cycle in it.
    pub(super) fn lasso(&self, graph: &Reachable, free: u128, fair: &Fair<'_>) -> Option<Lasso> {
        let component = self.fair_components(graph, free, fair);
        let good = |node: usize| component[node].is_some();
        let (root, prefix) = self.roots.iter().find_map(|&root| {
            let path = if good(root) {
                Vec::new()
            } else {
                self.path(root, |_| true, |e| good(e.to))?
            };
            Some((root, path))
        })?;
        let start = prefix.last().map_or(root, |e| e.to);
        let home = component[start];
        let inside = |node: usize| component[node] == home;
        let (mut cycle, mut at, mut missing) = (Vec::new(), start, self.all & !free);
        while missing != 0 {
            let path = self.path(at, inside, |e| inside(e.to) && e.marks & missing != 0)?;
            for edge in &path {
                missing &= !edge.marks;
                at = edge.to;
            }
            cycle.extend(path);
        }
        // With fairness constraints, the cycle takes every edge of the component.
        if !fair.fairness.is_empty() {
            for node in (0..self.edges.len()).filter(|node| inside(*node)) {
                for edge in self.edges[node].iter().filter(|e| inside(e.to)) {
                    if at != node {
                        cycle.extend(self.path(at, inside, |e| e.to == node)?);
                    }
                    cycle.push(*edge);
                    at = edge.to;
                }
            }
        }
        if cycle.is_empty() || at != start {
            cycle.extend(self.path(at, inside, |e| e.to == start)?);
        }
        let mut run = RunRecorder::new(graph.states[self.state[root]].clone());
        for edge in prefix.iter().chain(&cycle) {
            run.push(edge.event, &graph.states[self.state[edge.to]]);
        }
        Some(run.into_lasso(prefix.len()))
    }

    /// Returns a shortest path of at least one edge whose last edge is a goal.
    fn path(
        &self,
        from: usize,
        through: impl Fn(usize) -> bool,
        goal: impl Fn(&ProductEdge) -> bool,
    ) -> Option<Vec<ProductEdge>> {
        let mut parents: HashMap<usize, (usize, ProductEdge)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for edge in &self.edges[node] {
                if goal(edge) {
                    let mut path = vec![*edge];
                    let mut at = node;
                    while at != from {
                        let (before, edge) = parents[&at];
                        path.push(edge);
                        at = before;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.to != from && through(edge.to) && !parents.contains_key(&edge.to) {
                    parents.insert(edge.to, (node, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }
}
