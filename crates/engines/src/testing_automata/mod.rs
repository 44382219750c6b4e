//! Explicit search that reads the formula's automaton by its changes: testing automata.
//!
//! | kind | automaton | check |
//! | --- | --- | --- |
//! | TA | [`Ta`](lariat_automata::testing::Ta) | [two passes](lariat_emptiness::two_pass()) |
//! | TGTA | [`Tgta`](lariat_automata::testing::Tgta) | Couvreur |
//!
//! **They rely on their caller:** the language of the automaton must be stutter-invariant
//! ([`stutter_invariant`](lariat_automata::stutter_invariant); formulas without `X` always are). An automaton alone does not tell.
//! What they can tell they refuse with [`Stop::Unsupported`]: `fires` atoms,
//! because the letter of a state then depends on the step taken next and its change is not known when a
//! step ends, and automata with so many atoms that a testing automaton would not help.

mod product;
mod ta;
mod tgta;

pub use product::{Cursor, Product, Worker};
pub(crate) use ta::ta;
pub(crate) use tgta::tgta;

use crate::problem::Problem;
use lariat_automata::testing::Testing;
use lariat_budget::{Statistic, Stats, Stop};

/// Refuses automata that read events.
pub(crate) fn only_states(problem: &Problem<'_>) -> Result<(), Stop> {
    match problem.reads_events() {
        true => Err(Stop::Unsupported(
            "testing automata read changes of states, and the formula speaks of events".to_owned(),
        )),
        false => Ok(()),
    }
}

/// The figures of the automaton that is read instead of the problem's own.
pub(crate) fn note_automaton(stats: &mut Stats, testing: &Testing) {
    stats.set(Statistic::AUTOMATON_STATES, testing.states.len());
    stats.set(Statistic::AUTOMATON_EDGES, testing.edge_count());
    stats.set(Statistic::AUTOMATON_MARKS, u64::from(testing.mark_count));
    stats.set(Statistic::TESTING_TRANSITIONS, testing.transition_count());
}
