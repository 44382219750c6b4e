//! The question that every engine answers.

use lariat_automata::Automaton;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::Outcome;
use lariat_model::{Deadlock, Lasso, Proposition, System, Value, VarId};

/// Does `system` have a run that `automaton` accepts?
///
/// Position `i` of a run has the letter (state `i`, event taken *from* it); the automaton reads
/// the letters from position 0 on. A stutter step at a deadlock fires nothing.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The system.
    pub system: &'a System,
    /// Usually the automaton of a negated property, so that an accepted run violates it.
    pub automaton: &'a Automaton,
    /// What the automaton's atoms mean: bit `i` of a letter is `propositions[i]`.
    pub propositions: &'a [Proposition],
    /// What happens at deadlocks.
    pub deadlock: Deadlock,
    /// What is known of the automaton's language under stuttering.
    pub invariance: Invariance<'a>,
    /// If given, engines on single states of nets may leave out states with more tokens in a place:
    /// they find runs, but say that there are none only if nothing was left out.
    pub most_tokens: Option<Value>,
}

/// What is known of an automaton's language under stuttering. Engines that skip steps need it and
/// refuse where it is not known; nothing is known by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Invariance<'a> {
    /// Repeating letters, or leaving repetitions out, leads to no other verdict.
    pub letters: bool,
    /// Neither does inserting or leaving out a letter without event before one with the same
    /// state.
    pub silent: bool,
    /// For each automaton state: repeating letters does not change what it accepts from there.
    /// Empty if that is not known of any.
    pub states: &'a [bool],
}

/// A procedure. Statistics are filled in also when it stops early.
pub type Engine =
    fn(&Problem<'_>, &Budget, &dyn Observer, &mut Stats) -> Result<Outcome<Lasso>, Stop>;

/// Notes in the statistics, as `overflow`, a variable whose value has wrapped around.
pub(crate) fn note_overflow(stats: &mut Stats, system: &System, overflow: Option<VarId>) {
    if let Some(var) = overflow {
        stats.set("overflow", system.variable(var).name.clone());
    }
}
