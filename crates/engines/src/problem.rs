//! The question that every engine answers.

use crate::alphabet::{Alphabet, state_propositions};
use lariat_automata::{Automaton, LegalLetters, Letter, Placement, buchi};
use lariat_budget::{Budget, Stop};
use lariat_model::{Constraint, Deadlock, Predicate, Proposition, System, Value};
use lariat_reductions::symmetry::Symmetry;
use std::sync::Arc;

/// The question whether `system` has a run that `automaton` accepts.
///
/// Position `i` of a run has the letter (state `i`, event taken *from* it). The automaton reads
/// letters from position 0 on. A stutter step at a deadlock fires nothing.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The system.
    pub system: &'a System,
    /// The automaton, usually of a negated property, so that an accepted run violates it.
    pub automaton: &'a Automaton,
    /// Meaning of the automaton's atoms: bit `i` of a letter is `propositions[i]`.
    pub propositions: &'a [Proposition],
    /// Semantics of deadlocks.
    pub deadlock: Deadlock,
    /// Fairness constraints: only runs that satisfy all of them count. An engine that does not
    /// support them must refuse the problem.
    pub fairness: &'a [Constraint],
    /// Known stutter invariance of the automaton's language.
    pub invariance: Invariance<'a>,
    /// If given, engines on single states of nets may omit states with more tokens in a place. They
    /// then return [`Empty`](crate::Outcome::Empty) only if no state was omitted.
    pub most_tokens: Option<Value>,
    /// Propositions of the property on which the automaton's language does not depend. Evidence
    /// other than a plain run must respect them, because the replay evaluates the property.
    pub unread: Vec<Proposition>,
    /// Symmetries of the system, if known.
    pub symmetry: Option<&'a Symmetry<'a>>,
    /// True if a finite prefix is evidence where the automaton accepts every continuation. The
    /// caller confirms such evidence on the property and, if that fails, asks again without
    /// prefixes: the automaton may have been simplified by facts that the property does not state.
    ///
    /// Either finite runs count or a continuation must be shown: with [`Deadlock::Ignore`] engines
    /// return covering runs whose rounds need not be alike once acceptance is certain. With
    /// fairness constraints prefixes are no evidence, because continuations have to be fair.
    pub prefixes: bool,
    /// True if engines on single states may omit orders of independent steps of programs, which
    /// needs known stutter invariance.
    pub partial_order: bool,
    /// Claims of the model about all its states, independent of the question. Engines that visit
    /// all states report whether the claims hold ([`Account::claims`](crate::Account::claims)).
    pub claims: &'a [Predicate],
    alphabet: Arc<Alphabet>,
}

/// Known stutter invariance of an automaton's language; by default nothing is known. Engines that
/// skip steps require it and refuse the problem otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Invariance<'a> {
    /// Repeating letters or removing repetitions does not change the verdict.
    pub letters: bool,
    /// As `letters`, for inserting or removing a letter without event before one with equal state
    /// part.
    pub silent: bool,
    /// By automaton state: its language is closed under repeating letters. Empty if unknown.
    pub states: &'a [bool],
}

impl<'a> Problem<'a> {
    /// Creates the problem without fairness and without known stutter invariance.
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
            partial_order: false,
            claims: &[],
            alphabet: Arc::new(Alphabet::new(system, propositions)),
        }
    }

    /// Returns the problem with the given stutter invariance.
    pub fn knowing(self, invariance: Invariance<'a>) -> Problem<'a> {
        Problem { invariance, ..self }
    }

    /// Returns the problem restricted to fair runs.
    pub fn assuming(self, fairness: &'a [Constraint]) -> Problem<'a> {
        Problem { fairness, ..self }
    }

    /// Returns whether a finite run is evidence if the automaton accepts every continuation.
    pub fn takes_prefixes(&self) -> bool {
        self.prefixes && self.deadlock == Deadlock::Stutter && self.fairness.is_empty()
    }

    /// Returns the problem in which only infinite runs are evidence.
    #[must_use]
    pub fn without_prefixes(&self) -> Problem<'a> {
        Problem {
            prefixes: false,
            ..self.clone()
        }
    }

    /// Returns the letters that the automaton reads.
    pub fn alphabet(&self) -> &Arc<Alphabet> {
        &self.alphabet
    }

    /// Returns the state atoms that hold in `state`, by the reference semantics.
    pub fn label(&self, state: &[Value]) -> Letter {
        let atoms = state_propositions(self.propositions);
        let holds = atoms.filter(|(_, predicate)| self.system.holds(predicate, state));
        Letter(holds.fold(0, |letter, (bit, _)| letter | bit))
    }

    /// Returns whether the automaton depends on the events taken.
    pub fn reads_events(&self) -> bool {
        self.automaton.support() & self.alphabet.event_atoms() != 0
    }

    /// Returns an equivalent Büchi automaton with marks on states.
    pub fn degeneralized(&self, budget: &Budget) -> Result<Automaton, Stop> {
        let any = LegalLetters::any();
        buchi(self.automaton, Placement::States, &any, budget)
    }

    /// Returns the problem with another automaton for the same language over the same atoms.
    ///
    /// Stutter invariance of single automaton states is forgotten.
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
