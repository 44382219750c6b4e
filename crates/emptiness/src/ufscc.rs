//! UFSCC: several workers find the components of one graph together.
//!
//! Every worker runs a search of its own, each through the edges of a node in another order, and all enter what they find into one
//! structure (`union_find.rs`): as soon as one knows that two nodes lie in one component, so do all. A worker does not only skip what others have finished; in
//! the component that it is in, it goes on with any node that nobody has finished. So also a graph that is one large component, as state
//! spaces of nets often are, is divided among them.
//!
//! ```text
//! search(p, v₀):  claim(v₀); R := [v₀]; frames := [(v₀, current = v₀)]
//!   top frame (v, current):  next edge  current –m→ w, unless current is finished
//!     claim(w):  Dead   nothing
//!                New    push w on R and frames
//!                Found  while not same(top R, w):  r := pop R;  unite(r, top R, marks of the edge into r)
//!                       add m; all marks there: accepting
//!   no edge left:  finish current
//!     v ≠ top R:  pop the frame            the root of its component goes on, lower on the path
//!     else        pick(v):  some x → current := x;   none → the component is dead: pop R and the frame
//! ```
//!
//! V. Bloemen, A. Laarman, J. van de Pol, *Multi-core on-the-fly SCC decomposition*, PPoPP 2016; with marks at the roots, V. Bloemen, A. Duret-Lutz, J. van de Pol,
//! *Explicit state model checking with generalized Büchi and Rabin automata*, SPIN 2017. We differ in leaving the frames of nodes that are no roots at
//! once, which with one worker halves the edges, and in looking at all edges of a node before any is followed: cycles are
//! closed first, and edges to dead nodes need not be kept. Those that remain are written down (`kept.rs`): whoever turns to the node later, when
//! it is on the path of another, does not compute its successors again.
//!
//! *Empty is right.* When a node is finished, each of its successors is dead or in its set: `Dead` says so, `Found` makes it so, and the frame of a `New` one is
//! left when its component is dead or was united with what lies below. Of a node whose edges are kept, all others led to dead nodes or were united, with their marks, before the list was
//! told. So a set without unfinished nodes is a whole component that leads to dead ones alone. No mark is lost: of an edge
//! inside of a component, the iteration that finishes its source adds the mark before, after `Found` or when the target's entry leaves R by `unite`; it does not leave R
//! otherwise, as the component cannot be dead before the source is finished. Whoever adds the last missing mark at the root sees all of them.
//!
//! *Accepting is right* because nobody believes it: [`Clue::evidence`] is a second, sequential search, among nodes that are not dead.
//!
//! Numbers of nodes must mean the same to all workers: products intern their nodes in one shared table. Cost: 36 bytes a node, 4 for each number that no node has, 16 for each edge that waits on a
//! path, and 8 for each that is written down and for each list; an edge is computed by one worker, or by several that come by at the same time, and only then counted.

use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::kept::Kept;
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, bytes, room, search};
use crate::sync::{NODES_AT_ONCE, scope, start};
use crate::union_find::{Claim, MOST_WORKERS, Place, UnionFind};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Edges between two looks at the budget.
const TICK: u64 = 1024;

/// There is an accepting lasso: what is known of the graph, for finding it again.
#[derive(Debug)]
pub struct Clue {
    sets: UnionFind,
    /// A node of the accepting component.
    at: Place,
}

/// Does `graph` have an accepting lasso? All `workers` look for it, each but the first on a thread of its own; at most 64, and those beyond stay idle. Never answers
/// [`Outcome::Undecided`].
///
/// The first worker to find a lasso, to be stopped or to panic ends the work of all; a panic goes on in the caller. [`Outcome::Empty`] is only told when all
/// have come to their end. `counts` is filled in also when the graph stops the search. What is counted depends on who comes first, but for the nodes of an
/// empty graph.
pub fn ufscc<G>(
    graph: &G,
    workers: &mut [G::Worker],
    counts: &mut Counts,
) -> Result<Outcome<Clue>, G::Stop>
where
    G: Graph + Sync,
    G::Worker: Send,
    G::Stop: Send,
{
    let (sets, kept) = (UnionFind::new(), Kept::new());
    let most = workers.len().min(MOST_WORKERS);
    let numbered = (0..).zip(&mut workers[..most]);
    let mut searches =
        numbered.map(|(number, worker)| Search::new(graph, worker, (&sets, &kept), number));
    let first = searches.next().expect("there is a worker");
    let ends = scope(|scope| {
        let mut others = Vec::new();
        for search in searches {
            // Where there is no thread to be had, the others do the work.
            others.extend(start(scope, move || search.run()));
        }
        let mut ends = vec![first.run()];
        for other in others {
            // Whoever panics has told the others to stop.
            ends.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        ends
    });
    let mut stop = None;
    let mut accepting = None;
    for (end, counted) in ends {
        counts.nodes += counted.nodes;
        counts.edges += counted.edges;
        counts.deepest = counts.deepest.max(counted.deepest);
        match end {
            Ok(at) => accepting = accepting.or(at),
            Err(why) => stop = stop.or(Some(why)),
        }
    }
    match (accepting, stop) {
        (Some(at), _) => Ok(Outcome::Accepting(Clue { sets, at })),
        (None, Some(stop)) => Err(stop),
        (None, None) => Ok(Outcome::Empty),
    }
}

impl Clue {
    /// Where the lasso is: a search by one worker, in what all have found. A graph that can be sealed should be, before.
    pub fn evidence<G: Graph>(
        &self,
        graph: &G,
        worker: &mut G::Worker,
    ) -> Result<Evidence, G::Stop> {
        let counts = &mut Counts::default();
        let mut is_known = |node| self.sets.is_alive(node, self.at);
        if let Outcome::Accepting(evidence) = search(graph, worker, counts, Among(&mut is_known))? {
            return Ok(evidence);
        }
        // What leads there may have died before all had heard that it is over.
        match search(graph, worker, counts, Among(&mut |_| true))? {
            Outcome::Accepting(evidence) => Ok(evidence),
            _ => unreachable!("a component with all marks has a lasso"),
        }
    }
}

/// Enters the nodes of which something holds.
struct Among<'a>(&'a mut dyn FnMut(NodeId) -> bool);

impl<G: Graph> Policy<G> for Among<'_> {
    fn meet(
        &mut self,
        _: &G,
        _: &mut G::Worker,
        _: &mut Counts,
        node: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(if (self.0)(node) {
            SearchMove::Enter
        } else {
            SearchMove::Ignore
        })
    }
}

/// A node on the path.
struct Frame {
    place: Place,
    /// The node of its component whose edges are followed.
    current: Place,
    /// Where those edges begin in `pending`.
    pending: usize,
    /// The marks of the edge by which it was entered.
    marks: Marks,
}

/// One worker's search.
pub(crate) struct Search<'a, G: Graph> {
    graph: &'a G,
    worker: &'a mut G::Worker,
    sets: &'a UnionFind,
    kept: &'a Kept,
    /// Where this worker writes lists of edges next.
    block: Range<u32>,
    /// Places of nodes that it is the first to claim.
    free: Range<u32>,
    /// How many edges were read from lists.
    again: u64,
    number: u64,
    counts: Counts,
    frames: Vec<Frame>,
    /// The frames that were not united with those below: the path as components.
    roots: Vec<u32>,
    /// Edges that are still to be followed, those of the top frame last.
    pending: Vec<Edge>,
    /// Bytes of the shared structure that this worker has asked for.
    shared: usize,
    /// There is room in it for nodes with smaller numbers than this.
    reserved: usize,
    /// The state of a random sequence.
    order: u64,
}

/// Asks for bytes of what all share, beside those that a worker holds, and counts them.
fn asking<'w, G: Graph>(
    graph: &'w G,
    worker: &'w mut G::Worker,
    held: usize,
    shared: &'w mut usize,
) -> impl FnMut(usize) -> Result<(), G::Stop> + 'w {
    move |more| {
        graph.tick(worker, held + more)?;
        *shared += more;
        Ok(())
    }
}

/// A node of an accepting component, if one was found; `None` also where others have ended the search.
pub(crate) type End = Option<Place>;

impl<'a, G: Graph> Search<'a, G> {
    pub(crate) fn new(
        graph: &'a G,
        worker: &'a mut G::Worker,
        (sets, kept): (&'a UnionFind, &'a Kept),
        number: u64,
    ) -> Search<'a, G> {
        Search {
            graph,
            worker,
            sets,
            kept,
            block: 0..0,
            free: 0..0,
            again: 0,
            number,
            counts: Counts::default(),
            frames: Vec::new(),
            roots: Vec::new(),
            pending: Vec::new(),
            shared: 0,
            reserved: 0,
            order: number + 1,
        }
    }

    pub(crate) fn run(mut self) -> (Result<End, G::Stop>, Counts) {
        // A worker that is lost keeps nobody waiting: neither here nor at what the graph shares.
        let end = catch_unwind(AssertUnwindSafe(|| self.search()));
        if !matches!(end, Ok(Ok(None))) {
            self.sets.end();
        }
        self.graph.rest(self.worker);
        (
            end.unwrap_or_else(|panic| resume_unwind(panic)),
            self.counts,
        )
    }

    fn bit(&self) -> u64 {
        1 << self.number
    }

    fn search(&mut self) -> Result<End, G::Stop> {
        let mut k = 0;
        while !self.sets.is_over()
            && let Some(node) = self.graph.initial(self.worker, k)?
        {
            k += 1;
            self.reserve(node)?;
            if let Claim::New(place) = self.claim(node)?
                && let Some(found) = self.enter(place, Marks::NONE)?
            {
                return Ok(Some(found));
            }
            if let Some(found) = self.explore()? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Searches until the path is empty again.
    fn explore(&mut self) -> Result<End, G::Stop> {
        while let Some(frame) = self.frames.last_mut() {
            if self.sets.is_over() {
                return Ok(None);
            }
            let Frame {
                place,
                current,
                pending,
                ..
            } = *frame;
            if self.sets.is_finished(current) {
                self.pending.truncate(pending);
            }
            let found = if self.pending.len() > pending {
                self.follow_next()?
            } else {
                self.sets.finish(current);
                let is_root = self.roots.last() == Some(&(self.frames.len() as u32 - 1));
                match is_root.then(|| self.sets.pick(place)) {
                    Some(Some(next)) => self.turn_to(next)?,
                    // Dead, or the root goes on.
                    other => {
                        self.frames.pop();
                        self.roots
                            .truncate(self.roots.len() - usize::from(other.is_some()));
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
    fn claim(&mut self, node: NodeId) -> Result<Claim<Place>, G::Stop> {
        if self.free.is_empty() {
            let sets = self.sets;
            self.free = sets.free_places(self.asking())?;
        }
        let free = Place(self.free.start);
        let claim = self.sets.claim(node, self.bit(), free);
        if claim == Claim::New(free) {
            self.free.start += 1;
            self.counts.nodes += 1;
        }
        Ok(claim)
    }

    /// Puts a node on the path that this worker has claimed.
    fn enter(&mut self, place: Place, marks: Marks) -> Result<End, G::Stop> {
        let held = self.bytes();
        let mut ask = |more| self.graph.tick(self.worker, held + more);
        room(&mut self.frames, 1, &mut ask)?;
        room(&mut self.roots, 1, &mut ask)?;
        self.roots.push(self.frames.len() as u32);
        self.frames.push(Frame {
            place,
            current: place,
            pending: self.pending.len(),
            marks,
        });
        self.counts.deepest = self.counts.deepest.max(self.frames.len() as u64);
        self.turn_to(place)
    }

    /// Looks at the edges of a node in the component of the top frame. Those to nodes that this worker has not claimed are kept.
    fn turn_to(&mut self, current: Place) -> Result<End, G::Stop> {
        let Some(frame) = self.frames.last_mut() else {
            unreachable!("edges are followed from a frame");
        };
        frame.current = current;
        let start = frame.pending;
        if self.sets.is_finished(current) {
            return Ok(None);
        }
        let known = self.sets.kept(current);
        match known {
            Some(list) => self.list_again(list)?,
            None => self.list(self.sets.node(current))?,
        }
        // All at once, in the place of waiting for memory at each.
        self.sets
            .touch(self.pending[start..].iter().map(|edge| edge.to));
        let mut kept = start;
        for at in start..self.pending.len() {
            let edge = self.pending[at];
            match self.sets.look(edge.to, self.bit()) {
                Claim::Dead => {}
                Claim::Found(at) => {
                    if let Some(found) = self.close(at, edge.marks) {
                        return Ok(Some(found));
                    }
                }
                Claim::New(_) => {
                    self.pending[kept] = edge;
                    kept += 1;
                }
            }
        }
        self.pending.truncate(kept);
        if known.is_none() && kept > start {
            self.keep(current, start)?;
        }
        self.arrange(start);
        Ok(None)
    }

    /// Lists all edges of a node.
    fn list(&mut self, node: NodeId) -> Result<(), G::Stop> {
        let mut cursor = G::Cursor::default();
        while let Some(edge) = self.graph.next_edge(self.worker, node, &mut cursor)? {
            self.counts.edges += 1;
            if self.counts.edges.is_multiple_of(TICK) {
                self.graph.tick(self.worker, self.bytes())?;
            }
            self.reserve(edge.to)?;
            self.put(edge)?;
        }
        Ok(())
    }

    /// An edge that is still to be followed.
    #[inline]
    fn put(&mut self, edge: Edge) -> Result<(), G::Stop> {
        if self.pending.len() == self.pending.capacity() {
            let held = self.bytes();
            let ask = |more| self.graph.tick(self.worker, held + more);
            room(&mut self.pending, 1, ask)?;
        }
        self.pending.push(edge);
        Ok(())
    }

    /// Lists the edges of a node that were kept when one looked at it before.
    fn list_again(&mut self, list: u32) -> Result<(), G::Stop> {
        for edge in self.kept.read(list) {
            self.again += 1;
            if self.again.is_multiple_of(TICK) {
                self.graph.tick(self.worker, self.bytes())?;
            }
            self.put(edge)?;
        }
        Ok(())
    }

    /// Writes down for the others which edges of a node remain, from `start` on.
    fn keep(&mut self, place: Place, start: usize) -> Result<(), G::Stop> {
        let held = self.bytes();
        let ask = asking(self.graph, self.worker, held, &mut self.shared);
        let edges = &self.pending[start..];
        let list = self.kept.write(edges, &mut self.block, ask)?;
        if let Some(list) = list {
            self.sets.keep(place, list);
        }
        Ok(())
    }

    /// The first worker follows edges as the graph tells them, the others beginning anywhere.
    fn arrange(&mut self, start: usize) {
        let edges = &mut self.pending[start..];
        edges.reverse();
        if self.number > 0 && edges.len() > 1 {
            // Marsaglia's xorshift.
            self.order ^= self.order << 13;
            self.order ^= self.order >> 7;
            self.order ^= self.order << 17;
            edges.rotate_left(self.order as usize % edges.len());
        }
    }

    /// Follows the last edge of those that are kept.
    fn follow_next(&mut self) -> Result<End, G::Stop> {
        let Some(edge) = self.pending.pop() else {
            return Ok(None);
        };
        match self.claim(edge.to)? {
            Claim::Dead => Ok(None),
            Claim::Found(at) => Ok(self.close(at, edge.marks)),
            Claim::New(place) => self.enter(place, edge.marks),
        }
    }

    /// An edge of the top frame, with these marks, leads to a component on the path, which has a node at this place: all from there on are one.
    fn close(&mut self, to: Place, marks: Marks) -> End {
        let all = self.graph.marks();
        let mut lowest = self.roots.len() - 1;
        loop {
            let place = self.frames[self.roots[lowest] as usize].place;
            if self.sets.same(place, to) {
                break;
            }
            if self.sets.is_over() {
                return None;
            }
            assert!(lowest > 0, "what was found lies on the path");
            lowest -= 1;
        }
        // From below, so that each hangs from the lowest at once. Lists are joined where the path is, and not at its beginning, which everybody looks at.
        for above in self.roots.drain(lowest + 1..) {
            let [.., below, above] = &self.frames[..=above as usize] else {
                unreachable!("the first frame is the lowest root");
            };
            let marks = self.sets.unite(above.place, below.current, above.marks);
            if marks.contains(all) {
                return Some(above.place);
            }
        }
        // Who brings nothing cannot have brought the last mark; without any marks every cycle will do.
        let brings = marks != Marks::NONE || all == Marks::NONE;
        (brings && self.sets.mark(to, marks).contains(all)).then_some(to)
    }

    /// Makes room for a node in the shared structure.
    #[inline]
    fn reserve(&mut self, node: NodeId) -> Result<(), G::Stop> {
        if node.index() < self.reserved {
            return Ok(());
        }
        self.reserve_up_to(node)
    }

    fn reserve_up_to(&mut self, node: NodeId) -> Result<(), G::Stop> {
        // For the next ones, too.
        let last = NodeId(node.0 | (NODES_AT_ONCE - 1));
        let (sets, from) = (self.sets, self.reserved);
        sets.reserve(from, last, self.asking())?;
        self.reserved = last.index() + 1;
        Ok(())
    }

    /// Asks for bytes of what all share.
    fn asking(&mut self) -> impl FnMut(usize) -> Result<(), G::Stop> + '_ {
        let held = self.bytes();
        asking(self.graph, self.worker, held, &mut self.shared)
    }

    fn bytes(&self) -> usize {
        bytes(&self.frames) + bytes(&self.roots) + bytes(&self.pending) + self.shared
    }
}
