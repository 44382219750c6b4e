//! The part of the product that is known. Attempts at a shorter run explore it, each from where the last has ended: what is known is not found again.
//!
//! ```text
//! explore:    breadth-first from the initial nodes, as far as the effort goes; whoever is idle helps (`helpers.rs`)
//! beginning:  the first node found by that from which the automaton accepts whatever follows
//! shorter:    follow the run, explore, and search among all edges that are known
//! ```

use super::helpers::{BATCH, Batch, Closing, Desk, LEAD, MANY, list};
use super::search::{Edges, Link, Path, Search, Tree};
use crate::single::is_forever;
use crate::steps::Steps;
use crate::sync::{Sync, Worker};
use lariat_automata::Components;
use lariat_budget::{Budget, Lease, Seat, Stop};
use lariat_emptiness::{Graph, NodeId};
use lariat_model::{Lasso, Step};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, Scope, scope};

/// Positions of a search that may be visited for every product state that may be made: they cost about a tenth.
const VISITS: u64 = 8;

/// Nodes between two looks at the clock.
const TICK: usize = 256;

/// What is known of the product.
pub(super) struct Part<'a, 'p> {
    product: &'a Sync<'p>,
    worker: Worker,
    budget: &'a Budget,
    known: Edges,
    /// The initial nodes, and what was found breadth-first from there; so many of these nodes were expanded for that.
    found: Tree,
    initial: usize,
    expanded: usize,
    /// States of the automaton at which a run is evidence, whatever follows; empty if there are none. The nearest node with one of them.
    forever: Vec<bool>,
    nearest: Option<NodeId>,
    /// Nodes that may be found.
    most: usize,
    /// Has something been used up that is more than this effort? Then no more nodes are expanded.
    is_over: bool,
    lease: Lease,
}

impl<'a, 'p> Part<'a, 'p> {
    pub(super) fn new(
        product: &'a Sync<'p>,
        forever: Vec<bool>,
        budget: &'a Budget,
    ) -> Part<'a, 'p> {
        let mut part = Part {
            product,
            // As one of several: nobody knows who will be idle.
            worker: product.workers(1, budget).swap_remove(0),
            budget,
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
    pub(super) fn shorter(&mut self, lasso: &Lasso, effort: u64) -> Result<Option<Lasso>, Stop> {
        let best = lasso.prefix.len() + lasso.cycle.len();
        self.allow(effort);
        self.follow(lasso);
        self.explore(best.saturating_sub(1));
        let (tree, components) = self.arranged(best);
        self.lease.resize(self.bytes() + tree.bytes())?;
        let visits = self.budget.clone().with_work(effort.saturating_mul(VISITS));
        let search = Search::new(&self.known, &tree, components, self.product.marks());
        let found = search.run(best, &visits)?;
        Ok(found.map(|path| self.concrete(&path)))
    }

    /// So many nodes may be found from now on, with those that were.
    fn allow(&mut self, effort: u64) {
        self.most = usize::try_from(effort).unwrap_or(usize::MAX);
    }

    fn bytes(&self) -> usize {
        self.known.bytes() + self.found.bytes()
    }

    /// Makes the edges of a node known, which somebody may have listed.
    fn expand(&mut self, node: NodeId, listed: Option<&[Link]>) {
        if self.is_over || self.known.has(node) {
            return;
        }
        let (start, links) = (self.known.links.len(), &mut self.known.links);
        let done = match listed {
            Some(listed) => {
                links.extend_from_slice(listed);
                Ok(())
            }
            None => list(self.product, &mut self.worker, node, links),
        };
        if done.and_then(|()| self.keep(node, start)).is_err() {
            // Whatever ran out: what is known so far may do.
            self.known.links.truncate(start);
            self.is_over = true;
        }
    }

    /// The edges from `start` on are those of a node.
    fn keep(&mut self, node: NodeId, start: usize) -> Result<(), Stop> {
        let end = self.known.links.len();
        if end >= u32::MAX as usize {
            return Err(Stop::Memory);
        }
        self.lease.resize(self.bytes())?;
        self.known.set(node, start as u32..end as u32);
        Ok(())
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
        // The run is part of it, however much was explored before.
        let mut left = self.most;
        while let Some((position, node)) = waiting.pop()
            && left > 0
        {
            left -= usize::from(!self.known.has(node));
            let step = steps[position];
            let next = match position + 1 {
                end if end == steps.len() => lasso.prefix.len(),
                next => next,
            };
            self.expand(node, None);
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
        let desk = Desk::new(self.product, self.budget);
        let end = scope(|scope| {
            let _closing = Closing(&desk);
            let end = catch_unwind(AssertUnwindSafe(|| {
                self.explore_at(&desk, scope, deepest);
            }));
            // Whoever is sent home ends what it has begun, and may need the tables alone for that.
            self.worker.states.rest();
            end
        });
        self.worker.states.resume();
        end.unwrap_or_else(|panic| resume_unwind(panic));
    }

    fn explore_at<'d>(&mut self, desk: &'d Desk<'_, '_>, scope: &'d Scope<'d, '_>, deepest: usize) {
        let mut has_helpers = false;
        let mut batches = VecDeque::new();
        while self.goes_on(deepest) {
            if !self.expanded.is_multiple_of(BATCH) {
                self.step(None);
                continue;
            }
            let waiting = self.found.order.len() - self.expanded;
            if let Some(seat) = self.seat(waiting)
                && let Some(worker) = self.product.another(&self.worker, self.budget)
            {
                let help = move || {
                    let _seat = seat;
                    desk.help(worker);
                };
                // Where there is no thread to be had, nobody helps.
                let thread = Builder::new().name("shorter".to_owned());
                has_helpers |= thread.spawn_scoped(scope, help).is_ok();
            }
            if has_helpers {
                self.offer(deepest, desk, &mut batches);
            }
            // Where batches have just been put on the desk, the oldest is not the next one.
            let next = batches.front().map(|batch| batch.first);
            match (next == Some(self.expanded)).then(|| batches.pop_front()) {
                Some(Some(batch)) if !desk.withdraw(&batch) => {
                    self.take_in(&batch, deepest, desk);
                }
                _ => self.step(None),
            }
        }
    }

    /// Is there a node to be expanded?
    fn goes_on(&self, deepest: usize) -> bool {
        let next = self.found.order.get(self.expanded);
        !self.is_over
            && self.nearest.is_none()
            && self.found.order.len() < self.most
            && next.is_some_and(|node| self.found.depth(*node) < deepest)
    }

    /// Expands the next node, whose edges somebody may have listed.
    fn step(&mut self, listed: Option<&[Link]>) {
        let node = self.found.order[self.expanded];
        let depth = self.found.depth(node);
        self.expand(node, listed);
        if self.is_over {
            return;
        }
        self.expanded += 1;
        for i in self.known.of(node) {
            self.find(self.known.links[i].to, depth + 1, Some(i as u32));
        }
        if self.expanded.is_multiple_of(TICK) {
            self.is_over |= self.product.tick(&mut self.worker, 0).is_err();
        }
    }

    /// Somebody who is idle, where so many nodes are enough to do and nobody counts what is done in vain.
    fn seat(&self, nodes: usize) -> Option<Seat> {
        let may_help = nodes >= MANY && !self.budget.counts_work();
        may_help.then(|| self.budget.idle().take()).flatten()
    }

    /// Puts nodes that wait on the desk, but for those that come next.
    fn offer(&self, deepest: usize, desk: &Desk<'_, '_>, batches: &mut VecDeque<Arc<Batch>>) {
        let mut first = batches.back().map_or(self.expanded, |batch| batch.first) + BATCH;
        while batches.len() < LEAD
            && let Some(nodes) = self.found.order.get(first..first + BATCH)
            && nodes
                .last()
                .is_some_and(|node| self.found.depth(*node) < deepest)
        {
            let batch = Arc::new(Batch {
                first,
                nodes: nodes.to_vec(),
                listed: OnceLock::new(),
            });
            desk.offer(batch.clone());
            batches.push_back(batch);
            first += BATCH;
        }
    }

    /// Expands nodes whose edges somebody else lists.
    fn take_in(&mut self, batch: &Batch, deepest: usize, desk: &Desk<'_, '_>) {
        let Some(listed) = desk.wait(batch, &mut self.worker) else {
            self.is_over = true;
            return;
        };
        for links in listed.each() {
            if !self.goes_on(deepest) {
                break;
            }
            self.step(Some(links));
        }
    }

    /// What the search for a lasso shorter than `best` needs to know besides edges. The components of half a million nodes take 0.14 s: somebody who is idle may find them.
    fn arranged(&self, best: usize) -> (Tree, Components) {
        let (known, seat) = (&self.known, self.seat(self.found.order.len()));
        scope(|scope| {
            let help = |seat: Seat| {
                let help = move || {
                    let _seat = seat;
                    known.components()
                };
                let thread = Builder::new().name("shorter".to_owned());
                thread.spawn_scoped(scope, help).ok()
            };
            let helper = seat.and_then(help);
            let tree = self.tree(best);
            let components = match helper {
                Some(helper) => helper.join().unwrap_or_else(|panic| resume_unwind(panic)),
                None => known.components(),
            };
            (tree, components)
        })
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
    use lariat_budget::{Fault, Idle, Quiet, Victim};
    use lariat_corpora::{each_case, which_ends};
    use lariat_model::{Deadlock, State, System};

    /// Tokens on rings of so many places, which pass each other.
    fn rings(tokens: u32, places: u32) -> System {
        let all = tokens * places;
        let next = |p: u32| p - p % places + (p + 1) % places;
        let events: Vec<_> = (0..all).map(|p| ([p], [next(p)])).collect();
        let events: Vec<(&[u32], &[u32])> = events.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        let mut system = net(all, &events);
        let first = |p: u32| i64::from(p.is_multiple_of(places));
        system.initial = vec![(0..all).map(first).collect()];
        system
    }

    /// What is known after some attempts: the nodes in the order in which they were found, and edges.
    fn explored(
        product: &Sync<'_>,
        efforts: &[u64],
        budget: &Budget,
    ) -> (Vec<State>, Vec<(State, State)>) {
        let mut part = Part::new(product, Vec::new(), budget);
        for effort in efforts {
            part.allow(*effort);
            part.explore(100);
        }
        let worker = &mut part.worker;
        let mut state = |node: NodeId| product.state(worker, node);
        let links = part.known.links.iter();
        let links = links
            .map(|link| (state(link.from), state(link.to)))
            .collect();
        (part.found.order.into_iter().map(state).collect(), links)
    }

    #[test]
    fn later_attempts_go_on() {
        let system = rings(3, 4);
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let product = Sync::new(&problem, &Quiet);
        let budget = Budget::unlimited();
        let explored = |efforts: &[u64]| explored(&product, efforts, &budget);
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
            let short = part.shorter(&long, effort).unwrap().unwrap();
            (short.prefix.len(), short.cycle.len())
        };
        assert_eq!(shorter(10), (1, 4));
        assert_eq!(shorter(1000), (0, 4));
    }

    #[test]
    fn the_same_is_known_with_helpers() {
        let system = rings(4, 5);
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let product = Sync::new(&problem, &Quiet);
        each_case(40, |random| {
            let effort = random.between(1, 700);
            let efforts = [effort, effort + random.between(0, 100)];
            let alone = explored(&product, &efforts, &Budget::unlimited());
            let idle = Idle::new(random.between(1, 3));
            let budget = Budget::unlimited().with_idle(&idle);
            assert_eq!(explored(&product, &efforts, &budget), alone);
            assert_eq!(budget.bytes_used(), 0);
        });
    }

    /// The tables may have to grow for what helpers have begun when the search has ended, and for that everybody must be out of the way.
    #[test]
    fn nobody_waits_for_who_is_sent_home() {
        let system = rings(4, 9);
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let product = Sync::new(&problem, &Quiet);
        which_ends(|| {
            each_case(400, |random| {
                let idle = Idle::new(3);
                let budget = Budget::unlimited().with_idle(&idle);
                let effort = random.between(1000, 4000);
                explored(&product, &[effort, effort + 500], &budget);
            });
        });
    }

    #[test]
    fn helpers_stop_at_any_point() {
        let system = rings(4, 5);
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let product = Sync::new(&problem, &Quiet);
        let all = explored(&product, &[1000], &Budget::unlimited()).0;
        let mut stopped = 0;
        which_ends(|| {
            each_case(100, |random| {
                let stop = random.one_of(&[Stop::Time, Stop::Memory, Stop::Interrupted]);
                let victim = *random.one_of(&[Victim::One, Victim::All]);
                let reach = random.below(12_u32);
                let at = random.below(1_u64 << reach);
                let idle = Idle::new(2);
                let budget = Budget::faulty(Fault::new(stop.clone(), at, victim)).with_idle(&idle);
                let nodes = explored(&product, &[1000], &budget).0;
                assert_eq!(nodes, all[..nodes.len()]);
                stopped += usize::from(nodes.len() < all.len());
                assert_eq!(budget.bytes_used(), 0);
                assert_eq!(idle.take_up_to(3).len(), 2);
            });
        });
        assert!(stopped > 20, "{stopped}");
    }
}
