//! Explicit search with testing automata, which read changes of labels instead of letters.
//!
//! | kind | automaton | check |
//! | --- | --- | --- |
//! | TA | [`Ta`] | [two passes](lariat_emptiness::two_pass()) |
//! | TGTA | [`Tgta`] | Couvreur |
//!
//! **Precondition:** the language of the automaton is stutter-invariant
//! ([`stutter_invariant`](lariat_automata::stutter_invariant); formulas without `X` always are).
//! The engine cannot check this. It refuses with [`Stop::Unsupported`]: `fires` atoms, because the
//! letter of a state then depends on the next step and its change is not known when a step ends;
//! and automata with so many atoms that a testing automaton would not help.

mod product;
mod ta;
mod tgta;

pub(crate) use product::TestingProduct;
pub(crate) use ta::ta;
pub(crate) use tgta::tgta;

use crate::engine::Variant;
use crate::problem::Problem;
use lariat_automata::Automaton;
use lariat_automata::testing::{Ta, Testing, Tgta};
use lariat_budget::{Budget, Statistic, Stats, Stop};

/// Construction of testing automata.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Construction {
    /// With our reductions.
    Ours,
    /// As published by Ben Salem, Duret-Lutz and Kordon.
    Published,
}

impl Construction {
    /// Returns the construction that a variant selects.
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

/// Fails if the automaton reads events.
pub(crate) fn only_states(problem: &Problem<'_>) -> Result<(), Stop> {
    if problem.reads_events() {
        return Err(Stop::Unsupported(
            "testing automata read changes of states, but the formula has `fires` atoms".to_owned(),
        ));
    }
    Ok(())
}

/// Records the size of the testing automaton that replaces the problem's automaton.
pub(crate) fn note_automaton(stats: &mut Stats, testing: &Testing) {
    stats.set(Statistic::AUTOMATON_STATES, testing.states.len());
    stats.set(Statistic::AUTOMATON_EDGES, testing.edge_count());
    stats.set(Statistic::AUTOMATON_MARKS, u64::from(testing.mark_count));
    stats.set(Statistic::TESTING_TRANSITIONS, testing.transition_count());
}
