//! One way to catch them young: several worker threads search accepting cycles breadth first.
//!
//! A cycle of a product lies over one strongly connected component of the automaton, its *layer*.
//! Only layers with an accepting cycle matter; the nodes of the others are explored and forgotten.
//! The nodes of accepting layers are a candidate set `S` that shrinks until it is empty or stable:
//!
//! ```text
//! reach   S := reachable nodes in accepting layers;  in(v) := number of edges inside layers into v
//! trim    while some v ∈ S has in(v) = 0:  S := S \ {v};  in(w) − 1 for the inner edges v → w
//! mark    M(v) := marks on inner edges of S from which v is reachable inside S
//! prune   S := {v ∈ S | M(v) has all marks};  trim
//! ```
//!
//! `mark` and `prune` are repeated until `S` does not change. A layer without accepting cycles in
//! the product is mostly empty after the first `trim`; for safety properties `S` is empty at once,
//! so the check is one parallel exploration.
//!
//! *Empty is correct.* An accepting cycle stays in `S`: each of its nodes has an edge of the cycle
//! into it, and is reachable from all its marks. *Accepting is correct.* In a stable, non-empty `S`
//! consider a component of `S` that no edge of `S` enters from outside. Each of its nodes has a
//! predecessor in `S`, so it has a cycle; each is reachable inside `S` from edges with every mark,
//! and these lie inside the component. A sequential search among the nodes of `S` yields the cycle.
//!
//! I. Černá, R. Pelánek, *Distributed explicit fair cycle detection*, SPIN 2003; J. Barnat, L. Brim,
//! P. Ročkai, *A time-optimal on-the-fly parallel algorithm for model checking of weak LTL
//! properties*, ICFEM 2009. Two deviations: marks on edges, any number of them, replace accepting
//! states; and a node that is pruned is eliminated like one without predecessors, so in-degrees are
//! counted only once.
//!
//! Workers share one word per node: two flags, a queue flag and the in-degree. A node is visited,
//! eliminated or queued by the worker whose atomic operation has changed its flag. Nodes to be
//! visited are in lists, of which a worker with a long one offers the older half to idle workers.
//! Between two phases all workers have been joined, so relaxed order suffices except for marks,
//! which are written before the queue flag is set. A worker that stops or panics closes the queue.
//! Cost: 4 bytes per node, 4 per node and edge inside accepting layers (`edge_lists.rs`), 8 per node
//! if marks are propagated. Every edge is computed once, inner edges once more per round of marks.

use crate::edge_lists::EdgeLists;
use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::outcome::{Counts, Outcome};
use crate::remaining::Remaining;
use crate::scc_stack::{bytes, grow};
use lariat_budget::{Budget, SharedLease, Stop};
use lariat_parallel::{Outside, Segments, TaskQueue};
use std::hint::black_box;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use std::thread::{Builder, scope};

/// A graph over the components of an automaton.
pub trait Layered: Graph<Stop = Stop> {
    /// The component of the automaton in which `node` lies; `None` if it has no accepting cycle.
    fn layer(&self, worker: &Self::Worker, node: NodeId) -> Option<u32>;
}

/// Flags of a node: it was found; it is in `S`; its marks have grown since its last visit.
const FOUND: u32 = 1 << 31;
const INSIDE: u32 = 1 << 30;
const QUEUED: u32 = 1 << 29;
/// Mask of the in-degree.
const DEGREE: u32 = QUEUED - 1;
/// In-degree at which the check gives up, far enough from the overflow for concurrent additions.
const MOST_EDGES: u32 = 1 << 28;

/// Nodes whose words are reserved at a time, a power of two.
const NODE_BLOCK: u32 = 1024;
/// Edges, or lists of edges, between two budget polls.
const TICK: u64 = 1024;
/// A shorter list is not divided.
const LEAST_SHARED: usize = 64;
/// Nodes per task of a scan.
const SCAN: usize = 1 << 14;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Reach,
    Trim,
    Mark,
    Prune,
}

/// Work for one worker.
enum NodeTask {
    /// Nodes to visit.
    List(Vec<NodeId>),
    /// Ids to scan for nodes to visit.
    Scan(Range<usize>),
}

/// The state that all workers share.
struct Shared {
    nodes: Segments<AtomicU32>,
    marks: Segments<AtomicU64>,
    lists: EdgeLists,
    lease: SharedLease,
    budget: Budget,
    queue: TaskQueue<NodeTask>,
    /// Number of tasks in progress or queued.
    open: AtomicUsize,
    is_over: AtomicBool,
}

/// Ids below are reserved, by array.
#[derive(Default)]
struct Reserved {
    nodes: usize,
    marks: usize,
}

/// One worker with its counters.
struct Member<'w, G: Graph> {
    worker: &'w mut G::Worker,
    /// Nodes to visit.
    list: Vec<NodeId>,
    /// Edges of the visited node, and the targets of those inside its layer.
    edges: Vec<Edge>,
    inner: Vec<NodeId>,
    /// Free words for edge lists.
    block: Range<u32>,
    reserved: Reserved,
    counts: Counts,
    /// Edges and lists since the start, for polls of the budget.
    steps: u64,
    /// Nodes of `S` found, and eliminated.
    entered: u64,
    eliminated: u64,
}

/// Reason for a phase to end early.
enum Halt {
    Stop(Stop),
    /// A node with an accepting self-loop.
    Loop(NodeId),
    /// Too many edges lead to one node.
    Overfull,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

/// Checks whether `graph` has an accepting lasso; the first worker runs in the calling thread, each
/// other one in a separate thread. [`Outcome::Undecided`] if a node has more than 2²⁸ predecessors.
///
/// A worker that stops or panics ends the others. `counts` is also filled in then.
pub fn owcty<G>(
    graph: &G,
    workers: &mut [G::Worker],
    budget: &Budget,
    counts: &mut Counts,
) -> Result<Outcome<Remaining>, Stop>
where
    G: Layered + Sync,
    G::Worker: Send,
{
    let mut team = Team {
        graph,
        shared: Shared {
            nodes: Segments::new(),
            marks: Segments::new(),
            lists: EdgeLists::new(),
            lease: budget.shared_lease(),
            budget: budget.clone(),
            queue: TaskQueue::new(),
            open: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        },
        members: workers.iter_mut().map(Member::new).collect(),
    };
    let found = team.check();
    for member in &team.members {
        counts.nodes += member.counts.nodes;
        counts.edges += member.counts.edges;
    }
    match found {
        Ok(false) => Ok(Outcome::Empty),
        Ok(true) => team.remaining().map(Outcome::Accepting),
        Err(Halt::Loop(node)) => Ok(Outcome::Accepting(Remaining {
            nodes: vec![node],
            known: team.known(),
        })),
        Err(Halt::Overfull) => Ok(Outcome::Undecided(Remaining {
            nodes: Vec::new(),
            known: 0,
        })),
        Err(Halt::Stop(stop)) => Err(stop),
    }
}

struct Team<'g, 'w, G: Graph> {
    graph: &'g G,
    shared: Shared,
    members: Vec<Member<'w, G>>,
}

impl<G> Team<'_, '_, G>
where
    G: Layered + Sync,
    G::Worker: Send,
{
    /// Returns whether nodes remain.
    fn check(&mut self) -> Result<bool, Halt> {
        let initial = self.initial()?;
        self.run(Phase::Reach, vec![NodeTask::List(initial)])?;
        self.scan(Phase::Trim)?;
        loop {
            let before = self.size();
            if before == 0 {
                return Ok(false);
            }
            self.scan(Phase::Mark)?;
            self.scan(Phase::Prune)?;
            if self.size() == before {
                return Ok(true);
            }
        }
    }

    /// Finds the initial nodes.
    fn initial(&mut self) -> Result<Vec<NodeId>, Halt> {
        let run = PhaseRun {
            graph: self.graph,
            shared: &self.shared,
            phase: Phase::Reach,
        };
        let first = &mut self.members[0];
        run.graph.wake(first.worker)?;
        let mut nodes = Vec::new();
        let mut k = 0;
        while let Some(node) = run.graph.initial(first.worker, k)? {
            k += 1;
            first.reserve(run, node)?;
            if first.find(run, node, 0) {
                nodes.push(node);
            }
        }
        run.graph.rest(first.worker);
        Ok(nodes)
    }

    /// Number of nodes in `S`.
    fn size(&self) -> u64 {
        let entered: u64 = self.members.iter().map(|member| member.entered).sum();
        let eliminated: u64 = self.members.iter().map(|member| member.eliminated).sum();
        entered - eliminated
    }

    /// Exclusive upper bound of the ids of found nodes.
    fn known(&self) -> usize {
        let reserved = self.members.iter().map(|member| member.reserved.nodes);
        reserved.max().unwrap_or(0)
    }

    /// Runs a phase that begins with a scan of all nodes, unless `S` is empty.
    fn scan(&mut self, phase: Phase) -> Result<(), Halt> {
        if self.size() == 0 {
            return Ok(());
        }
        let known = self.known();
        let tasks = (0..known).step_by(SCAN);
        let tasks = tasks.map(|from| NodeTask::Scan(from..known.min(from + SCAN)));
        self.run(phase, tasks.collect())
    }

    /// Runs a phase to its end, on all workers.
    fn run(&mut self, phase: Phase, tasks: Vec<NodeTask>) -> Result<(), Halt> {
        self.shared.queue = TaskQueue::new();
        self.shared.open = AtomicUsize::new(tasks.len());
        let queue = &self.shared.queue;
        tasks.into_iter().for_each(|task| queue.offer(task));
        let run = PhaseRun {
            graph: self.graph,
            shared: &self.shared,
            phase,
        };
        let mut members = self.members.iter_mut();
        let first = members.next().expect("there is a worker");
        scope(|scope| {
            let mut others = Vec::new();
            for member in members {
                // If no thread can be created, the other workers do all the work.
                let thread = Builder::new().name("owcty".to_owned());
                others.extend(thread.spawn_scoped(scope, move || member.run(run)));
            }
            let mut end = first.run(run);
            let outside = Outside::of_thread(&self.shared.budget);
            for other in others {
                // A worker that panics has ended the others.
                end = end.and(
                    outside
                        .join(other)
                        .unwrap_or_else(|panic| resume_unwind(panic)),
                );
            }
            end
        })
    }

    /// The nodes of `S`.
    fn remaining(&mut self) -> Result<Remaining, Stop> {
        let known = self.known();
        let (graph, first) = (self.graph, &mut self.members[0]);
        graph.wake(first.worker)?;
        let mut nodes = Vec::new();
        for index in 0..known {
            let status = self.shared.nodes.get(index);
            if status.is_some_and(|status| status.load(Relaxed) & INSIDE != 0) {
                let held = first.bytes() + bytes(&nodes);
                grow(&mut nodes, 1, |more| graph.tick(first.worker, held + more))?;
                nodes.push(NodeId(index as u32));
            }
        }
        graph.rest(first.worker);
        Ok(Remaining { nodes, known })
    }
}

/// One phase of the check.
struct PhaseRun<'r, G> {
    graph: &'r G,
    shared: &'r Shared,
    phase: Phase,
}

impl<G> Clone for PhaseRun<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for PhaseRun<'_, G> {}

impl<'w, G: Layered> Member<'w, G> {
    fn new(worker: &'w mut G::Worker) -> Member<'w, G> {
        Member {
            worker,
            list: Vec::new(),
            edges: Vec::new(),
            inner: Vec::new(),
            block: 0..0,
            reserved: Reserved::default(),
            counts: Counts::default(),
            steps: 0,
            entered: 0,
            eliminated: 0,
        }
    }

    fn bytes(&self) -> usize {
        bytes(&self.list) + bytes(&self.edges)
    }

    /// Works on tasks until the phase is over.
    fn run(&mut self, run: PhaseRun<'_, G>) -> Result<(), Halt> {
        let shared = run.shared;
        let end = catch_unwind(AssertUnwindSafe(|| {
            while let Some(task) = self.next(run)? {
                run.graph.wake(self.worker)?;
                self.work_off(run, task)?;
                if shared.open.fetch_sub(1, AcqRel) == 1 {
                    shared.queue.close();
                }
            }
            Ok(())
        }));
        if !matches!(end, Ok(Ok(()))) {
            shared.is_over.store(true, Relaxed);
            shared.queue.close();
        }
        run.graph.rest(self.worker);
        end.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Waits for a task, outside of the shared section of the graph.
    fn next(&mut self, run: PhaseRun<'_, G>) -> Result<Option<NodeTask>, Stop> {
        run.graph.rest(self.worker);
        let outside = Outside::of_thread(&run.shared.budget);
        run.shared.queue.next(&outside)
    }

    /// Visits the nodes of a task, and those found from there.
    fn work_off(&mut self, run: PhaseRun<'_, G>, task: NodeTask) -> Result<(), Halt> {
        let shared = run.shared;
        match task {
            NodeTask::List(list) => self.list = list,
            NodeTask::Scan(range) => {
                for index in range {
                    self.scan(run, NodeId(index as u32))?;
                }
            }
        }
        while let Some(node) = self.list.pop() {
            if shared.is_over.load(Relaxed) {
                return Ok(());
            }
            self.visit(run, node)?;
            if self.list.len() >= LEAST_SHARED && shared.queue.is_hungry() {
                let older = self.list.drain(..self.list.len() / 2).collect();
                shared.open.fetch_add(1, AcqRel);
                shared.queue.offer(NodeTask::List(older));
            }
        }
        Ok(())
    }

    /// Puts a node on the list that the phase begins with.
    fn scan(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Stop> {
        let Some(status) = run.shared.nodes.get(node.index()) else {
            return Ok(());
        };
        let known = status.load(Relaxed);
        if known & INSIDE == 0 {
            return Ok(());
        }
        let visit = match run.phase {
            Phase::Reach => false,
            Phase::Trim => known & DEGREE == 0 && self.eliminate(status),
            Phase::Mark => {
                self.reserve_marks(run, node)?;
                status.fetch_or(QUEUED, Relaxed) & QUEUED == 0
            }
            Phase::Prune => {
                let marks = run.shared.marks.at(node.index()).swap(0, Relaxed);
                !Marks(marks).contains(run.graph.marks()) && self.eliminate(status)
            }
        };
        if visit {
            self.push(run, node)?;
        }
        Ok(())
    }

    fn push(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Stop> {
        if self.list.len() == self.list.capacity() {
            let held = self.bytes();
            let lease = |more| run.graph.tick(self.worker, held + more);
            grow(&mut self.list, 1, lease)?;
        }
        self.list.push(node);
        Ok(())
    }

    /// Removes a node from `S`; returns whether it was there.
    fn eliminate(&mut self, status: &AtomicU32) -> bool {
        let was_inside = status.fetch_and(!INSIDE, Relaxed) & INSIDE != 0;
        self.eliminated += u64::from(was_inside);
        was_inside
    }

    /// Adds the flags of a found node, and `more` to its in-degree; returns whether it is new.
    #[inline]
    fn find(&mut self, run: PhaseRun<'_, G>, node: NodeId, more: u32) -> bool {
        let status = run.shared.nodes.at(node.index());
        let known = if more > 0 {
            status.fetch_add(more, Relaxed)
        } else {
            status.load(Relaxed)
        };
        if known & FOUND != 0 {
            return false;
        }
        let inside = run.graph.layer(self.worker, node).is_some();
        let flags = if inside { FOUND | INSIDE } else { FOUND };
        let is_new = status.fetch_or(flags, Relaxed) & FOUND == 0;
        if is_new {
            self.counts.nodes += 1;
            self.entered += u64::from(inside);
        }
        is_new
    }

    fn visit(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Halt> {
        match run.phase {
            Phase::Reach => self.reach(run, node),
            Phase::Trim | Phase::Prune => self.leave(run, node).map_err(Halt::Stop),
            Phase::Mark => self.mark(run, node).map_err(Halt::Stop),
        }
    }

    /// Finds the targets of a new node, and counts its edges inside its layer.
    fn reach(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Halt> {
        let edges = self.list_edges(run, node)?;
        let layer = run.graph.layer(self.worker, node);
        self.inner.clear();
        for edge in &edges {
            let is_inner = layer.is_some() && run.graph.layer(self.worker, edge.to) == layer;
            if is_inner {
                if edge.to == node && edge.marks.contains(run.graph.marks()) {
                    return Err(Halt::Loop(node));
                }
                self.inner.push(edge.to);
            }
            if self.find(run, edge.to, u32::from(is_inner)) {
                self.push(run, edge.to)?;
            }
            let status = run.shared.nodes.at(edge.to.index());
            if status.load(Relaxed) & DEGREE >= MOST_EDGES {
                return Err(Halt::Overfull);
            }
        }
        self.edges = edges;
        if layer.is_some() {
            let Shared { lists, lease, .. } = run.shared;
            lists.write(node, &self.inner, &mut self.block, lease);
        }
        Ok(())
    }

    /// Follows the inner edges of an eliminated node.
    fn leave(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Stop> {
        if let Some(targets) = run.shared.lists.read(node) {
            self.poll(run)?;
            let word = |to: NodeId| run.shared.nodes.at(to.index()).load(Relaxed);
            black_box(targets.clone().fold(0, |sum, to| sum ^ word(to)));
            for to in targets {
                self.leave_by(run, to)?;
            }
            return Ok(());
        }
        let edges = self.list_edges(run, node)?;
        let layer = run.graph.layer(self.worker, node);
        for edge in &edges {
            if run.graph.layer(self.worker, edge.to) == layer {
                self.leave_by(run, edge.to)?;
            }
        }
        self.edges = edges;
        Ok(())
    }

    /// Takes an inner edge to `to` away.
    #[inline]
    fn leave_by(&mut self, run: PhaseRun<'_, G>, to: NodeId) -> Result<(), Stop> {
        let status = run.shared.nodes.at(to.index());
        let known = status.fetch_sub(1, Relaxed);
        if known & DEGREE == 1 && known & INSIDE != 0 && self.eliminate(status) {
            self.push(run, to)?;
        }
        Ok(())
    }

    /// Propagates the marks of a node along its inner edges.
    fn mark(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Stop> {
        let edges = self.list_edges(run, node)?;
        let layer = run.graph.layer(self.worker, node);
        // The flag first: marks that are added afterwards set it again.
        let status = run.shared.nodes.at(node.index());
        status.fetch_and(!QUEUED, AcqRel);
        let own = Marks(run.shared.marks.at(node.index()).load(Acquire));
        for edge in &edges {
            let status = run.shared.nodes.at(edge.to.index());
            let is_inner = run.graph.layer(self.worker, edge.to) == layer;
            if !is_inner || status.load(Relaxed) & INSIDE == 0 {
                continue;
            }
            self.reserve_marks(run, edge.to)?;
            let known = run.shared.marks.at(edge.to.index());
            let marks = own.union(edge.marks);
            if !Marks(known.load(Relaxed)).contains(marks)
                && !Marks(known.fetch_or(marks.0, Release)).contains(marks)
                && status.fetch_or(QUEUED, AcqRel) & QUEUED == 0
            {
                self.push(run, edge.to)?;
            }
        }
        self.edges = edges;
        Ok(())
    }

    /// Polls the budget from time to time.
    #[inline]
    fn poll(&mut self, run: PhaseRun<'_, G>) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps.is_multiple_of(TICK) {
            run.graph.tick(self.worker, self.bytes())?;
        }
        Ok(())
    }

    /// Computes all edges of a node, and prefetches the words of their targets.
    fn list_edges(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<Vec<Edge>, Stop> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        let mut cursor = G::Cursor::default();
        while let Some(edge) = run.graph.next_edge(self.worker, node, &mut cursor)? {
            self.counts.edges += 1;
            self.poll(run)?;
            self.reserve(run, edge.to)?;
            edges.push(edge);
        }
        let word = |edge: &Edge| run.shared.nodes.at(edge.to.index()).load(Relaxed);
        black_box(edges.iter().fold(0, |sum, edge| sum ^ word(edge)));
        Ok(edges)
    }

    /// Reserves the word of a node.
    #[inline]
    fn reserve(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Stop> {
        let shared = run.shared;
        reserve_in(&shared.nodes, &shared.lease, &mut self.reserved.nodes, node)
    }

    /// Reserves the marks of a node.
    #[inline]
    fn reserve_marks(&mut self, run: PhaseRun<'_, G>, node: NodeId) -> Result<(), Stop> {
        let shared = run.shared;
        reserve_in(&shared.marks, &shared.lease, &mut self.reserved.marks, node)
    }
}

/// Reserves the items of an array up to that of `node`, unless the caller has done so.
#[inline]
fn reserve_in<T: Default>(
    array: &Segments<T>,
    lease: &SharedLease,
    reserved: &mut usize,
    node: NodeId,
) -> Result<(), Stop> {
    if node.index() >= *reserved {
        let end = (node.0 | (NODE_BLOCK - 1)) as usize + 1;
        array.reserve_all(*reserved..end, lease)?;
        *reserved = end;
    }
    Ok(())
}
