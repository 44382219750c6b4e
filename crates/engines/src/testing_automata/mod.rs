//! Explicit search that reads the formula's automaton by its changes: testing automata.
//!
//! | kind | automaton | check |
//! | --- | --- | --- |
//! | TA | [`Ta`] | [two passes](lariat_emptiness::two_pass()) |
//! | TGTA | [`Tgta`] | Couvreur |
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

use crate::engine::Variant;
use crate::problem::Problem;
use lariat_automata::Automaton;
use lariat_automata::testing::{Ta, Testing, Tgta};
use lariat_budget::{Budget, Statistic, Stats, Stop};

/// Whose testing automata are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Construction {
    /// As small as we can make them.
    Ours,
    /// As Ben Salem, Duret-Lutz and Kordon make them.
    Published,
}

impl Construction {
    /// What a variant asks for.
    pub fn of(variant: &Variant) -> Construction {
        if variant.published {
            Construction::Published
        } else {
            Construction::Ours
        }
    }

    pub(crate) fn ta(self, a: &Automaton, budget: &Budget) -> Result<Ta, Stop> {
        match self {
            Construction::Ours => Ta::new(a, budget),
            Construction::Published => Ta::published(a, budget),
        }
    }

    pub(crate) fn tgta(self, a: &Automaton, budget: &Budget) -> Result<Tgta, Stop> {
        match self {
            Construction::Ours => Tgta::new(a, budget),
            Construction::Published => Tgta::published(a, budget),
        }
    }
}

/// Refuses automata that read events.
pub(crate) fn only_states(problem: &Problem<'_>) -> Result<(), Stop> {
    if problem.reads_events() {
        Err(Stop::Unsupported(
            "testing automata read changes of states, and the formula speaks of events".to_owned(),
        ))
    } else {
        Ok(())
    }
}

/// The figures of the automaton that is read instead of the problem's own.
pub(crate) fn note_automaton(stats: &mut Stats, testing: &Testing) {
    stats.set(Statistic::AUTOMATON_STATES, testing.states.len());
    stats.set(Statistic::AUTOMATON_EDGES, testing.edge_count());
    stats.set(Statistic::AUTOMATON_MARKS, u64::from(testing.mark_count));
    stats.set(Statistic::TESTING_TRANSITIONS, testing.transition_count());
}
