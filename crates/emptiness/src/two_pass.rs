//! The two-pass check for products with testing automata.
//!
//! Such a product accepts in two ways: by a cycle with all marks, and by a *livelock*, a cycle of
//! edges that leave the observation unchanged, through a livelock node. Either all nodes of such a
//! cycle are livelock nodes or none is: without a change the testing automaton does not move.
//!
//! ```text
//! first pass    Couvreur's search for a component with all marks; it may end with a livelock:
//!               an edge closes a cycle of a component without changes, at a livelock node
//! second pass   components of the graph of unchanging edges alone, from every initial node and
//!               every target of a change, until one contains a livelock node and an edge
//! ```
//!
//! The algorithms are those of Ben Salem, Duret-Lutz and Kordon (ToPNoC VI, 2012, Alg. 2 and 3).
//! The early end is line 21 of Alg. 2; it makes the second pass rare for violated properties. The
//! experiments of that paper used the heuristic of Geldenhuys and Hansen (SPIN 2006) instead, which
//! ends early in more cases; it is not implemented. The second pass is skipped if the first has
//! reached no livelock node. Deviations: initial nodes reached before are not searched again, and
//! both passes use the search of `scc_stack.rs`, the second on a view of the graph without changes.
//!
//! Cost: every edge once, or twice with a second pass, which also stores a list of its start nodes.

use crate::couvreur::couvreur;
use crate::graph::{Edge, Graph, Marks, NodeId};
use crate::lasso::{GraphLasso, NodeSet, lasso, lasso_with_any_marks};
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, bytes, grow, search};
use std::marker::PhantomData;

/// A graph in which an infinite run without a change of the observation may accept.
pub trait LivelockGraph: Graph {
    /// The mark of all edges that change the observation. It is not in [`Graph::marks`].
    ///
    /// No edge with it connects two nodes of one component of the graph of edges without it.
    fn change(&self) -> Marks;

    /// Returns whether a cycle without changes through `node` accepts.
    fn is_livelock(&self, worker: &Self::Worker, node: NodeId) -> bool;
}

/// Livelock detection in the first pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FirstPass {
    /// Detects livelocks where this is free (line 21 of Alg. 2).
    #[default]
    Livelocks,
    /// Leaves all livelocks to the second pass.
    CyclesOnly,
}

/// Evidence of an accepting run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwoPassEvidence {
    /// A component with all marks.
    Cycle(Evidence),
    /// A component of unchanging edges through livelock nodes. Unless `by_path`, the evidence does
    /// not begin at an initial node.
    Livelock {
        /// The component.
        evidence: Evidence,
        /// True if the evidence begins at an initial node.
        by_path: bool,
    },
}

impl TwoPassEvidence {
    /// A short accepting lasso: its cycle carries all marks, or has no change.
    ///
    /// Fails only if the graph stops.
    pub fn lasso<G: LivelockGraph>(
        &self,
        graph: &G,
        worker: &mut G::Worker,
    ) -> Result<Option<GraphLasso>, G::Stop> {
        match self {
            TwoPassEvidence::Cycle(evidence) => lasso(graph, worker, evidence),
            // The component has no changes, so every cycle in it accepts.
            TwoPassEvidence::Livelock { evidence, by_path } => {
                lasso_with_any_marks(graph, worker, evidence, *by_path)
            }
        }
    }
}

/// Checks whether `graph` has an accepting lasso of either kind. Never returns
/// [`Outcome::Undecided`].
///
/// `counts` is the sum over both passes, also when the graph stops the search.
pub fn two_pass<G: LivelockGraph>(
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
            let by_path = true;
            return Ok(found.map(|evidence| {
                if early {
                    TwoPassEvidence::Livelock { evidence, by_path }
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

/// Policy of the first pass: enters every unseen node and records livelock nodes.
struct First<'m> {
    first_pass: FirstPass,
    /// True once a livelock node was entered.
    met: &'m mut bool,
    /// True if the search ended with a livelock.
    early: &'m mut bool,
}

impl<G: LivelockGraph> Policy<G> for First<'_> {
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

/// The graph of unchanging edges, marked if their target is a livelock node. Targets of changes are
/// further initial nodes.
struct Unchanging<'g, 'w, G> {
    graph: &'g G,
    worker: PhantomData<&'w ()>,
}

/// Start nodes of the second pass.
struct Begin<'w, W> {
    worker: &'w mut W,
    /// Number of initial nodes, once known.
    initial: Option<usize>,
    /// Targets of changes.
    more: Vec<NodeId>,
    known: NodeSet,
}

impl<'w, G: LivelockGraph> Graph for Unchanging<'_, 'w, G>
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
                    grow(&mut begin.more, 1, |more| {
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
