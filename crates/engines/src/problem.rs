//! The question that every engine answers.

use crate::alphabet::{Alphabet, state_propositions};
use lariat_automata::{Automaton, Legal, Letter, Placement, buchi};
use lariat_budget::{Budget, Stop};
use lariat_model::{Constraint, Deadlock, Predicate, Proposition, State, System, Value};
use lariat_reductions::symmetry::Symmetry;
use std::sync::Arc;

/// Does `system` have a run that `automaton` accepts?
///
/// Position `i` of a run has the letter (state `i`, event taken *from* it); the automaton reads
/// the letters from position 0 on. A stutter step at a deadlock fires nothing.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The system.
    pub system: &'a System,
    /// Usually the automaton of a negated property, so that an accepted run violates it.
    pub automaton: &'a Automaton,
    /// What the automaton's atoms mean: bit `i` of a letter is `propositions[i]`.
    pub propositions: &'a [Proposition],
    /// What happens at deadlocks.
    pub deadlock: Deadlock,
    /// Which runs count: those that satisfy all of these. An engine that does not know them must refuse the problem.
    pub fairness: &'a [Constraint],
    /// What is known of the automaton's language under stuttering.
    pub invariance: Invariance<'a>,
    /// If given, engines on single states of nets may leave out states with more tokens in a place:
    /// they find runs, but say that there are none only if nothing was left out.
    pub most_tokens: Option<Value>,
    /// Propositions of the property that the automaton does not ask for, because its language does not depend on them. Evidence
    /// that is not simply a run of the system has to take account of them: the replay looks at the property.
    pub unread: Vec<Proposition>,
    /// Symmetries of the system, if some are known.
    pub symmetry: Option<&'a Symmetry<'a>>,
    /// Is the beginning of a run evidence where the automaton accepts whatever follows? Who asks for such evidence confirms it by the
    /// property, and asks again without where that fails: the automaton may know more than the property says.
    ///
    /// Finite runs must count, or a continuation has to be shown: with [`Deadlock::Ignore`] engines give covering runs whose rounds
    /// need not be alike once acceptance is certain. With fairness constraints beginnings are no evidence: continuations have to be fair.
    pub prefixes: bool,
    /// What the model claims of itself, which has nothing to do with the question. Engines that come to see all states tell
    /// whether it is true in them ([`Account::claims`](crate::Account::claims)).
    pub claims: &'a [Predicate],
    alphabet: Arc<Alphabet>,
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

impl<'a> Problem<'a> {
    /// The question about all runs, with nothing known of stuttering.
    pub fn new(
        system: &'a System,
        automaton: &'a Automaton,
        propositions: &'a [Proposition],
        deadlock: Deadlock,
    ) -> Problem<'a> {
        Problem {
            system,
            automaton,
            propositions,
            deadlock,
            fairness: &[],
            invariance: Invariance::default(),
            most_tokens: None,
            unread: Vec::new(),
            symmetry: None,
            prefixes: false,
            claims: &[],
            alphabet: Arc::new(Alphabet::new(system, propositions)),
        }
    }

    /// The same, with what is known of the automaton's language under stuttering.
    pub fn knowing(self, invariance: Invariance<'a>) -> Problem<'a> {
        Problem { invariance, ..self }
    }

    /// The same about fair runs alone.
    pub fn assuming(self, fairness: &'a [Constraint]) -> Problem<'a> {
        Problem { fairness, ..self }
    }

    /// Is a finite run evidence if the automaton accepts whatever follows?
    pub fn takes_prefixes(&self) -> bool {
        self.prefixes && self.deadlock == Deadlock::Stutter && self.fairness.is_empty()
    }

    /// The letters that the automaton reads.
    pub fn alphabet(&self) -> &Arc<Alphabet> {
        &self.alphabet
    }

    /// The state atoms that are true in `state`, by the reference semantics.
    pub fn label(&self, state: &State) -> Letter {
        let holds = |bits, (bit, predicate)| {
            if self.system.holds(predicate, state) {
                bits | bit
            } else {
                bits
            }
        };
        Letter(state_propositions(self.propositions).fold(0, holds))
    }

    /// Does the automaton ask which events are taken?
    pub fn reads_events(&self) -> bool {
        self.automaton.support() & self.alphabet.event_atoms() != 0
    }

    /// The Büchi automaton, marks on states, that accepts what the problem's own does.
    pub fn degeneralized(&self, budget: &Budget) -> Result<Automaton, Stop> {
        buchi(self.automaton, Placement::States, &Legal::any(), budget)
    }

    /// The same question with another automaton for the same language, over the same atoms.
    ///
    /// What was known of single states of the automaton is not known of the new ones.
    pub fn with_automaton<'b>(&'b self, automaton: &'b Automaton) -> Problem<'b> {
        Problem {
            automaton,
            invariance: Invariance {
                states: &[],
                ..self.invariance
            },
            ..self.clone()
        }
    }
}
