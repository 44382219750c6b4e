//! Search for a shortest accepting lasso of an explicit graph.
//!
//! Let `d(u)` be the distance of `u` from the initial nodes. A lasso whose loop begins in `u` and
//! takes an accepting edge from `a` has length
//!
//! ```text
//! d(u)  +  |u → a|  +  |a –accepting→ · → u|
//! ```
//!
//! For a fixed `a`, a single search finds the best `u`: it starts with the accepting edge, guesses
//! `u` (at cost `d(u)`), and ends in `a`. Such a lasso has at least `d(a) + 1` edges, so nodes are
//! tried in order of distance up to the best length known, which also bounds each search. With
//! several acceptance marks, the marks seen are part of the search position; the result is still
//! minimal, at up to 2ᵐ times the cost.

use lariat_automata::{Components, components};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::{Marks, NodeId};
use lariat_model::EventId;
use rustc_hash::FxHashMap;
use std::ops::Range;

#[derive(Clone, Copy)]
pub(super) struct ProductEdge {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) marks: Marks,
    pub(super) event: Option<EventId>,
}

/// Edges of the expanded nodes.
#[derive(Default)]
pub(super) struct Edges {
    pub(super) links: Vec<ProductEdge>,
    /// By node: the range of its edges, if it was expanded.
    pub(super) ranges: Vec<Option<Range<u32>>>,
}

impl Edges {
    pub(super) fn edges(&self, node: NodeId) -> Range<usize> {
        match self.ranges.get(node.index()) {
            Some(Some(range)) => range.start as usize..range.end as usize,
            _ => 0..0,
        }
    }

    pub(super) fn has(&self, node: NodeId) -> bool {
        matches!(self.ranges.get(node.index()), Some(Some(_)))
    }

    /// Returns the strongly connected components of the known graph.
    fn components(&self) -> Components {
        let targets = self.links.iter().map(|link| link.to.index() + 1);
        let nodes = targets.max().unwrap_or(0).max(self.ranges.len());
        components(nodes, |node, k| {
            let link = self.edges(NodeId(node as u32)).nth(k)?;
            Some(self.links[link].to.index())
        })
    }

    pub(super) fn set(&mut self, node: NodeId, range: Range<u32>) {
        if self.ranges.len() <= node.index() {
            self.ranges.resize(node.index() + 1, None);
        }
        self.ranges[node.index()] = Some(range);
    }

    pub(super) fn bytes(&self) -> usize {
        let ranges = self.ranges.capacity() * size_of::<Option<Range<u32>>>();
        self.links.capacity() * size_of::<ProductEdge>() + ranges
    }
}

/// Breadth-first tree: nodes by distance, each with the edge by which it was first reached.
#[derive(Default)]
pub(super) struct SearchTree {
    pub(super) order: Vec<NodeId>,
    /// By node.
    pub(super) reached: Vec<Option<(usize, Option<u32>)>>,
}

impl SearchTree {
    /// Adds a node. Returns false if it is known.
    pub(super) fn add(&mut self, node: NodeId, depth: usize, by: Option<u32>) -> bool {
        if self.reached.len() <= node.index() {
            self.reached.resize(node.index() + 1, None);
        }
        let is_new = self.reached[node.index()].is_none();
        if is_new {
            self.reached[node.index()] = Some((depth, by));
            self.order.push(node);
        }
        is_new
    }

    /// Returns the bytes of the tree and of the search's data per node.
    pub(super) fn bytes(&self) -> usize {
        let reached = self.reached.capacity() * size_of::<Option<(usize, Option<u32>)>>();
        reached + (self.order.capacity() + 2 * self.reached.len()) * size_of::<u32>()
    }

    /// Returns the distance of a node; `usize::MAX` if it was not reached.
    pub(super) fn depth(&self, node: NodeId) -> usize {
        match self.reached.get(node.index()) {
            Some(Some((depth, _))) => *depth,
            _ => usize::MAX,
        }
    }

    fn by(&self, node: NodeId) -> Option<usize> {
        let (_, by) = self.reached.get(node.index()).copied().flatten()?;
        by.map(|link| link as usize)
    }

    /// Returns the initial node and the edges of the path to a node.
    pub(super) fn way_to(&self, node: NodeId, known: &Edges) -> (NodeId, Vec<usize>) {
        let (mut at, mut way) = (node, Vec::new());
        while let Some(link) = self.by(at) {
            way.push(link);
            at = known.links[link].from;
        }
        way.reverse();
        (at, way)
    }
}

/// A lasso of the product, as edge indices.
pub(super) struct EdgeLasso {
    pub(super) initial: NodeId,
    pub(super) prefix: Vec<usize>,
    pub(super) cycle: Vec<usize>,
}

/// Position of the search for loops through an accepting edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    node: NodeId,
    /// Marks seen since the accepting edge.
    seen: Marks,
    /// True after the first node of the loop.
    in_loop: bool,
}

/// Predecessor of a position.
#[derive(Clone, Copy)]
enum By {
    /// The first edge of the search.
    Start(usize),
    /// An edge from this position.
    Link(Position, usize),
    /// The loop begins here.
    Begin(Position),
}

/// The search for a shortest lasso among known edges.
pub(super) struct LassoSearch<'a> {
    known: &'a Edges,
    tree: &'a SearchTree,
    all: Marks,
    components: Components,
}

impl<'a> LassoSearch<'a> {
    pub(super) fn new(known: &'a Edges, tree: &'a SearchTree, all: Marks) -> LassoSearch<'a> {
        LassoSearch {
            known,
            tree,
            all,
            components: known.components(),
        }
    }

    /// Returns the shortest lasso shorter than `best` that the budget of visits finds.
    pub(super) fn run(&self, best: usize, visits: &Budget) -> Result<Option<EdgeLasso>, Stop> {
        let (mut best, mut found) = (best, None);
        for &node in &self.tree.order {
            if self.tree.depth(node) + 1 >= best {
                break;
            }
            match self.through(node, best, visits) {
                Ok(None) => {}
                Ok(Some(path)) => {
                    best = path.prefix.len() + path.cycle.len();
                    found = Some(path);
                }
                Err(Stop::Work(_) | Stop::Memory | Stop::Time) => break,
                Err(stop) => return Err(stop),
            }
        }
        Ok(found)
    }

    /// Returns the edges from `node` within its component; loops take no others.
    fn inside(&self, node: NodeId) -> impl Iterator<Item = usize> {
        let of = &self.components.of;
        let stays =
            move |link: &usize| of.get(self.known.links[*link].to.index()) == of.get(node.index());
        self.known.edges(node).filter(stays)
    }

    /// Returns a shortest lasso below `best` whose loop has an accepting edge from `start`.
    fn through(
        &self,
        start: NodeId,
        best: usize,
        visits: &Budget,
    ) -> Result<Option<EdgeLasso>, Stop> {
        let mut lease = visits.lease();
        let first = self.all.iter().next().map_or(Marks::NONE, Marks::one);
        let mut reached: FxHashMap<Position, (usize, By)> = FxHashMap::default();
        let mut waiting: Vec<Vec<Position>> = Vec::new();
        let add = |waiting: &mut Vec<Vec<Position>>,
                   reached: &mut FxHashMap<Position, (usize, By)>,
                   position: Position,
                   cost: usize,
                   by: By| {
            // Lower bound on the length of a lasso through this position.
            let least = if position.in_loop {
                cost
            } else {
                cost + self.tree.depth(start)
            };
            let known = reached.get(&position).map_or(usize::MAX, |(cost, _)| *cost);
            if least < best && cost < known {
                reached.insert(position, (cost, by));
                if waiting.len() <= cost {
                    waiting.resize(cost + 1, Vec::new());
                }
                waiting[cost].push(position);
            }
        };
        for link in self.inside(start) {
            let ProductEdge { to, marks, .. } = self.known.links[link];
            if marks.contains(first) {
                let position = Position {
                    node: to,
                    seen: marks,
                    in_loop: false,
                };
                add(&mut waiting, &mut reached, position, 1, By::Start(link));
            }
        }
        let mut cost = 0;
        while cost < waiting.len() {
            let Some(position) = waiting[cost].pop() else {
                visits.check()?;
                let entry = size_of::<(Position, (usize, By))>() + size_of::<Position>();
                lease.resize(reached.capacity() * entry)?;
                cost += 1;
                continue;
            };
            if reached[&position].0 < cost {
                continue;
            }
            visits.spend(1)?;
            let Position {
                node,
                seen,
                in_loop,
            } = position;
            if in_loop && node == start && seen.contains(self.all) {
                return Ok(Some(self.path(position, &reached)));
            }
            if !in_loop {
                let begun = Position {
                    in_loop: true,
                    ..position
                };
                let cost = cost.saturating_add(self.tree.depth(node));
                add(&mut waiting, &mut reached, begun, cost, By::Begin(position));
            }
            for link in self.inside(node) {
                let ProductEdge { to, marks, .. } = self.known.links[link];
                let next = Position {
                    node: to,
                    seen: seen.union(marks),
                    in_loop,
                };
                let by = By::Link(position, link);
                add(&mut waiting, &mut reached, next, cost + 1, by);
            }
        }
        Ok(None)
    }

    fn path(&self, end: Position, reached: &FxHashMap<Position, (usize, By)>) -> EdgeLasso {
        // Backwards: from the end to the start of the loop, then to the accepting edge.
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut at = end;
        loop {
            let (_, by) = reached[&at];
            let side = if at.in_loop { &mut before } else { &mut after };
            match by {
                By::Begin(position) => at = position,
                By::Link(position, link) => {
                    side.push(link);
                    at = position;
                }
                By::Start(link) => {
                    side.push(link);
                    break;
                }
            }
        }
        before.reverse();
        after.reverse();
        let entry = after
            .last()
            .map_or(end.node, |link| self.known.links[*link].to);
        let cycle = [before, after].concat();
        let (initial, prefix) = self.tree.way_to(entry, self.known);
        EdgeLasso {
            initial,
            prefix,
            cycle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_corpora::{cases, seed};
    use lariat_ltl::Random;
    use rustc_hash::FxHashSet;
    use std::collections::VecDeque;

    fn graph(random: &mut Random, nodes: usize, marks: u32) -> Edges {
        let mut edges = Edges::default();
        for from in 0..nodes {
            let start = edges.links.len() as u32;
            for _ in 0..random.below(4) {
                edges.links.push(ProductEdge {
                    from: NodeId(from as u32),
                    to: NodeId(random.below(nodes) as u32),
                    marks: match random.below(3) {
                        0 => Marks::NONE,
                        1 => Marks(random.bits()).intersection(Marks::all(marks)),
                        _ => Marks::NONE,
                    },
                    event: None,
                });
            }
            edges.ranges.push(Some(start..edges.links.len() as u32));
        }
        edges
    }

    fn tree(edges: &Edges) -> SearchTree {
        let mut tree = SearchTree::default();
        tree.add(NodeId(0), 0, None);
        let mut next = 0;
        while let Some(&node) = tree.order.get(next) {
            next += 1;
            for i in edges.edges(node) {
                tree.add(edges.links[i].to, tree.depth(node) + 1, Some(i as u32));
            }
        }
        tree
    }

    /// Length of a shortest accepting lasso, by a search with all marks from every node.
    fn shortest(edges: &Edges, tree: &SearchTree, all: Marks) -> Option<usize> {
        let back = |start: NodeId| {
            let mut seen = FxHashSet::default();
            let mut waiting = VecDeque::from([(start, Marks::NONE, 0)]);
            while let Some((node, marks, length)) = waiting.pop_front() {
                if length > 0 && node == start && marks.contains(all) {
                    return Some(length);
                }
                for link in edges.edges(node).map(|i| edges.links[i]) {
                    let marks = marks.union(link.marks);
                    if seen.insert((link.to, marks)) {
                        waiting.push_back((link.to, marks, length + 1));
                    }
                }
            }
            None
        };
        let lengths = tree.order.iter().map(|&u| Some(tree.depth(u) + back(u)?));
        lengths.flatten().min()
    }

    #[test]
    fn the_result_is_a_shortest_lasso() {
        let mut random = Random::new(seed(7_161));
        let mut found = 0;
        for case in 0..cases(3_000) {
            let marks = random.below(4) as u32;
            let nodes = random.between(1, 12);
            let edges = graph(&mut random, nodes, marks);
            let (tree, all) = (tree(&edges), Marks::all(marks));
            let expected = shortest(&edges, &tree, all);
            let search = LassoSearch::new(&edges, &tree, all);
            let path = search.run(usize::MAX, &Budget::unlimited()).unwrap();
            let length = path.as_ref().map(|p| p.prefix.len() + p.cycle.len());
            assert_eq!(length, expected, "case {case}");
            let Some(path) = path else { continue };
            found += 1;
            let mut at = path.initial;
            assert_eq!(at, NodeId(0));
            for i in &path.prefix {
                assert_eq!(edges.links[*i].from, at, "case {case}");
                at = edges.links[*i].to;
            }
            let (entry, mut seen) = (at, Marks::NONE);
            for i in &path.cycle {
                assert_eq!(edges.links[*i].from, at, "case {case}");
                at = edges.links[*i].to;
                seen = seen.union(edges.links[*i].marks);
            }
            assert!(at == entry && seen.contains(all), "case {case}");
            let next = search.run(expected.unwrap(), &Budget::unlimited());
            assert!(next.unwrap().is_none(), "case {case}");
        }
        assert!(found > cases(3_000) / 10, "only {found}");
    }
}
