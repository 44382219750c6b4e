//! The explicit engine: synchronous product × Couvreur's check.
//!
//! Decides full LTL with events on every system whose states fit into memory, and finds most
//! counterexamples after a small part of them.

use crate::problem::{Problem, note_overflow};
use crate::steps::concrete;
use crate::sync::Sync;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::{Counts, Outcome, couvreur, lasso};
use lariat_model::Lasso;

/// Runs the engine; see [`crate::Engine`].
pub fn explicit(
    problem: &Problem<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    let product = Sync::new(problem, observer);
    let mut worker = product.worker(budget);
    let mut counts = Counts::default();
    let found = couvreur(&product, &mut worker, &mut counts);
    stats.set("product_states", counts.nodes);
    stats.set("product_edges", counts.edges);
    stats.set("states", worker.states().len());
    stats.set("packed_bits", worker.states().packed_bits());
    stats.set("depth", counts.deepest);
    note_overflow(stats, problem.system, worker.states().overflow());
    let result = match found? {
        Outcome::Empty if worker.states().was_cut() => Err(Stop::Bound(
            "states with more tokens were not looked at".to_owned(),
        )),
        Outcome::Empty => Ok(Outcome::Empty),
        Outcome::Accepting(evidence) => {
            let found = lasso(&product, &mut worker, &evidence)?;
            let found = found.expect("a component found by an exact check has a lasso");
            concrete(&product, &mut worker, &found).map(Outcome::Accepting)
        }
        Outcome::Undecided(_) => unreachable!("Couvreur's check is exact"),
    };
    stats.set("bytes_peak", budget.bytes_peak());
    result
}
