//! Questions about reachable states, without a formula.
//!
//! Three kinds are enough for what is asked of a net as a whole:
//!
//! ```text
//! reach p    ∃ s ∈ R: s ⊨ p                  can it deadlock, can t fire, is the invariant broken?
//! most c     max { c·s | s ∈ R }             how many tokens can these places hold together?
//! always p   ∀ s ∈ R: R(s) ∩ ⟦p⟧ ≠ ∅         is t live: can it fire again, whatever has happened?
//! ```
//!
//! where `R` are the reachable states and `R(s)` those reachable from `s`. Many questions about one system are asked at once: they
//! stand on a [`QuestionSet`], and an engine answers as many as it can with one search. An engine is a function that takes the board and a
//! budget and says what it has [found](Finding); it registers by being one of [`Asker::ALL`]:
//!
//! - [`wander`]: random and directed walks, which find runs and prove nothing;
//! - [`sweep`]: all states one by one, the nearest first; runs are shortest, and a sweep that ends has proved the rest;
//! - [`karp_miller`]: the coverability tree of a net that may be unbounded;
//! - [`by_sets`]: the reachable states as a set.
//!
//! What is proved without any search, by linear programming, belongs to crate `structural`, and who asks whom is decided in the façade.

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
pub use question_set::{Ends, QuestionSet};
pub use sweep::sweep;
pub use wander::wander;

use lariat_budget::Stop;
use lariat_model::{Action, Arc, Lasso, Predicate, State, System, Value, VarId};

/// What is asked of the reachable states of a system.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// Is there one like this?
    Reach(Predicate),
    /// How large can this sum become? Variables with their coefficients, each once.
    Most(Vec<(VarId, Value)>),
    /// Can one like this be reached from each of them?
    Always(Predicate),
}

/// What a search has found about a question. Runs are those of the system that was searched, and nobody has replayed them yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// Of `reach`: this run leads there.
    Reached(Lasso),
    /// Of `reach`: no state is like this; the search was complete.
    Never,
    /// Of `most`: this run leads to a state with so much.
    AtLeast(i128, Lasso),
    /// Of `most`: there is never more than this; the search was complete.
    AtMost(i128),
    /// Of `most`: there is no end, because the loop of this covering run adds to the sum.
    Endless(Lasso),
    /// Of `always`: yes; the search was complete.
    Always,
    /// Of `always`: this run leads to a state from which it is lost; all that can follow was searched.
    Lost(Lasso),
}

/// What came of a search: findings by the position of their question, and why it ended early, if it did.
#[derive(Debug, Default)]
pub struct Search {
    /// What was found.
    pub findings: Vec<(usize, Finding)>,
    /// Why the search did not come to its end.
    pub stop: Option<Stop>,
    /// Units of work: states, steps, nodes.
    pub work: u64,
}

/// An engine for questions, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Asker {
    /// What linear programming proves.
    Facts,
    /// Random and directed walks.
    Walk,
    /// Single states, the nearest first.
    Explicit,
    /// The coverability tree.
    KarpMiller,
    /// The reachable states as a set.
    Sets,
    /// A temporal formula that says the same.
    Formula,
}

impl Asker {
    /// All of them, in the order in which they are asked at first.
    pub const ALL: [Asker; 6] = [
        Asker::Explicit,
        Asker::Walk,
        Asker::Facts,
        Asker::KarpMiller,
        Asker::Sets,
        Asker::Formula,
    ];

    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Asker::Facts => "facts",
            Asker::Walk => "walk",
            Asker::Explicit => "explicit",
            Asker::KarpMiller => "karp-miller",
            Asker::Sets => "symbolic",
            Asker::Formula => "formula",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Asker::Facts => "invariants by linear programming, checked in exact integers",
            Asker::Walk => "random and directed walks",
            Asker::Explicit => "single states, the nearest first",
            Asker::KarpMiller => "the coverability tree",
            Asker::Sets => "sets of states in decision diagrams, by saturation",
            Asker::Formula => "the same as a temporal formula, by the engines for those",
        }
    }
}

/// The initial marking and the arcs of every transition, if the system is a net with a single one: for [`wander`] and [`karp_miller`].
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
