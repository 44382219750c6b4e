//! The part of the product that is known. Attempts at a shorter run explore it, each from where the last has ended: no node is expanded twice.
//!
//! ```text
//! explore:    breadth-first from the initial nodes, as far as the effort goes
//! beginning:  the first node found by that from which the automaton accepts whatever follows
//! shorter:    follow the run, explore, and search among all edges that are known
//! ```

use super::search::{Edges, Link, Path, Search, Tree};
use crate::single::is_forever;
use crate::steps::Steps;
use crate::sync::{Sync, Worker};
use lariat_budget::{Budget, Lease, Stop};
use lariat_emptiness::{Graph, NodeId};
use lariat_model::{Lasso, Step};
use rustc_hash::FxHashSet;

/// Positions of a search that may be visited for every product state that may be made: they cost about a tenth.
const VISITS: u64 = 8;

/// Nodes between two looks at the clock.
const TICK: usize = 256;

/// What is known of the product.
pub(super) struct Part<'a, 'p> {
    product: &'a Sync<'p>,
    worker: Worker,
    known: Edges,
    /// The initial nodes, and what was found breadth-first from there; so many of these nodes were expanded for that.
    found: Tree,
    initial: usize,
    expanded: usize,
    /// States of the automaton at which a run is evidence, whatever follows; empty if there are none. The nearest node with one of them.
    forever: Vec<bool>,
    nearest: Option<NodeId>,
    /// Nodes that may be made.
    most: usize,
    /// Has something been used up that is more than this effort? Then no more nodes are expanded.
    is_over: bool,
    lease: Lease,
}

impl<'a, 'p> Part<'a, 'p> {
    pub(super) fn new(product: &'a Sync<'p>, forever: Vec<bool>, budget: &Budget) -> Part<'a, 'p> {
        let mut part = Part {
            product,
            worker: product.worker(budget),
            known: Edges::default(),
            found: Tree::default(),
            initial: 0,
            expanded: 0,
            forever,
            nearest: None,
            most: 0,
            is_over: false,
            lease: budget.lease(),
        };
        for k in 0.. {
            match product.initial(&mut part.worker, k) {
                Ok(Some(node)) => part.find(node, 0, None),
                Ok(None) => break,
                Err(_) => {
                    part.is_over = true;
                    break;
                }
            }
        }
        part.initial = part.found.order.len();
        part
    }

    /// Is every accepting cycle a fair one?
    pub(super) fn has_fairness_in_marks(&self) -> bool {
        self.product.has_fairness_in_marks()
    }

    /// A shortest beginning of a run that is evidence, of no more than `longest` steps, if one is found among so many states of the product.
    pub(super) fn beginning(&mut self, longest: usize, effort: u64) -> Option<Lasso> {
        if !self.forever.contains(&true) {
            return None;
        }
        self.allow(effort);
        self.explore(longest);
        let (initial, prefix) = self.found.way_to(self.nearest?, &self.known);
        let path = Path {
            initial,
            prefix,
            cycle: Vec::new(),
        };
        (path.prefix.len() <= longest).then(|| self.concrete(&path))
    }

    /// A lasso shorter than `lasso`, the shortest that is found with so much effort.
    pub(super) fn shorter(
        &mut self,
        lasso: &Lasso,
        effort: u64,
        budget: &Budget,
    ) -> Result<Option<Lasso>, Stop> {
        let best = lasso.prefix.len() + lasso.cycle.len();
        // The run is part of it, however much was explored before.
        self.allow(effort.saturating_add(self.worker.nodes.len() as u64));
        self.follow(lasso);
        self.allow(effort);
        self.explore(best.saturating_sub(1));
        let tree = self.tree(best);
        self.lease.resize(self.bytes() + tree.bytes())?;
        let visits = budget.clone().with_work(effort.saturating_mul(VISITS));
        let found = Search::new(&self.known, &tree, self.product.marks()).run(best, &visits)?;
        Ok(found.map(|path| self.concrete(&path)))
    }

    /// So many nodes may be made from now on, with those that were.
    fn allow(&mut self, effort: u64) {
        self.most = usize::try_from(effort).unwrap_or(usize::MAX);
    }

    fn bytes(&self) -> usize {
        self.known.bytes() + self.found.bytes()
    }

    /// Makes the edges of a node known. False if the effort does not reach so far.
    fn expand(&mut self, node: NodeId) -> bool {
        let index = node.index();
        if self.known.ranges.len() <= index {
            self.known.ranges.resize(index + 1, None);
        }
        if self.known.ranges[index].is_some() {
            return true;
        }
        if self.is_over || self.worker.nodes.len() >= self.most {
            return false;
        }
        let start = self.known.links.len();
        match self.list(node) {
            Ok(()) => {
                let end = self.known.links.len();
                self.known.ranges[index] = Some(start as u32..end as u32);
            }
            // Whatever ran out: what is known so far may do.
            Err(_) => {
                self.known.links.truncate(start);
                self.is_over = true;
            }
        }
        !self.is_over
    }

    fn list(&mut self, from: NodeId) -> Result<(), Stop> {
        let mut cursor = <Sync<'_> as Graph>::Cursor::default();
        while let Some((edge, event)) =
            self.product
                .next_step(&mut self.worker, from, &mut cursor)?
        {
            self.known.links.push(Link {
                from,
                to: edge.to,
                marks: edge.marks,
                event,
            });
        }
        if self.known.links.len() >= u32::MAX as usize {
            return Err(Stop::Memory);
        }
        self.lease.resize(self.bytes())
    }

    /// Makes the nodes along a run of the system, whatever the automaton does by it.
    fn follow(&mut self, lasso: &Lasso) {
        let steps: Vec<&Step> = lasso.prefix.iter().chain(&lasso.cycle).collect();
        let mut seen = FxHashSet::default();
        let mut waiting = Vec::new();
        for &node in &self.found.order[..self.initial] {
            if self.product.state(&mut self.worker, node) == lasso.initial {
                waiting.push((0, node));
            }
        }
        while let Some((position, node)) = waiting.pop() {
            let step = steps[position];
            let next = match position + 1 {
                end if end == steps.len() => lasso.prefix.len(),
                next => next,
            };
            self.expand(node);
            for i in self.known.of(node) {
                let Link { to, event, .. } = self.known.links[i];
                if event == step.event
                    && self.product.state(&mut self.worker, to) == step.state
                    && seen.insert((next, to))
                {
                    waiting.push((next, to));
                }
            }
        }
    }

    fn find(&mut self, node: NodeId, depth: usize, by: Option<u32>) {
        if self.found.add(node, depth, by)
            && self.nearest.is_none()
            && is_forever(&self.forever, self.worker.nodes.get(node).1)
        {
            self.nearest = Some(node);
        }
    }

    /// Expands nodes breadth-first from the initial ones, those that are `deepest` not any more, until the beginning of a run is evidence.
    fn explore(&mut self, deepest: usize) {
        while self.nearest.is_none()
            && let Some(&node) = self.found.order.get(self.expanded)
        {
            let depth = self.found.depth(node);
            if depth >= deepest || !self.expand(node) {
                break;
            }
            self.expanded += 1;
            for i in self.known.of(node) {
                self.find(self.known.links[i].to, depth + 1, Some(i as u32));
            }
            if self.expanded.is_multiple_of(TICK) {
                self.is_over |= self.product.tick(&mut self.worker, 0).is_err();
            }
        }
    }

    /// What can be reached by known edges, as deep as a lasso shorter than `best` can go.
    fn tree(&self, best: usize) -> Tree {
        let mut tree = Tree::default();
        for &node in &self.found.order[..self.initial] {
            tree.add(node, 0, None);
        }
        let mut next = 0;
        while let Some(&node) = tree.order.get(next) {
            next += 1;
            let depth = tree.depth(node);
            if depth + 1 >= best {
                break;
            }
            for i in self.known.of(node) {
                tree.add(self.known.links[i].to, depth + 1, Some(i as u32));
            }
        }
        tree
    }

    fn concrete(&mut self, path: &Path) -> Lasso {
        let mut steps = |links: &[usize]| -> Vec<Step> {
            let step = |i: &usize| Step {
                event: self.known.links[*i].event,
                state: self
                    .product
                    .state(&mut self.worker, self.known.links[*i].to),
            };
            links.iter().map(step).collect()
        };
        let (prefix, cycle) = (steps(&path.prefix), steps(&path.cycle));
        Lasso {
            initial: self.product.state(&mut self.worker, path.initial),
            prefix,
            cycle,
            growth: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::slice::testing::{asks, net, run};
    use super::*;
    use crate::problem::Problem;
    use lariat_automata::Automaton;
    use lariat_budget::Quiet;
    use lariat_model::Deadlock;

    /// Three tokens on rings of four places, which pass each other.
    #[test]
    fn later_attempts_go_on() {
        let events: Vec<_> = (0..12).map(|p| ([p], [p - p % 4 + (p + 1) % 4])).collect();
        let events: Vec<(&[u32], &[u32])> = events.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        let mut system = net(12, &events);
        system.initial = vec![vec![1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0].into()];
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let product = Sync::new(&problem, &Quiet);
        let budget = Budget::unlimited();
        let explored = |efforts: &[u64]| {
            let mut part = Part::new(&product, Vec::new(), &budget);
            for effort in efforts {
                part.allow(*effort);
                part.explore(100);
            }
            let links: Vec<_> = part
                .known
                .links
                .iter()
                .map(|link| (link.from, link.to))
                .collect();
            (part.found.order, links)
        };
        let (nodes, links) = explored(&[1000]);
        assert_eq!((nodes.len(), links.len()), (64, 3 * 64));
        assert_eq!(explored(&[1, 2, 5, 6, 40, 41, 1000]), (nodes, links));
        assert!(explored(&[1, 2, 5, 6, 40]).0.len() < 64);

        // Where nothing may be explored any more, the run is still followed, and its detours fall away.
        let mut part = Part::new(&product, Vec::new(), &budget);
        part.allow(10);
        part.explore(100);
        let long = run(&system, &[0, 4, 1, 2, 3, 8, 5], &[0, 6, 1, 7, 2, 4, 3, 5]);
        let mut shorter = |effort| {
            let short = part.shorter(&long, effort, &budget).unwrap().unwrap();
            (short.prefix.len(), short.cycle.len())
        };
        assert_eq!(shorter(10), (1, 4));
        assert_eq!(shorter(1000), (0, 4));
    }
}
