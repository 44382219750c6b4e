//! Couvreur's check with an oracle for its path.
//!
//! An infinite graph may have no cycle, so a depth-first search follows one path indefinitely. An
//! oracle that knows the meaning of nodes may detect that a part of the path can be repeated
//! infinitely often although every round reaches other nodes: a net with unbounded places repeats
//! the same steps with more tokens. This crate has no notion of tokens: it calls a [`PathOracle`]
//! for every newly entered node whose path has a minimum length, and ends with the path if the
//! oracle accepts it.
//!
//! Otherwise the search equals [`couvreur`](crate::couvreur()): nodes are entered in the same
//! order, and `Empty` means an exhaustive search. The oracle's answer is trusted, like the edges of
//! the graph. Cost: that of the oracle.

use crate::graph::Graph;
use crate::lasso::GraphLasso;
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchPath, search};

/// An oracle that may end a search because of its path.
pub trait PathOracle<G: Graph> {
    /// Minimum number of edges of a path to be submitted.
    fn least_length(&self) -> usize;

    /// Called when the search has entered a new node. Returns a position of the path such that the
    /// path from there to this node can be repeated infinitely often, with all marks in every
    /// round.
    fn repeats_from(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        path: SearchPath<'_, G::Cursor>,
    ) -> Result<Option<usize>, G::Stop>;
}

/// Evidence of a search with a [`PathOracle`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathOutcome {
    /// A cycle.
    Component(Evidence),
    /// A path whose end can be repeated infinitely often: a lasso except that its last edge does
    /// not lead to the node where the cycle begins.
    Rounds(GraphLasso),
}

/// Checks whether `graph` has an accepting lasso or a path that `question` accepts. Never returns
/// [`Outcome::Undecided`].
///
/// `counts` is also filled in when the graph stops the search.
pub fn couvreur_asking<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
    question: &mut impl PathOracle<G>,
) -> Result<Outcome<PathOutcome>, G::Stop> {
    let from = None;
    let mut asking = Asking { question, from };
    let found = search(graph, worker, counts, &mut asking)?;
    let from = asking.from;
    Ok(found.map(|evidence| match from {
        None => PathOutcome::Component(evidence),
        Some(from) => {
            let (initial, mut prefix) = (evidence.initial, evidence.prefix);
            let cycle = prefix.split_off(from);
            PathOutcome::Rounds(GraphLasso {
                initial,
                prefix,
                cycle,
            })
        }
    }))
}

/// Enters every unseen node and calls the oracle.
struct Asking<'q, Q> {
    question: &'q mut Q,
    from: Option<usize>,
}

impl<G: Graph, Q: PathOracle<G>> Policy<G> for &mut Asking<'_, Q> {
    fn suffices(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        path: SearchPath<'_, G::Cursor>,
    ) -> Result<bool, G::Stop> {
        if path.edges() >= self.question.least_length() {
            self.from = self.question.repeats_from(graph, worker, path)?;
        }
        Ok(self.from.is_some())
    }
}
