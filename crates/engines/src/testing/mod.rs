//! Engines that read the formula's automaton in another form: as a Büchi automaton, as a testing
//! automaton, as a generalized testing automaton.
//!
//! | engine | automaton | check | decides |
//! | --- | --- | --- | --- |
//! | [`ba`] | [degeneralized](lariat_automata::degeneralize()), marks on states | Couvreur | everything |
//! | [`ta`] | [`Ta`](lariat_automata::testing::Ta) | [two passes](lariat_emptiness::two_pass()) | stutter-invariant formulas over states |
//! | [`tgta`] | [`Tgta`](lariat_automata::testing::Tgta) | Couvreur | stutter-invariant formulas over states |
//!
//! **`ta` and `tgta` rely on their caller:** the language of the automaton must be stutter-invariant
//! ([`stutter_invariant`](lariat_automata::stutter_invariant); formulas without `X` always are). An automaton alone does not tell.
//! What they can tell they refuse with [`Stop::Unsupported`]: `fires` atoms,
//! because the letter of a state then depends on the step taken next and its change is not known when a
//! step ends, and automata with so many atoms that a testing automaton would not help.

mod ba;
mod product;
mod ta;
mod tgta;

pub use ba::{as_buchi, ba};
pub use product::{Cursor, Product, Worker};
pub use ta::ta;
pub use tgta::tgta;

use crate::problem::{Problem, note_overflow};
use lariat_automata::testing::Testing;
use lariat_budget::{Stats, Stop};
use lariat_emptiness::Counts;
use lariat_model::Proposition;

/// Refuses automata that read events.
pub(crate) fn only_states(problem: &Problem<'_>) -> Result<(), Stop> {
    let automaton = problem.automaton;
    let read = automaton
        .states
        .iter()
        .flatten()
        .fold(0, |mask, t| mask | automaton.guards.support(t.guard));
    let reads_event = problem
        .propositions
        .iter()
        .enumerate()
        .any(|(i, p)| matches!(p, Proposition::Fires(_)) && read >> i & 1 == 1);
    match reads_event {
        true => Err(Stop::Unsupported(
            "testing automata read changes of states, and the formula speaks of events".to_owned(),
        )),
        false => Ok(()),
    }
}

/// The figures of the automaton that is read instead of the problem's own.
pub(crate) fn note_automaton(stats: &mut Stats, testing: &Testing) {
    stats.set("automaton_states", testing.states.len());
    stats.set("automaton_edges", testing.edge_count());
    stats.set("automaton_marks", u64::from(testing.mark_count));
    stats.set("testing_transitions", testing.transition_count());
}

fn note_product(stats: &mut Stats, problem: &Problem<'_>, counts: &Counts, worker: &Worker) {
    stats.set("product_states", counts.nodes);
    stats.set("product_edges", counts.edges);
    stats.set("states", worker.states().len());
    stats.set("packed_bits", worker.states().packed_bits());
    stats.set("depth", counts.deepest);
    note_overflow(stats, problem.system, worker.states().overflow());
}
