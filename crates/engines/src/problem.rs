//! The question that every engine answers.

use lariat_automata::Automaton;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::Outcome;
use lariat_model::{Deadlock, Lasso, Proposition, System};

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
}

/// A procedure. Statistics are filled in also when it stops early.
pub type Engine =
    fn(&Problem<'_>, &Budget, &dyn Observer, &mut Stats) -> Result<Outcome<Lasso>, Stop>;
