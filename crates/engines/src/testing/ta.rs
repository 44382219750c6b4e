//! The product with a testing automaton × the two-pass check.

use super::{Product, note_automaton, note_product, only_states};
use crate::problem::Problem;
use crate::steps::concrete;
use lariat_automata::testing::Ta;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::{Counts, FirstPass, Outcome, two_pass};
use lariat_model::Lasso;

/// Runs the engine; see [`crate::Engine`]. The automaton's language must be stutter-invariant.
pub fn ta(
    problem: &Problem<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    only_states(problem)?;
    let automaton = Ta::new(problem.automaton, budget)?;
    note_automaton(stats, &automaton.0);
    let product = Product::two_pass(problem, &automaton, observer);
    let mut worker = product.worker(budget);
    let mut counts = Counts::default();
    let found = two_pass(&product, &mut worker, FirstPass::default(), &mut counts);
    note_product(stats, problem, &counts, &worker);
    let result = match found? {
        Outcome::Empty => Outcome::Empty,
        Outcome::Accepting(found) => {
            let found = found.lasso(&product, &mut worker)?;
            let found = found.expect("a component found by an exact check has a lasso");
            Outcome::Accepting(concrete(&product, &mut worker, &found)?)
        }
        Outcome::Undecided(_) => unreachable!("the two-pass check is exact"),
    };
    stats.set("bytes_peak", budget.bytes_peak());
    Ok(result)
}
