//! UFSCC: several worker threads compute the components of one graph together.
//!
//! Each worker runs a depth-first search that follows the edges of a node in a different order. All
//! workers record their results in one concurrent union-find (`union_find.rs`): once one worker
//! knows that two nodes are in one component, all do. A worker skips completed components of other
//! workers; inside its current component it continues from any node that no worker has finished. So
//! even a graph that is one large component, as state spaces of nets often are, is divided among
//! the workers.
//!
//! ```text
//! search(p, v₀):  claim(v₀); R := [v₀]; frames := [(v₀, current = v₀)]
//!   top frame (v, current):  next edge  current –m→ w, unless current is finished
//!     claim(w):  Dead   nothing
//!                New    push w on R and frames
//!                Found  while not same(top R, w):  r := pop R;  unite(r, top R, marks into r)
//!                       add m; all marks there: accepting
//!   no edge left:  finish current
//!     v ≠ top R:  pop the frame            the root of its component continues below
//!     else        pick(v):  some x → current := x;   none → dead: pop R and the frame
//! ```
//!
//! V. Bloemen, A. Laarman, J. van de Pol, *Multi-core on-the-fly SCC decomposition*, PPoPP 2016;
//! with marks at the roots, V. Bloemen, A. Duret-Lutz, J. van de Pol, *Explicit state model
//! checking with generalized Büchi and Rabin automata*, SPIN 2017. Two deviations: the frame of a
//! node that is no root is popped immediately, which with one worker halves the number of edges;
//! and all edges of a node are examined before any is followed, so cycles are closed first and
//! edges to dead nodes are not stored. The remaining edges are recorded (`pending_edges.rs`): a
//! worker that continues from this node later, on another worker's path, does not compute its
//! successors again.
//!
//! *Empty is correct.* When a node is finished, each of its successors is dead or in its set:
//! `Dead` states it, `Found` unites them, and the frame of a `NewSteps` successor is popped when
//! its component is dead or was united with one below. If the edges of a node are recorded, all its
//! other edges led to dead nodes or were united, with their marks, before the list was published.
//! So a set without unfinished nodes is a complete component with edges to dead ones only. No mark
//! is lost: for an edge inside a component, the iteration that finishes its source has added the
//! mark before, after `Found` or when the target's entry left R by `unite`. The entry cannot leave
//! R otherwise, because the component is not dead before the source is finished. The worker that
//! adds the last missing mark at the root sees all marks.
//!
//! *Accepting is verified*: [`LassoHint::evidence`] is a second, sequential search among nodes that
//! are not dead.
//!
//! Node ids must be the same for all workers: products intern their nodes in one shared table.
//! Cost: 36 bytes per node, 4 per unused node id, 16 per pending edge on a path, and 8 per recorded
//! edge and per list. An edge is computed by one worker, or by several that examine its source at
//! the same time; each computation is counted.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::lasso_hint::LassoHint;
use crate::outcome::{Counts, Outcome};
use crate::pending_edges::PendingEdges;
use crate::scc_stack::{bytes, grow};
use crate::sync::NODE_BLOCK;
use crate::threads::in_threads;
use crate::union_find::{Claim, EntryIndex, UnionFind};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Edges between two budget polls.
const TICK: u64 = 1024;

/// The structures that all workers share; both synchronize internally.
#[derive(Debug)]
pub(crate) struct UfsccShared {
    pub sets: UnionFind,
    pub edges: PendingEdges,
}

impl UfsccShared {
    pub(crate) fn new() -> UfsccShared {
        UfsccShared {
            sets: UnionFind::new(),
            edges: PendingEdges::new(),
        }
    }
}

/// Checks whether `graph` has an accepting lasso. The first of `workers` runs in the calling
/// thread, each other one in a separate thread; at most 64 are used. Never returns
/// [`Outcome::Undecided`].
///
/// The first worker that finds a lasso, is stopped or panics cancels the others; a panic is resumed
/// in the caller. [`Outcome::Empty`] requires that all workers have completed. `counts` is also
/// filled in when the graph stops the search. It depends on the schedule, except the number of
/// nodes of a graph without accepting lasso.
pub fn ufscc<G>(
    graph: &G,
    workers: &mut [G::Worker],
    counts: &mut Counts,
) -> Result<Outcome<LassoHint>, G::Stop>
where
    G: Graph + Sync,
    G::Worker: Send,
    G::Stop: Send,
{
    let shared = UfsccShared::new();
    let accepting = in_threads(workers, counts, |worker, number| {
        UfsccWorker::new(graph, worker, &shared, number).run()
    })?;
    Ok(match accepting {
        Some(at) => Outcome::Accepting(LassoHint {
            sets: shared.sets,
            at,
        }),
        None => Outcome::Empty,
    })
}

/// Targets of edges that a search leaves to another one, as if they were dead.
pub(crate) trait Aside<G: Graph> {
    /// Returns whether the search ignores edges to `node`.
    #[inline]
    fn takes(&self, _graph: &G, _worker: &G::Worker, _node: NodeId) -> bool {
        false
    }

    /// Called for an edge from `from` to an ignored node `to`, whose index is reserved. `lease`
    /// leases bytes in addition to those held. Returns whether `to` is new.
    fn reach(
        &mut self,
        _sets: &UnionFind,
        _from: NodeId,
        _to: NodeId,
        _lease: impl FnMut(usize) -> Result<(), G::Stop>,
    ) -> Result<bool, G::Stop> {
        Ok(false)
    }

    /// Called about every thousand computed edges.
    fn tick(&mut self) {}

    /// Bytes held.
    #[inline]
    fn bytes(&self) -> usize {
        0
    }
}

/// No edge is ignored.
pub(crate) struct NothingAside;

impl<G: Graph> Aside<G> for NothingAside {}

/// A node on the path.
struct Frame {
    entry: EntryIndex,
    /// The node of its component whose edges are being followed.
    current: EntryIndex,
    /// Start of those edges in `pending`.
    pending: usize,
    /// Marks of the edge by which the node was entered.
    marks: Marks,
}

/// The search of one worker.
pub(crate) struct UfsccWorker<'a, G: Graph, A = NothingAside> {
    pub graph: &'a G,
    pub worker: &'a mut G::Worker,
    shared: &'a UfsccShared,
    number: u64,
    path: UfsccPath,
    blocks: UfsccBlocks,
    pub aside: A,
    pub counts: Counts,
    /// Number of edges read from recorded lists.
    reread: u64,
    /// State of the random generator.
    order: u64,
}

/// The depth-first path of one worker.
#[derive(Default)]
struct UfsccPath {
    frames: Vec<Frame>,
    /// The frames that were not united with those below: the path as components.
    roots: Vec<u32>,
    /// Edges still to be followed, those of the top frame last.
    pending: Vec<Edge>,
}

impl UfsccPath {
    fn bytes(&self) -> usize {
        bytes(&self.frames) + bytes(&self.roots) + bytes(&self.pending)
    }
}

/// Parts of the shared structures that one worker has allocated.
#[derive(Default)]
struct UfsccBlocks {
    /// Free words for edge lists.
    edges: Range<u32>,
    /// Free entries, for nodes that the worker is the first to claim.
    entries: Range<u32>,
    /// Nodes with smaller ids have their index allocated.
    nodes: usize,
    /// Bytes leased by this worker.
    bytes: usize,
}

/// Returns a function that leases bytes of the shared structures, in addition to the `held` bytes
/// of the worker, and adds them to `leased`.
fn leasing<'w, G: Graph>(
    graph: &'w G,
    worker: &'w mut G::Worker,
    held: usize,
    leased: &'w mut usize,
) -> impl FnMut(usize) -> Result<(), G::Stop> + 'w {
    move |more| {
        graph.lease(worker, held + more)?;
        *leased += more;
        Ok(())
    }
}

/// An entry of an accepting component; `None` if the search is complete or was cancelled.
pub(crate) type AcceptingEntry = Option<EntryIndex>;

impl<'a, G: Graph> UfsccWorker<'a, G> {
    pub(crate) fn new(
        graph: &'a G,
        worker: &'a mut G::Worker,
        shared: &'a UfsccShared,
        number: u64,
    ) -> UfsccWorker<'a, G> {
        UfsccWorker::with_aside(graph, worker, shared, number, NothingAside)
    }

    pub(crate) fn run(mut self) -> (Result<AcceptingEntry, G::Stop>, Counts) {
        // After a panic the other workers must not wait, neither here nor for the graph.
        let end = catch_unwind(AssertUnwindSafe(|| self.search()));
        if !matches!(end, Ok(Ok(None))) {
            self.shared.sets.cancel();
        }
        self.graph.rest(self.worker);
        (
            end.unwrap_or_else(|panic| resume_unwind(panic)),
            self.counts,
        )
    }

    fn search(&mut self) -> Result<AcceptingEntry, G::Stop> {
        let mut k = 0;
        while !self.sets().is_cancelled()
            && let Some(node) = self.graph.initial(self.worker, k)?
        {
            k += 1;
            if let Some(found) = self.search_from(node)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl<'a, G: Graph, A: Aside<G>> UfsccWorker<'a, G, A> {
    pub(crate) fn with_aside(
        graph: &'a G,
        worker: &'a mut G::Worker,
        shared: &'a UfsccShared,
        number: u64,
        aside: A,
    ) -> UfsccWorker<'a, G, A> {
        UfsccWorker {
            graph,
            worker,
            shared,
            number,
            path: UfsccPath::default(),
            blocks: UfsccBlocks::default(),
            aside,
            counts: Counts::default(),
            reread: 0,
            order: number + 1,
        }
    }

    pub(crate) fn sets(&self) -> &'a UnionFind {
        &self.shared.sets
    }

    fn bit(&self) -> u64 {
        1 << self.number
    }

    /// Searches from a node, with an empty path.
    pub(crate) fn search_from(&mut self, node: NodeId) -> Result<AcceptingEntry, G::Stop> {
        self.reserve(node)?;
        if let Claim::New(entry) = self.claim(node)?
            && let Some(found) = self.enter(entry, Marks::NONE)?
        {
            return Ok(Some(found));
        }
        self.explore()
    }

    /// Lists the edges of a node outside of the search, for [`next_target`](Self::next_target):
    /// those that are not [aside](Aside).
    pub(crate) fn list_edges(&mut self, node: NodeId) -> Result<(), G::Stop> {
        self.compute_edges(node)
    }

    /// Removes and returns the target of the last listed edge.
    pub(crate) fn next_target(&mut self) -> Option<NodeId> {
        self.path.pending.pop().map(|edge| edge.to)
    }

    /// Searches until the path is empty.
    fn explore(&mut self) -> Result<AcceptingEntry, G::Stop> {
        while let Some(frame) = self.path.frames.last() {
            if self.sets().is_cancelled() {
                return Ok(None);
            }
            let Frame {
                entry,
                current,
                pending,
                ..
            } = *frame;
            if self.sets().is_finished(current) {
                self.path.pending.truncate(pending);
            }
            let found = if self.path.pending.len() > pending {
                self.follow_next()?
            } else {
                self.sets().finish(current);
                let top = self.path.frames.len() as u32 - 1;
                let is_root = self.path.roots.last() == Some(&top);
                match is_root.then(|| self.sets().pick(entry)) {
                    Some(Some(next)) => self.set_current(next)?,
                    // The component is dead, or its root continues.
                    other => {
                        self.path.frames.pop();
                        let roots = self.path.roots.len() - usize::from(other.is_some());
                        self.path.roots.truncate(roots);
                        None
                    }
                }
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Claims a node for this worker.
    fn claim(&mut self, node: NodeId) -> Result<Claim<EntryIndex>, G::Stop> {
        let sets = self.sets();
        if self.blocks.entries.is_empty() {
            self.blocks.entries = sets.free_entries(self.leasing())?;
        }
        let free = EntryIndex(self.blocks.entries.start);
        let claim = sets.claim(node, self.bit(), free);
        if claim == Claim::New(free) {
            self.blocks.entries.start += 1;
            self.counts.nodes += 1;
        }
        Ok(claim)
    }

    /// Pushes a node that this worker has claimed onto the path.
    fn enter(&mut self, entry: EntryIndex, marks: Marks) -> Result<AcceptingEntry, G::Stop> {
        let held = self.bytes();
        let mut lease = |more| self.graph.tick(self.worker, held + more);
        let path = &mut self.path;
        grow(&mut path.frames, 1, &mut lease)?;
        grow(&mut path.roots, 1, &mut lease)?;
        path.roots.push(path.frames.len() as u32);
        path.frames.push(Frame {
            entry,
            current: entry,
            pending: path.pending.len(),
            marks,
        });
        self.counts.deepest = self.counts.deepest.max(path.frames.len() as u64);
        self.set_current(entry)
    }

    /// Examines the edges of a node in the component of the top frame. Edges to nodes that this
    /// worker has not claimed become pending.
    fn set_current(&mut self, current: EntryIndex) -> Result<AcceptingEntry, G::Stop> {
        let sets = self.sets();
        let Some(frame) = self.path.frames.last_mut() else {
            unreachable!("edges are followed from a frame");
        };
        frame.current = current;
        let start = frame.pending;
        if sets.is_finished(current) {
            return Ok(None);
        }
        let recorded = sets.edge_list(current);
        match recorded {
            Some(list) => self.read_edges(list)?,
            None => self.compute_edges(sets.node(current))?,
        }
        // All targets together, so that their cache misses overlap.
        sets.prefetch(self.path.pending[start..].iter().map(|edge| edge.to));
        let mut kept = start;
        for at in start..self.path.pending.len() {
            let edge = self.path.pending[at];
            match sets.peek(edge.to, self.bit()) {
                Claim::Dead => {}
                Claim::Found(at) => {
                    if let Some(found) = self.close_cycle(at, edge.marks) {
                        return Ok(Some(found));
                    }
                }
                Claim::New(_) => {
                    self.path.pending[kept] = edge;
                    kept += 1;
                }
            }
        }
        self.path.pending.truncate(kept);
        if recorded.is_none() && kept > start {
            self.record_edges(current, start)?;
        }
        self.order_pending(start);
        Ok(None)
    }

    /// Appends all edges of a node to the pending ones.
    fn compute_edges(&mut self, node: NodeId) -> Result<(), G::Stop> {
        let mut cursor = G::Cursor::default();
        while let Some(edge) = self.graph.next_edge(self.worker, node, &mut cursor)? {
            self.counts.edges += 1;
            if self.counts.edges.is_multiple_of(TICK) {
                self.graph.tick(self.worker, self.bytes())?;
                self.aside.tick();
            }
            self.reserve(edge.to)?;
            if self.aside.takes(self.graph, self.worker, edge.to) {
                self.reach_aside(node, edge.to)?;
            } else {
                self.push_pending(edge)?;
            }
        }
        Ok(())
    }

    /// Leaves a node to the other search.
    pub(crate) fn reach_aside(&mut self, from: NodeId, to: NodeId) -> Result<(), G::Stop> {
        let (sets, held) = (self.sets(), self.bytes());
        let lease = |more| self.graph.lease(self.worker, held + more);
        let is_new = self.aside.reach(sets, from, to, lease)?;
        self.counts.nodes += u64::from(is_new);
        Ok(())
    }

    #[inline]
    fn push_pending(&mut self, edge: Edge) -> Result<(), G::Stop> {
        if self.path.pending.len() == self.path.pending.capacity() {
            let held = self.bytes();
            let lease = |more| self.graph.tick(self.worker, held + more);
            grow(&mut self.path.pending, 1, lease)?;
        }
        self.path.pending.push(edge);
        Ok(())
    }

    /// Appends the edges of a recorded list to the pending ones.
    fn read_edges(&mut self, list: u32) -> Result<(), G::Stop> {
        for edge in self.shared.edges.read(list) {
            self.reread += 1;
            if self.reread.is_multiple_of(TICK) {
                self.graph.tick(self.worker, self.bytes())?;
            }
            self.push_pending(edge)?;
        }
        Ok(())
    }

    /// Records the pending edges from `start` on as the remaining edges of a node.
    fn record_edges(&mut self, entry: EntryIndex, start: usize) -> Result<(), G::Stop> {
        let held = self.bytes();
        let lease = leasing(self.graph, self.worker, held, &mut self.blocks.bytes);
        let edges = &self.path.pending[start..];
        let list = self
            .shared
            .edges
            .write(edges, &mut self.blocks.edges, lease)?;
        if let Some(list) = list {
            self.sets().set_edge_list(entry, list);
        }
        Ok(())
    }

    /// Worker 0 follows edges in the order of the graph, the others from a random start.
    fn order_pending(&mut self, start: usize) {
        let edges = &mut self.path.pending[start..];
        edges.reverse();
        if self.number > 0 && edges.len() > 1 {
            // Marsaglia's xorshift.
            self.order ^= self.order << 13;
            self.order ^= self.order >> 7;
            self.order ^= self.order << 17;
            edges.rotate_left(self.order as usize % edges.len());
        }
    }

    /// Follows the last pending edge.
    fn follow_next(&mut self) -> Result<AcceptingEntry, G::Stop> {
        let Some(edge) = self.path.pending.pop() else {
            return Ok(None);
        };
        match self.claim(edge.to)? {
            Claim::Dead => Ok(None),
            Claim::Found(at) => Ok(self.close_cycle(at, edge.marks)),
            Claim::New(entry) => self.enter(entry, edge.marks),
        }
    }

    /// Closes a cycle by an edge of the top frame, with these marks, to the component of `to`,
    /// which is on the path: unites all components from there on.
    fn close_cycle(&mut self, to: EntryIndex, marks: Marks) -> AcceptingEntry {
        let all = self.graph.marks();
        let sets = self.sets();
        let UfsccPath { frames, roots, .. } = &mut self.path;
        let mut lowest = roots.len() - 1;
        while !sets.same(frames[roots[lowest] as usize].entry, to) {
            if sets.is_cancelled() {
                return None;
            }
            assert!(lowest > 0, "a component that was found is on the path");
            lowest -= 1;
        }
        // From below, so that each set is attached to the lowest root directly. Lists are joined at
        // the current nodes, because all workers access the start of the list.
        for above in roots.drain(lowest + 1..) {
            let [.., below, above] = &frames[..=above as usize] else {
                unreachable!("the first frame is the lowest root");
            };
            let marks = sets.unite(above.entry, below.current, above.marks);
            if marks.contains(all) {
                return Some(above.entry);
            }
        }
        // An edge without marks cannot complete them, unless every cycle accepts.
        let adds = marks != Marks::NONE || all == Marks::NONE;
        (adds && sets.mark(to, marks).contains(all)).then_some(to)
    }

    /// Reserves the index of a node in the shared structure.
    #[inline]
    pub(crate) fn reserve(&mut self, node: NodeId) -> Result<(), G::Stop> {
        if node.index() < self.blocks.nodes {
            return Ok(());
        }
        self.reserve_block(node)
    }

    fn reserve_block(&mut self, node: NodeId) -> Result<(), G::Stop> {
        let last = NodeId(node.0 | (NODE_BLOCK - 1));
        let (sets, from) = (self.sets(), self.blocks.nodes);
        sets.reserve(from, last, self.leasing())?;
        self.blocks.nodes = last.index() + 1;
        Ok(())
    }

    /// Returns a function that leases bytes of the shared structures.
    fn leasing(&mut self) -> impl FnMut(usize) -> Result<(), G::Stop> + '_ {
        let held = self.bytes();
        leasing(self.graph, self.worker, held, &mut self.blocks.bytes)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.path.bytes() + self.blocks.bytes + self.aside.bytes()
    }
}
