//! Generalized testing automata with Couvreur's check.

use super::{Construction, TestingProduct, note_automaton, only_states};
use crate::engine::{Found, Task};
use crate::explicit::{complete, conclude, nearby_prefix, record_peak, record_search};
use lariat_emptiness::{Counts, Outcome, couvreur, lasso};

pub(crate) fn tgta(task: &mut Task<'_>) -> Found {
    only_states(task.problem)?;
    let construction = Construction::of(&task.variant);
    let automaton = construction.tgta(task.problem.automaton, task.budget)?;
    note_automaton(&mut task.account.stats, &automaton.0);
    let product = TestingProduct::generalized(task.problem, &automaton, task.observer);
    let mut worker = product.worker(task.budget);
    let mut counts = Counts::default();
    if let Some(beginning) = nearby_prefix(task, &product, &mut worker, &mut counts)? {
        record_search(task.account, &counts, worker.states());
        record_peak(task);
        return Ok(Outcome::Accepting(beginning));
    }
    let found = couvreur(&product, &mut worker, &mut counts);
    record_search(task.account, &counts, worker.states());
    let found = conclude(&product, &mut worker, found?, task.budget, lasso);
    record_peak(task);
    complete(found?, worker.states())
}
