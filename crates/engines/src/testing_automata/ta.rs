//! Testing automata with the two-pass check.

use super::{Construction, TestingProduct, note_automaton, only_states};
use crate::engine::{Found, Task};
use crate::explicit::{complete, conclude, nearby_prefix, record_peak, record_search};
use lariat_emptiness::{Counts, FirstPass, Outcome, two_pass};

pub(crate) fn ta(task: &mut Task<'_>) -> Found {
    only_states(task.problem)?;
    let construction = Construction::of(&task.variant);
    let automaton = construction.ta(task.problem.automaton, task.budget)?;
    note_automaton(&mut task.account.stats, &automaton.0);
    let product = TestingProduct::two_pass(task.problem, &automaton, task.observer);
    let mut worker = product.worker(task.budget);
    let mut counts = Counts::default();
    if let Some(beginning) = nearby_prefix(task, &product, &mut worker, &mut counts)? {
        record_search(task.account, &counts, worker.states());
        record_peak(task);
        return Ok(Outcome::Accepting(beginning));
    }
    let found = two_pass(&product, &mut worker, FirstPass::default(), &mut counts);
    record_search(task.account, &counts, worker.states());
    let found = conclude(
        &product,
        &mut worker,
        found?,
        task.budget,
        |product, worker, found| found.lasso(product, worker),
    );
    record_peak(task);
    complete(found?, worker.states())
}
