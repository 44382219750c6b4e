//! Couvreur's check with a question about its path.
//!
//! An infinite graph may have no cycle at all, and a depth-first search of it then runs away along one path. Somebody who knows what
//! nodes mean may see that a part of the path can be repeated for ever all the same, though each round comes to other nodes: a
//! net whose tokens pile up goes through the same steps again and again. This crate knows nothing of tokens. It asks a
//! [`PathQuestion`] at nodes that the search enters by a path of a certain length, and ends with the path where the answer is yes.
//!
//! Nothing else is different from [`couvreur`](crate::couvreur()): nodes are entered in the same order, and `Empty` is the end of a complete search. The answer of the
//! question is believed, as the edges of the graph are. Cost: the question's.

use crate::graph::{Graph, NodeId};
use crate::lasso::Lasso;
use crate::outcome::{Counts, Evidence, Outcome};
use crate::scc_stack::{Policy, SearchMove, SearchPath, search};

/// Somebody who may know that a search need not go on.
pub trait PathQuestion<G: Graph> {
    /// How many edges a path must have to be asked about.
    fn least_length(&self) -> usize;

    /// The search has come to a node that it had not seen: is there a position of its path from which the way to this node can be repeated for ever, with all
    /// marks in every round?
    fn repeats_from(
        &mut self,
        graph: &G,
        worker: &mut G::Worker,
        path: SearchPath<'_, G::Cursor>,
    ) -> Result<Option<usize>, G::Stop>;
}

/// What ended a search that asked about its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// A cycle.
    Component(Evidence),
    /// A path whose end can be repeated for ever: a lasso but for its last edge, which leads to another node than that where the cycle begins.
    Rounds(Lasso),
}

/// Does `graph` have an accepting lasso, or a path that `question` takes for one? Never answers [`Outcome::Undecided`].
///
/// `counts` is filled in also when the graph stops the search.
pub fn couvreur_asking<G: Graph>(
    graph: &G,
    worker: &mut G::Worker,
    counts: &mut Counts,
    question: &mut impl PathQuestion<G>,
) -> Result<Outcome<Sighting>, G::Stop> {
    let mut asking = Asking {
        question,
        from: None,
    };
    let found = search(graph, worker, counts, &mut asking)?;
    let from = asking.from;
    Ok(found.map(|evidence| match from {
        None => Sighting::Component(evidence),
        Some(from) => {
            let mut prefix = evidence.prefix;
            let cycle = prefix.split_off(from);
            Sighting::Rounds(Lasso {
                initial: evidence.initial,
                prefix,
                cycle,
            })
        }
    }))
}

/// Enters every unseen node, and asks.
struct Asking<'q, Q> {
    question: &'q mut Q,
    from: Option<usize>,
}

impl<G: Graph, Q: PathQuestion<G>> Policy<G> for &mut Asking<'_, Q> {
    fn meet(
        &mut self,
        _: &G,
        _: &mut G::Worker,
        _: &mut Counts,
        _: NodeId,
    ) -> Result<SearchMove, G::Stop> {
        Ok(SearchMove::Enter)
    }

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
