//! The explored fragment of the product. Each attempt at a shorter run extends it.
//!
//! ```text
//! explore:    breadth-first from the initial nodes, as far as the effort allows
//! beginning:  the first node found from which the automaton accepts every continuation
//! shorter:    follow the run, explore, and search among all known edges
//! ```

use super::search::{EdgeLasso, Edges, LassoSearch, ProductEdge, SearchTree};
use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use crate::explicit::single::is_forever;
use crate::explicit::steps::SingleStateProduct;
use lariat_budget::{Budget, Lease, Stop};
use lariat_emptiness::{Graph, NodeId};
use lariat_model::{Lasso, RunRecorder, Step};
use rustc_hash::FxHashSet;

/// Visits of search positions per product state of the effort; a visit is much cheaper.
const VISITS: u64 = 8;

/// Nodes between two polls of the budget.
const TICK: usize = 256;

/// The explored fragment of the product.
pub(super) struct Fragment<'a, 'p> {
    product: &'a ExplicitProduct<'p>,
    worker: ExplicitWorker,
    budget: &'a Budget,
    known: Edges,
    /// The initial nodes, the nodes found from there breadth-first, and how many were expanded.
    found: SearchTree,
    initial: usize,
    expanded: usize,
    /// By automaton state: a run that reaches it is evidence. And the nearest such node.
    forever: Vec<bool>,
    nearest: Option<NodeId>,
    /// Limit on the number of nodes.
    most: usize,
    /// True if a limit other than the effort is used up: no more nodes are expanded.
    is_over: bool,
    lease: Lease,
}

impl<'a, 'p> Fragment<'a, 'p> {
    pub(super) fn new(
        product: &'a ExplicitProduct<'p>,
        forever: Vec<bool>,
        budget: &'a Budget,
    ) -> Fragment<'a, 'p> {
        let mut fragment = Fragment {
            product,
            worker: product.worker(budget),
            budget,
            known: Edges::default(),
            found: SearchTree::default(),
            initial: 0,
            expanded: 0,
            forever,
            nearest: None,
            most: 0,
            is_over: false,
            lease: budget.lease(),
        };
        for k in 0.. {
            match product.initial(&mut fragment.worker, k) {
                Ok(Some(node)) => fragment.find(node, 0, None),
                Ok(None) => break,
                Err(_) => {
                    fragment.is_over = true;
                    break;
                }
            }
        }
        fragment.initial = fragment.found.order.len();
        fragment
    }

    pub(super) fn has_fairness_in_marks(&self) -> bool {
        self.product.has_fairness_in_marks()
    }

    /// Returns a shortest accepted prefix of at most `longest` steps, if there is one among the
    /// first `effort` states of the product.
    pub(super) fn beginning(&mut self, longest: usize, effort: u64) -> Option<Lasso> {
        if !self.forever.contains(&true) {
            return None;
        }
        self.allow(effort);
        self.explore(longest);
        let (initial, prefix) = self.found.way_to(self.nearest?, &self.known);
        let path = EdgeLasso {
            initial,
            prefix,
            cycle: Vec::new(),
        };
        (path.prefix.len() <= longest).then(|| self.concrete(&path))?
    }

    /// Returns the shortest lasso shorter than `lasso` that the effort finds.
    pub(super) fn shorter(&mut self, lasso: &Lasso, effort: u64) -> Result<Option<Lasso>, Stop> {
        let best = lasso.prefix.len() + lasso.cycle.len();
        self.allow(effort);
        self.follow(lasso);
        self.explore(best.saturating_sub(1));
        let tree = self.tree(best);
        self.lease.resize(self.bytes() + tree.bytes())?;
        let visits = self.budget.clone().with_work(effort.saturating_mul(VISITS));
        let search = LassoSearch::new(&self.known, &tree, self.product.marks());
        let found = search.run(best, &visits)?;
        Ok(found.and_then(|path| self.concrete(&path)))
    }

    /// Sets the limit on all nodes, including those already found.
    fn allow(&mut self, effort: u64) {
        self.most = usize::try_from(effort).unwrap_or(usize::MAX);
    }

    fn bytes(&self) -> usize {
        self.known.bytes() + self.found.bytes()
    }

    /// Lists the edges of a node unless they are known.
    fn expand(&mut self, node: NodeId) {
        if self.is_over || self.known.has(node) {
            return;
        }
        let start = self.known.links.len();
        if self.list(node, start).is_err() {
            // Any limit: the edges known so far may suffice.
            self.known.links.truncate(start);
            self.is_over = true;
        }
    }

    /// Appends the edges of a node to the `start` known ones.
    fn list(&mut self, from: NodeId, start: usize) -> Result<(), Stop> {
        let mut cursor = <ExplicitProduct<'_> as Graph>::Cursor::default();
        while let Some((edge, event)) =
            self.product
                .next_step(&mut self.worker, from, &mut cursor)?
        {
            self.known.links.push(ProductEdge {
                from,
                to: edge.to,
                marks: edge.marks,
                event,
            });
        }
        let end = self.known.links.len();
        if end >= u32::MAX as usize {
            return Err(Stop::Memory);
        }
        self.lease.resize(self.bytes())?;
        self.known.set(from, start as u32..end as u32);
        Ok(())
    }

    /// Creates the nodes along a run of the system, for all runs of the automaton.
    fn follow(&mut self, lasso: &Lasso) {
        let steps: Vec<&Step> = lasso.prefix.iter().chain(&lasso.cycle).collect();
        let mut seen = FxHashSet::default();
        let mut waiting = Vec::new();
        for &node in &self.found.order[..self.initial] {
            if self.product.state(&mut self.worker, node) == lasso.initial {
                waiting.push((0, node));
            }
        }
        // The run fits into the limit, however much was explored before.
        let mut left = self.most;
        while let Some((position, node)) = waiting.pop()
            && left > 0
        {
            // A state of a large system takes time to copy.
            self.is_over |= self.budget.check().is_err();
            if self.is_over {
                break;
            }
            left -= usize::from(!self.known.has(node));
            let step = steps[position];
            let next = match position + 1 {
                end if end == steps.len() => lasso.prefix.len(),
                next => next,
            };
            self.expand(node);
            let here = self.product.state(&mut self.worker, node);
            for i in self.known.edges(node) {
                let ProductEdge { to, event, .. } = self.known.links[i];
                if event == step.event
                    && self.product.state(&mut self.worker, to) == step.target(&here)
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

    /// Expands nodes of depth below `deepest` breadth-first, until a prefix is evidence.
    fn explore(&mut self, deepest: usize) {
        while let Some(&node) = self.found.order.get(self.expanded)
            && self.nearest.is_none()
            && self.found.order.len() < self.most
        {
            let depth = self.found.depth(node);
            if depth >= deepest {
                break;
            }
            self.expand(node);
            if self.is_over {
                break;
            }
            self.expanded += 1;
            for i in self.known.edges(node) {
                self.find(self.known.links[i].to, depth + 1, Some(i as u32));
            }
            if self.expanded.is_multiple_of(TICK) {
                self.is_over |= self.product.tick(&mut self.worker, 0).is_err();
            }
        }
    }

    /// Returns the nodes reachable by known edges, to the depth of a lasso shorter than `best`.
    fn tree(&self, best: usize) -> SearchTree {
        let mut tree = SearchTree::default();
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
            for i in self.known.edges(node) {
                tree.add(self.known.links[i].to, depth + 1, Some(i as u32));
            }
        }
        tree
    }

    /// The run along a path; `None` if the budget is exhausted before its end.
    fn concrete(&mut self, path: &EdgeLasso) -> Option<Lasso> {
        let initial = self.product.state(&mut self.worker, path.initial);
        let mut run = RunRecorder::new(initial);
        for i in path.prefix.iter().chain(&path.cycle) {
            self.budget.check().ok()?;
            let ProductEdge { to, event, .. } = self.known.links[*i];
            let state = self.product.state(&mut self.worker, to);
            run.push(event, &state);
        }
        Some(run.into_lasso(path.prefix.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::slice::testing::{asks, net, run};
    use super::*;
    use crate::problem::Problem;
    use lariat_automata::Automaton;
    use lariat_budget::{FaultTarget, InjectedFault, Quiet};
    use lariat_corpora::each_case;
    use lariat_model::{Deadlock, State, System};

    /// Independent rings with this many places and one token each.
    fn rings(tokens: u32, places: u32) -> System {
        let all = tokens * places;
        let next = |p: u32| p - p % places + (p + 1) % places;
        let events: Vec<_> = (0..all).map(|p| ([p], [next(p)])).collect();
        let events: Vec<(&[u32], &[u32])> = events.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        let tokens = (0..all).map(|p| i64::from(p.is_multiple_of(places)));
        net(&tokens.collect::<Vec<_>>(), &events)
    }

    /// Returns the nodes in the order of discovery, and the edges, after some attempts.
    fn explored(
        product: &ExplicitProduct<'_>,
        efforts: &[u64],
        budget: &Budget,
    ) -> (Vec<State>, Vec<(State, State)>) {
        let mut fragment = Fragment::new(product, Vec::new(), budget);
        for effort in efforts {
            fragment.allow(*effort);
            fragment.explore(100);
        }
        let worker = &mut fragment.worker;
        let mut state = |node: NodeId| product.state(worker, node);
        let links = fragment.known.links.iter();
        let links = links
            .map(|link| (state(link.from), state(link.to)))
            .collect();
        (fragment.found.order.into_iter().map(state).collect(), links)
    }

    #[test]
    fn later_attempts_continue() {
        let system = rings(3, 4);
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let product = ExplicitProduct::new(&problem, &Quiet);
        let budget = Budget::unlimited();
        let explored = |efforts: &[u64]| explored(&product, efforts, &budget);
        let (nodes, links) = explored(&[1000]);
        assert_eq!((nodes.len(), links.len()), (64, 3 * 64));
        assert_eq!(explored(&[1, 2, 5, 6, 40, 41, 1000]), (nodes, links));
        assert!(explored(&[1, 2, 5, 6, 40]).0.len() < 64);

        // Without effort for exploration the run is still followed, which removes its detours.
        let mut fragment = Fragment::new(&product, Vec::new(), &budget);
        fragment.allow(10);
        fragment.explore(100);
        let long = run(&system, &[0, 4, 1, 2, 3, 8, 5], &[0, 6, 1, 7, 2, 4, 3, 5]);
        let mut shorter = |effort| {
            let short = fragment.shorter(&long, effort).unwrap().unwrap();
            (short.prefix.len(), short.cycle.len())
        };
        assert_eq!(shorter(10), (1, 4));
        assert_eq!(shorter(1000), (0, 4));
    }

    #[test]
    fn exploration_stops_at_any_point() {
        let system = rings(4, 5);
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let product = ExplicitProduct::new(&problem, &Quiet);
        let all = explored(&product, &[1000], &Budget::unlimited()).0;
        let mut stopped = 0;
        each_case(100, |random| {
            let stop = random.one_of(&[Stop::Time, Stop::Memory, Stop::Interrupted]);
            let victim = *random.one_of(&[FaultTarget::One, FaultTarget::All]);
            let reach = random.below(12_u32);
            let at = random.below(1_u64 << reach);
            let budget = Budget::faulty(InjectedFault::new(stop.clone(), at, victim));
            let nodes = explored(&product, &[1000], &budget).0;
            assert_eq!(nodes, all[..nodes.len()]);
            stopped += usize::from(nodes.len() < all.len());
            assert_eq!(budget.bytes_used(), 0);
        });
        assert!(stopped > 20, "{stopped}");
    }
}
