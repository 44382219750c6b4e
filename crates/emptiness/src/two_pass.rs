//! The two-pass check for products with testing automata.
//!
//! Such a product accepts in two ways: by a cycle that carries every mark, and by a *livelock*, a
//! cycle of edges that change nothing observed, through a livelock node. All nodes of such a
//! cycle are livelock nodes or none is: without change the testing automaton does not move.
//!
//! ```text
//! first pass    Couvreur's search for a component with all marks; it may end with a livelock:
//!               an edge closes a cycle of a component without changes, at a livelock node
//! second pass   components of the graph of unchanging edges alone, from every initial node and every
//!               target of a change, until one contains a livelock node and an edge
//! ```
//!
//! The early end is the heuristic of Geldenhuys and Hansen (SPIN 2006): on violated
//! properties the second pass is then seldom needed. It is never needed if the first has met no livelock
//! node. The algorithms are those of Ben Salem, Duret-Lutz and Kordon (ToPNoC VI, 2012, Alg.
//! 2 and 3), except that initial nodes met before are not searched twice, and that both
//! passes are the one search of `scc_stack.rs`: the second on a view of the graph that holds
//! back changes.
//!
//! Cost: every edge once, or twice with a second pass, which also keeps a list of the nodes where it
//! still has to begin.

use crate::couvreur::couvreur;
use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::lasso::{Lasso, NodeSet, lasso, lasso_from_initial};
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, bytes, room, search};
use std::marker::PhantomData;

/// A graph in which staying at one observation for ever may accept.
pub trait Livelocks: Graph {
    /// The mark of all edges by which something observed changes. It is none of
    /// [`Graph::marks`].
    ///
    /// No edge with it connects two nodes of one component of the graph of edges without it.
    fn change(&self) -> Marks;

    /// Does a cycle without change through `node` accept?
    fn is_livelock(&self, worker: &Self::Worker, node: NodeId) -> bool;
}

/// Whether the first pass looks for livelocks on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FirstPass {
    /// It does, where it costs nothing: the heuristic of Geldenhuys and Hansen.
    #[default]
    Livelocks,
    /// It leaves all of them to the second pass.
    CyclesOnly,
}

/// Where an accepting run was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwoPassEvidence {
    /// A component with all marks.
    Cycle(Evidence),
    /// A component of edges without change, through livelock nodes. Unless `by_path`, the evidence begins
    /// anywhere, not at an initial node.
    Livelock {
        /// The component.
        evidence: Evidence,
        /// Does the evidence begin at an initial node?
        by_path: bool,
    },
}

impl TwoPassEvidence {
    /// A short accepting lasso: its cycle has all marks, or none of its edges a change.
    ///
    /// Fails only if the graph stops.
    pub fn lasso<G: Livelocks>(
        &self,
        graph: &G,
        worker: &mut G::Worker,
    ) -> Result<Option<Lasso>, G::Stop> {
        match self {
            TwoPassEvidence::Cycle(evidence) => lasso(graph, worker, evidence),
            TwoPassEvidence::Livelock { evidence, by_path } => {
                // Inside of the component there is no change: any cycle will do.
                let graph = AnyCycle(graph);
                match by_path {
                    true => lasso(&graph, worker, evidence),
                    false => lasso_from_initial(&graph, worker, evidence),
                }
            }
        }
    }
}

/// Does `graph` have an accepting lasso of either kind? Never answers [`Outcome::Undecided`].
///
/// `counts` adds up both passes, also when the graph stops the search.
pub fn two_pass<G: Livelocks>(
    graph: &G,
    worker: &mut G::Worker,
    first_pass: FirstPass,
    counts: &mut Counts,
) -> Result<Outcome<TwoPassEvidence>, G::Stop> {
    let (mut met, mut early) = (false, false);
    let policy = First {
        first_pass,
        met: &mut met,
        early: &mut early,
    };
    match search(graph, worker, counts, policy)? {
        Outcome::Empty if met => {}
        found => {
            return Ok(found.map(|evidence| {
                if early {
                    TwoPassEvidence::Livelock {
                        evidence,
                        by_path: true,
                    }
                } else {
                    TwoPassEvidence::Cycle(evidence)
                }
            }));
        }
    }
    let mut begin = Begin {
        worker,
        initial: None,
        more: Vec::new(),
        known: NodeSet::default(),
    };
    let view = Unchanging {
        graph,
        worker: PhantomData,
    };
    let found = couvreur(&view, &mut begin, counts)?;
    Ok(found.map(|evidence| TwoPassEvidence::Livelock {
        evidence,
        by_path: false,
    }))
}

/// The first pass: enters every unseen node and remembers livelock nodes.
struct First<'m> {
    first_pass: FirstPass,
    /// Has a livelock node been met?
    met: &'m mut bool,
    /// Has the search ended at a livelock?
    early: &'m mut bool,
}

impl<G: Livelocks> Policy<G> for First<'_> {
    fn meet(
        &mut self,
        _: &G,
        _: &mut G::Worker,
        _: &mut Counts,
        _: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(SearchMove::Enter)
    }

    fn enter(&mut self, graph: &G, worker: &G::Worker, node: NodeId, _: usize) {
        *self.met = *self.met || graph.is_livelock(worker, node);
    }

    fn accepts(&mut self, graph: &G, worker: &G::Worker, to: NodeId, marks: Marks) -> bool {
        *self.early = self.first_pass == FirstPass::Livelocks
            && marks.intersection(graph.change()).is_empty()
            && graph.is_livelock(worker, to);
        *self.early
    }
}

/// The same graph, in which every cycle accepts.
struct AnyCycle<'g, G>(&'g G);

impl<G: Graph> Graph for AnyCycle<'_, G> {
    type Stop = G::Stop;
    type Worker = G::Worker;
    type Cursor = G::Cursor;

    fn marks(&self) -> Marks {
        Marks::NONE
    }

    fn initial(&self, worker: &mut G::Worker, k: usize) -> Result<Option<NodeId>, G::Stop> {
        self.0.initial(worker, k)
    }

    fn next_edge(
        &self,
        worker: &mut G::Worker,
        node: NodeId,
        cursor: &mut G::Cursor,
    ) -> Result<Option<Edge>, G::Stop> {
        self.0.next_edge(worker, node, cursor)
    }

    fn tick(&self, worker: &mut G::Worker, bytes: usize) -> Result<(), G::Stop> {
        self.0.tick(worker, bytes)
    }
}

/// The graph of edges without change, whose targets carry a mark if they are livelock nodes. The targets
/// of changes are further initial nodes.
struct Unchanging<'g, 'w, G> {
    graph: &'g G,
    worker: PhantomData<&'w ()>,
}

/// Where the second pass has to begin.
struct Begin<'w, W> {
    worker: &'w mut W,
    /// The number of initial nodes, once it is known.
    initial: Option<usize>,
    /// Targets of changes.
    more: Vec<NodeId>,
    known: NodeSet,
}

impl<'w, G: Livelocks> Graph for Unchanging<'_, 'w, G>
where
    G::Worker: 'w,
{
    type Stop = G::Stop;
    type Worker = Begin<'w, G::Worker>;
    type Cursor = G::Cursor;

    fn marks(&self) -> Marks {
        Marks::one(0)
    }

    fn initial(&self, begin: &mut Self::Worker, k: usize) -> Result<Option<NodeId>, G::Stop> {
        if begin.initial.is_none() {
            match self.graph.initial(begin.worker, k)? {
                None => begin.initial = Some(k),
                some => return Ok(some),
            }
        }
        let passed = begin.initial.unwrap_or(k);
        Ok(begin.more.get(k - passed).copied())
    }

    fn next_edge(
        &self,
        begin: &mut Self::Worker,
        node: NodeId,
        cursor: &mut G::Cursor,
    ) -> Result<Option<Edge>, G::Stop> {
        while let Some(Edge { to, marks }) = self.graph.next_edge(begin.worker, node, cursor)? {
            if marks.contains(self.graph.change()) {
                if begin.known.insert(to) {
                    let held = bytes(&begin.more) + begin.known.bytes();
                    room(&mut begin.more, 1, |more| {
                        self.graph.tick(begin.worker, held + more)
                    })?;
                    begin.more.push(to);
                }
                continue;
            }
            let marks = if self.graph.is_livelock(begin.worker, to) {
                Marks::one(0)
            } else {
                Marks::NONE
            };
            return Ok(Some(Edge { to, marks }));
        }
        Ok(None)
    }

    fn tick(&self, begin: &mut Self::Worker, held: usize) -> Result<(), G::Stop> {
        let own = bytes(&begin.more) + begin.known.bytes();
        self.graph.tick(begin.worker, held + own)
    }
}
