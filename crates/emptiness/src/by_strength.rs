//! UFSCC by strength: several threads search for components only where a cycle can accept.
//!
//! A node is *transient* if it is known to lie on no accepting cycle: in products, if its automaton
//! state is in a component of the automaton without accepting cycles. The product of a safety
//! property consists of such nodes almost entirely, that of a recurrence property in part. They
//! need no components, so they are visited in any order, each by one worker; UFSCC (`ufscc.rs`)
//! searches the rest:
//!
//! ```text
//! visit(n):    every edge n → t:   t transient   if t is new: parent(t) := n, t into the list
//!                                  otherwise     if t has no parent: parent(t) := n;  search(t)
//! search(s):   UFSCC from s, except that a new transient t obtains the parent s and gets into the list
//! worker p:    while the list is not empty:  visit(its newest node);  p = 0: its oldest node
//! idle worker: the older half of another list, or search(t) for a t that is being searched
//! ```
//!
//! E. Renault, A. Duret-Lutz, F. Kordon, D. Poitrenaud, *Strength-based decomposition of the
//! property Büchi automaton for faster model checking*, TACAS 2013, for the strengths of components.
//! Deviation: the product is not decomposed; one search treats its nodes by the strength of their
//! component.
//!
//! *Empty is correct.* All edges of a transient node are examined by the worker that has completed
//! it in the union-find. An accepting cycle contains no transient node, and the first node behind
//! the last transient one on a path to it was searched from until its component was dead. That an
//! edge to a transient node counts as one to a dead node loses no accepting cycle.
//!
//! The first worker visits nodes breadth-first, so that a violation near the initial states is found
//! even if the others follow an infinite path.
//!
//! The evidence begins with a path along `parent` to the node from which the accepting component was
//! found. A parent has its own parent before it becomes one, so this path ends at an initial node.
//! From a parent that is not transient the path is searched. Cost per transient node: eight bytes,
//! and four while it is on a list.
//!
//! Concurrency: `open` counts the tasks in progress or queued; the worker that decrements it to 0
//! (`AcqRel`) closes the queue. A worker that ends early cancels the union-find, which the others
//! poll, and closes the queue, so that every waiting thread is woken. Parents are read after all
//! threads have ended.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::lasso::walk;
use crate::lasso_hint::LassoHint;
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::bytes;
use crate::sync::{AtomicU32, Segments};
use crate::threads::in_threads;
use crate::ufscc::{Aside, UfsccShared, UfsccWorker};
use crate::union_find::{EntryIndex, UnionFind};
use lariat_budget::Stop;
use lariat_parallel::{Outside, TaskQueue};
use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

/// A shorter list is not divided.
const LEAST_SHARED: usize = 4;

/// Steps of the path of parents between two polls of the budget.
const TICK: usize = 256;

/// Words in place of a parent plus one: no parent yet, or an initial node.
const UNKNOWN: u32 = 0;
const INITIAL: u32 = u32::MAX;

/// A graph with nodes that are known to lie on no accepting cycle.
pub trait Transient: Graph<Stop = Stop> {
    /// Returns whether no accepting cycle passes through `node`.
    fn is_transient(&self, worker: &Self::Worker, node: NodeId) -> bool;

    /// Leaves the structures shared with other workers; returns the permission to wait for these.
    fn outside<'w>(&self, worker: &'w mut Self::Worker) -> Outside<'w>;

    /// Returns to the shared structures.
    fn inside(&self, worker: &mut Self::Worker) -> Result<(), Stop>;
}

/// Work for an idle worker.
enum Task {
    /// Transient nodes to be visited.
    Visit(VecDeque<NodeId>),
    /// A search that another worker performs, or is about to.
    Search(NodeId),
}

struct StrengthShared {
    ufscc: UfsccShared,
    /// For each transient node that was reached, and each node that was searched from, its parent
    /// plus one.
    parents: Segments<AtomicU32>,
    queue: TaskQueue<Task>,
    /// Number of tasks queued or in progress.
    open: AtomicUsize,
}

impl StrengthShared {
    fn offer(&self, task: Task) {
        self.open.fetch_add(1, Relaxed);
        self.queue.offer(task);
    }

    fn end(&self) {
        self.ufscc.sets.cancel();
        self.queue.close();
    }
}

/// Ends all workers if a worker panics.
struct Alarm<'a>(&'a StrengthShared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

/// The transient nodes that one worker has reached and not visited.
struct TransientList<'a> {
    shared: &'a StrengthShared,
    nodes: VecDeque<NodeId>,
    /// The node from which the present search began.
    seed: Option<NodeId>,
    /// Bytes of parents that this worker has leased.
    leased: usize,
}

impl TransientList<'_> {
    /// Sets the parent of a node, plus one, if it has none.
    fn set_parent(
        &mut self,
        node: NodeId,
        parent: u32,
        mut lease: impl FnMut(usize) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let parents = &self.shared.parents;
        parents.reserve_all(node.index()..node.index() + 1, |more| {
            lease(more)?;
            self.leased += more;
            Ok(())
        })?;
        let word = parents.at(node.index());
        if word.load(Relaxed) == UNKNOWN {
            // The first parent of a node is older than the node's first descendant.
            let _ = word.compare_exchange(UNKNOWN, parent, Relaxed, Relaxed);
        }
        Ok(())
    }
}

impl<G: Transient> Aside<G> for TransientList<'_> {
    #[inline]
    fn takes(&self, graph: &G, worker: &G::Worker, node: NodeId) -> bool {
        graph.is_transient(worker, node)
    }

    fn reach(
        &mut self,
        sets: &UnionFind,
        from: NodeId,
        to: NodeId,
        mut lease: impl FnMut(usize) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        if !sets.complete(to) {
            return Ok(false);
        }
        let parent = self.seed.unwrap_or(from);
        self.set_parent(to, parent.0 + 1, &mut lease)?;
        if self.nodes.len() == self.nodes.capacity() {
            let more = self.nodes.len().max(64);
            lease(2 * more * size_of::<NodeId>())?;
            self.nodes.reserve_exact(more);
        }
        self.nodes.push_back(to);
        Ok(true)
    }

    fn tick(&mut self) {
        if let Some(seed) = self.seed
            && self.shared.queue.is_hungry()
        {
            self.shared.offer(Task::Search(seed));
        }
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<NodeId>() + self.leased
    }
}

/// Result of a search that has found an accepting component.
#[derive(Debug)]
pub struct StrengthHint {
    hint: LassoHint,
    parents: Segments<AtomicU32>,
    /// The node from which the component was found.
    seed: NodeId,
}

/// Checks whether `graph` has an accepting lasso, as [`ufscc`](crate::ufscc()) does, but computes
/// components only of nodes that are not [transient](Transient).
pub fn ufscc_by_strength<G>(
    graph: &G,
    workers: &mut [G::Worker],
    counts: &mut Counts,
) -> Result<Outcome<StrengthHint>, Stop>
where
    G: Transient + Sync,
    G::Worker: Send,
{
    let shared = StrengthShared {
        ufscc: UfsccShared::new(),
        parents: Segments::new(),
        queue: TaskQueue::new(),
        open: AtomicUsize::new(0),
    };
    let accepting = in_threads(workers, counts, |worker, number| {
        StrengthWorker::new(graph, worker, &shared, number).run()
    })?;
    Ok(match accepting {
        Some((at, seed)) => Outcome::Accepting(StrengthHint {
            hint: LassoHint {
                sets: shared.ufscc.sets,
                at,
            },
            parents: shared.parents,
            seed,
        }),
        None => Outcome::Empty,
    })
}

/// An entry of an accepting component and the node from which it was found.
type Accepting = Option<(EntryIndex, NodeId)>;

struct StrengthWorker<'a, G: Graph> {
    shared: &'a StrengthShared,
    search: UfsccWorker<'a, G, TransientList<'a>>,
    number: u64,
}

impl<'a, G: Transient> StrengthWorker<'a, G> {
    fn new(
        graph: &'a G,
        worker: &'a mut G::Worker,
        shared: &'a StrengthShared,
        number: u64,
    ) -> StrengthWorker<'a, G> {
        let list = TransientList {
            shared,
            nodes: VecDeque::new(),
            seed: None,
            leased: 0,
        };
        StrengthWorker {
            shared,
            search: UfsccWorker::with_aside(graph, worker, &shared.ufscc, number, list),
            number,
        }
    }

    fn run(mut self) -> (Result<Accepting, Stop>, Counts) {
        let _alarm = Alarm(self.shared);
        let begun = if self.number == 0 {
            self.begin()
        } else {
            Ok(())
        };
        let end = begun.and_then(|()| self.work());
        if !matches!(end, Ok(None)) {
            self.shared.end();
        }
        self.search.graph.rest(self.search.worker);
        (end, self.search.counts)
    }

    /// Offers the initial nodes.
    fn begin(&mut self) -> Result<(), Stop> {
        // Counted as a task, so that the queue is not closed before all are offered.
        self.shared.open.fetch_add(1, Relaxed);
        let mut k = 0;
        while let Some(node) = self.search.graph.initial(self.search.worker, k)? {
            k += 1;
            self.search.reserve(node)?;
            self.set_parent(node, INITIAL)?;
            if (self.search.graph).is_transient(self.search.worker, node) {
                self.search.reach_aside(node, node)?;
            } else {
                self.shared.offer(Task::Search(node));
            }
        }
        let nodes = std::mem::take(&mut self.search.aside.nodes);
        self.shared.offer(Task::Visit(nodes));
        self.close_task();
        Ok(())
    }

    fn close_task(&self) {
        if self.shared.open.fetch_sub(1, AcqRel) == 1 {
            self.shared.queue.close();
        }
    }

    fn work(&mut self) -> Result<Accepting, Stop> {
        loop {
            let outside = self.search.graph.outside(self.search.worker);
            let Some(task) = self.shared.queue.next(&outside)? else {
                return Ok(None);
            };
            self.search.graph.inside(self.search.worker)?;
            let found = match task {
                Task::Search(seed) => self.search_from(seed)?,
                Task::Visit(nodes) => {
                    self.search.aside.nodes = nodes;
                    None
                }
            };
            let found = match found {
                None => self.visit_all()?,
                found => found,
            };
            if found.is_some() {
                return Ok(found);
            }
            self.close_task();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.shared.ufscc.sets.is_cancelled()
    }

    /// Visits the nodes on the list until it is empty.
    fn visit_all(&mut self) -> Result<Accepting, Stop> {
        while let Some(node) = self.next_node() {
            if self.is_cancelled() {
                return Ok(None);
            }
            self.search.list_edges(node)?;
            while let Some(target) = self.search.next_target() {
                self.set_parent(target, node.0 + 1)?;
                let found = self.search_from(target)?;
                if found.is_some() || self.is_cancelled() {
                    return Ok(found);
                }
            }
            if self.search.aside.nodes.len() >= LEAST_SHARED && self.shared.queue.is_hungry() {
                self.share()?;
            }
        }
        Ok(None)
    }

    fn next_node(&mut self) -> Option<NodeId> {
        let nodes = &mut self.search.aside.nodes;
        match self.number {
            0 => nodes.pop_front(),
            _ => nodes.pop_back(),
        }
    }

    /// Offers the older half of the list: the newest nodes are similar to the one visited last.
    fn share(&mut self) -> Result<(), Stop> {
        let half = self.search.aside.nodes.len() / 2;
        let held = self.search.bytes() + half * size_of::<NodeId>();
        self.search.graph.lease(self.search.worker, held)?;
        let older = self.search.aside.nodes.drain(..half).collect();
        self.shared.offer(Task::Visit(older));
        Ok(())
    }

    fn set_parent(&mut self, node: NodeId, parent: u32) -> Result<(), Stop> {
        let held = self.search.bytes();
        let search = &mut self.search;
        let lease = |more| search.graph.lease(search.worker, held + more);
        search.aside.set_parent(node, parent, lease)
    }

    fn search_from(&mut self, seed: NodeId) -> Result<Accepting, Stop> {
        self.search.aside.seed = Some(seed);
        let found = self.search.search_from(seed)?;
        self.search.aside.seed = None;
        Ok(found.map(|at| (at, seed)))
    }
}

impl StrengthHint {
    /// The evidence: the path to the node from which the component was found, and a search of one
    /// worker from there. Seal a graph that supports it first.
    pub fn evidence<G: Graph<Stop = Stop>>(
        &self,
        graph: &G,
        worker: &mut G::Worker,
    ) -> Result<Evidence, Stop> {
        let node = self.seed;
        let evidence = self.hint.evidence(&From { graph, node }, worker)?;
        let mut nodes = vec![node];
        let mut last = node;
        loop {
            match self.parents.at(last.index()).load(Relaxed) {
                INITIAL => break,
                UNKNOWN => return Err(unreached()),
                parent => last = NodeId(parent - 1),
            }
            nodes.push(last);
        }
        nodes.reverse();
        let mut prefix: Vec<Edge> = Vec::new();
        for (at, pair) in nodes.windows(2).enumerate() {
            let held = bytes(&nodes) + bytes(&prefix) + bytes(&evidence.prefix);
            if at % TICK == 0 {
                graph.tick(worker, held)?;
            }
            let to_next = |edge: Edge| edge.to == pair[1];
            let path = walk(graph, worker, held, &[pair[0]], |_| true, to_next)?;
            let (_, path) = path.ok_or_else(unreached)?;
            prefix.extend(path);
        }
        prefix.extend(&evidence.prefix);
        Ok(Evidence {
            initial: nodes[0],
            prefix,
            // Transient nodes were not entered, but lie on the path.
            known: NodeId::END as usize,
            ..evidence
        })
    }
}

fn unreached() -> Stop {
    Stop::Internal("a node without a path from its parent".to_owned())
}

/// A graph with another initial node.
struct From<'g, G> {
    graph: &'g G,
    node: NodeId,
}

impl<G: Graph> Graph for From<'_, G> {
    type Stop = G::Stop;
    type Worker = G::Worker;
    type Cursor = G::Cursor;

    fn marks(&self) -> Marks {
        self.graph.marks()
    }

    fn initial(&self, _: &mut G::Worker, k: usize) -> Result<Option<NodeId>, G::Stop> {
        Ok((k == 0).then_some(self.node))
    }

    fn next_edge(
        &self,
        worker: &mut G::Worker,
        node: NodeId,
        cursor: &mut G::Cursor,
    ) -> Result<Option<Edge>, G::Stop> {
        self.graph.next_edge(worker, node, cursor)
    }

    fn lease(&self, worker: &mut G::Worker, bytes: usize) -> Result<(), G::Stop> {
        self.graph.lease(worker, bytes)
    }

    fn tick(&self, worker: &mut G::Worker, bytes: usize) -> Result<(), G::Stop> {
        self.graph.tick(worker, bytes)
    }
}
