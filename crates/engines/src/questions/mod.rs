//! Questions about reachable states, without a temporal formula.
//!
//! There are three kinds:
//!
//! ```text
//! reach p    ∃ s ∈ R: s ⊨ p                  can it deadlock, can t fire, is the invariant broken?
//! most c     max { c·s | s ∈ R }             how many tokens can these places hold together?
//! always p   ∀ s ∈ R: R(s) ∩ ⟦p⟧ ≠ ∅         is t live, i.e. can it always fire again?
//! ```
//!
//! where `R` is the set of reachable states and `R(s)` of those reachable from `s`. Many questions
//! about one system form a [`QuestionSet`], and an engine answers as many as it can with one
//! search. An engine is a function that takes the set, a budget and a [sink](FindingSink) for its
//! [findings](Finding); it is registered in [`QuestionEngine::ALL`]:
//!
//! - [`wander`]: random and directed walks, which find runs and prove nothing;
//! - [`sweep`]: breadth-first search, with shortest runs; a complete search answers all questions;
//! - [`karp_miller`]: the coverability tree of a net that may be unbounded;
//! - [`by_sets`]: the set of reachable states.
//!
//! Proofs by linear programming are in crate `structural`; the façade schedules the engines.

mod bottom;
mod by_sets;
mod karp_miller;
mod path;
mod question_set;
mod sweep;
#[cfg(test)]
mod tests;
mod wander;

pub use by_sets::by_sets;
pub use karp_miller::karp_miller;
pub use question_set::{QuestionSet, StopRule};
pub use sweep::sweep;
pub use wander::wander;

use lariat_budget::Stop;
use lariat_model::{Action, Arc, Lasso, Predicate, State, System, Value, VarId};

/// A question about the reachable states of a system.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StateQuestion {
    /// Can a state with this predicate be reached?
    Reach(Predicate),
    /// The maximum of this sum: distinct variables with their coefficients.
    Most(Vec<(VarId, Value)>),
    /// Can a state with this predicate be reached from every reachable state?
    Always(Predicate),
}

/// A finding about a question. Runs are those of the system searched, not yet replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// For `reach`: this run leads to such a state.
    Reached(Lasso),
    /// For `reach`: there is no such state; the search was complete.
    Never,
    /// For `most`: this run leads to a state with this value.
    AtLeast(i128, Lasso),
    /// For `most`: an upper bound; the search was complete.
    AtMost(i128),
    /// For `most`: unbounded; the loop of this covering run adds to the sum.
    Endless(Lasso),
    /// For `always`: true; the search was complete.
    Always,
    /// For `always`: false; from the last state of this run no such state can be reached.
    Lost(Lasso),
}

/// Receives each finding, with the position of its question. Runs may be long: findings are passed
/// on one by one, so that they are not all in memory together.
pub type FindingSink<'f> = dyn FnMut(usize, Finding) + 'f;

/// End of a search, and why it was early.
#[derive(Debug, Default)]
pub struct SearchEnd {
    /// Reason of an incomplete search.
    pub stop: Option<Stop>,
    /// Units of work: states, steps, nodes.
    pub work: u64,
}

/// Engine for questions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuestionEngine {
    /// Proofs by linear programming.
    Facts,
    /// Random and directed walks.
    Walk,
    /// Breadth-first search on single states.
    Explicit,
    /// The coverability tree.
    KarpMiller,
    /// The set of reachable states.
    Sets,
    /// An equivalent temporal formula.
    Formula,
}

impl QuestionEngine {
    /// All engines, in the order in which they are first tried.
    pub const ALL: [QuestionEngine; 6] = [
        QuestionEngine::Explicit,
        QuestionEngine::Walk,
        QuestionEngine::Facts,
        QuestionEngine::KarpMiller,
        QuestionEngine::Sets,
        QuestionEngine::Formula,
    ];

    /// Returns the name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            QuestionEngine::Facts => "facts",
            QuestionEngine::Walk => "walk",
            QuestionEngine::Explicit => "explicit",
            QuestionEngine::KarpMiller => "karp-miller",
            QuestionEngine::Sets => "symbolic",
            QuestionEngine::Formula => "formula",
        }
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        match self {
            QuestionEngine::Facts => "invariants by linear programming, checked in exact integers",
            QuestionEngine::Walk => "random and directed walks",
            QuestionEngine::Explicit => "single states, breadth-first",
            QuestionEngine::KarpMiller => "the coverability tree",
            QuestionEngine::Sets => "sets of states in decision diagrams, by saturation",
            QuestionEngine::Formula => {
                "an equivalent temporal formula, by the engines for formulas"
            }
        }
    }
}

/// Returns the initial marking and the arcs of every transition if the system is a net with one
/// initial marking; for [`wander`] and [`karp_miller`].
fn marked_net(system: &System) -> Option<(&State, Vec<&[Arc]>)> {
    let [initial] = &system.initial[..] else {
        return None;
    };
    let arcs = system.events.iter().map(|event| match &event.action {
        Action::Net(arcs) => Some(&arcs[..]),
        _ => None,
    });
    let arcs = arcs.collect::<Option<_>>()?;
    system.fault.is_none().then_some((initial, arcs))
}
