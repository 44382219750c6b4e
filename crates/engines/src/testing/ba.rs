//! Products with a Büchi automaton whose marks are on states.
//!
//! What most model checkers do, and here for comparison: the automaton is degeneralized and made small
//! again first, the rest is another engine; [`ba`] is the [explicit](crate::explicit()) one. Decides full LTL
//! with events.

use crate::explicit::explicit;
use crate::problem::{Invariance, Problem};
use lariat_automata::{Legal, Placement, buchi};
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
    as_buchi(problem, budget, stats, |problem, stats| {
        explicit(problem, budget, observer, stats)
    })
}

/// Runs another engine on the same problem with a Büchi automaton.
///
/// What was known of single states of the automaton is not known of the new ones.
pub fn as_buchi<T>(
    problem: &Problem<'_>,
    budget: &Budget,
    stats: &mut Stats,
    run: impl FnOnce(&Problem<'_>, &mut Stats) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let automaton = &buchi(problem.automaton, Placement::States, &Legal::any(), budget)?;
    stats.set("automaton_states", automaton.states.len());
    stats.set("automaton_edges", automaton.edge_count());
    stats.set("automaton_marks", u64::from(automaton.mark_count));
    let invariance = Invariance {
        states: &[],
        ..problem.invariance
    };
    let problem = Problem {
        automaton,
        invariance,
        ..*problem
    };
    run(&problem, stats)
}
