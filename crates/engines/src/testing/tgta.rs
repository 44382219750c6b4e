//! The product with a generalized testing automaton × Couvreur's check.

use super::{Product, note_automaton, note_product, only_states};
use crate::problem::Problem;
use crate::steps::concrete;
use lariat_automata::testing::Tgta;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::{Counts, Outcome, couvreur, lasso};
use lariat_model::Lasso;

/// Runs the engine; see [`crate::Engine`]. The automaton's language must be stutter-invariant.
pub fn tgta(
    problem: &Problem<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    only_states(problem)?;
    let automaton = Tgta::new(problem.automaton, budget)?;
    note_automaton(stats, &automaton.0);
    let product = Product::generalized(problem, &automaton, observer);
    let mut worker = product.worker(budget);
    let mut counts = Counts::default();
    let found = couvreur(&product, &mut worker, &mut counts);
    note_product(stats, problem, &counts, &worker);
    let result = match found? {
        Outcome::Empty => Outcome::Empty,
        Outcome::Accepting(evidence) => {
            let found = lasso(&product, &mut worker, &evidence)?;
            let found = found.expect("a component found by an exact check has a lasso");
            Outcome::Accepting(concrete(&product, &mut worker, &found)?)
        }
        Outcome::Undecided(_) => unreachable!("Couvreur's check is exact"),
    };
    stats.set("bytes_peak", budget.bytes_peak());
    Ok(result)
}
