//! A depth-first and a breadth-first search of one product at the same time.
//!
//! The calling thread runs Couvreur's search, which finds most counterexamples after a small part
//! of the product. The other workers run the parallel check [`owcty`], which divides an exhaustive
//! search evenly. All share the states and the numbers of product nodes, behind a gate and in
//! lock-free arrays. The first conclusive result cancels the other search. A search that ends
//! without a result, for lack of memory, leaves the other one running.

use super::covering::OnPath;
use super::product::{ExplicitProduct, ExplicitWorker};
use lariat_budget::{Abort, Budget, Stop};
use lariat_emptiness::{Counts, Outcome, PathOutcome, Remaining, couvreur, couvreur_asking, owcty};
use lariat_parallel::Outside;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// Number of workers from which on they search together. A shared table of states is slower than a
/// private one, and `owcty` visits some edges twice, so fewer workers would not pay.
pub(super) const LEAST_WORKERS: usize = 4;

/// The evidence of the search that has decided.
pub(super) enum Sighting {
    /// Of the depth-first search.
    Path(PathOutcome),
    /// Of the breadth-first search.
    Nodes(Remaining),
}

/// The result of a search, and its counts.
type End<T> = (Result<Outcome<T>, Stop>, Counts);

/// Searches the product with several workers; `on_path` is the oracle of the depth-first search.
pub(super) fn search_together(
    product: &ExplicitProduct<'_>,
    workers: &mut [ExplicitWorker],
    on_path: &mut Option<OnPath<'_>>,
    budget: &Budget,
    counts: &mut Counts,
) -> Result<Outcome<Sighting>, Stop> {
    let Some((first, others)) = workers.split_first_mut() else {
        unreachable!("there is a worker");
    };
    let (ends_path, ends_nodes) = (Abort::default(), Abort::default());
    let path_budget = budget.clone().with_abort(&ends_path);
    let nodes_budget = budget.clone().with_abort(&ends_nodes);
    first.set_budget(&path_budget);
    for other in &mut *others {
        other.set_budget(&nodes_budget);
    }
    let (by_path, by_nodes) = scope(|scope| {
        let breadth_first = || -> End<Remaining> {
            let mut counts = Counts::default();
            let found = owcty(product, others, &nodes_budget, &mut counts);
            if is_conclusive(&found) {
                ends_path.because(Stop::Interrupted);
            }
            (found, counts)
        };
        let thread = Builder::new().name("owcty".to_owned());
        // If no thread can be created, the caller does all the work.
        let thread = thread.spawn_scoped(scope, breadth_first).ok();
        let by_path = depth_first(product, first, on_path);
        if is_conclusive(&by_path.0) {
            ends_nodes.because(Stop::Interrupted);
        }
        first.states.rest();
        let outside = Outside::of_thread(budget);
        let by_nodes = thread.map(|thread| outside.join(thread));
        (by_path, by_nodes.transpose())
    });
    first.set_budget(budget);
    let by_nodes = by_nodes.unwrap_or_else(|panic| resume_unwind(panic));
    if let Some((found, counted)) = by_nodes
        && is_conclusive(&found)
        && !is_conclusive(&by_path.0)
    {
        *counts = counted;
        return found.map(|found| found.map(Sighting::Nodes));
    }
    *counts = by_path.1;
    by_path.0.map(|found| found.map(Sighting::Path))
}

fn is_conclusive<T>(found: &Result<Outcome<T>, Stop>) -> bool {
    matches!(found, Ok(Outcome::Empty | Outcome::Accepting(_)))
}

fn depth_first(
    product: &ExplicitProduct<'_>,
    worker: &mut ExplicitWorker,
    on_path: &mut Option<OnPath<'_>>,
) -> End<PathOutcome> {
    let mut counts = Counts::default();
    let found = match on_path {
        Some(oracle) => couvreur_asking(product, worker, &mut counts, oracle),
        None => {
            couvreur(product, worker, &mut counts).map(|found| found.map(PathOutcome::Component))
        }
    };
    (found, counts)
}
