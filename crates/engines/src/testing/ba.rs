//! The synchronous product with a Büchi automaton whose marks are on states.
//!
//! What most model checkers do, and here for comparison: the automaton is degeneralized first,
//! the rest is the [explicit](crate::explicit()) engine. Decides full LTL with events.

use crate::explicit::explicit;
use crate::problem::Problem;
use lariat_automata::{Placement, degeneralize};
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::Outcome;
use lariat_model::Lasso;

/// Runs the engine; see [`crate::Engine`].
pub fn ba(
    problem: &Problem<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    let automaton = &degeneralize(problem.automaton, Placement::States);
    stats.set("buchi_states", automaton.states.len());
    stats.set("buchi_edges", automaton.edge_count());
    let problem = Problem {
        automaton,
        ..*problem
    };
    explicit(&problem, budget, observer, stats)
}
