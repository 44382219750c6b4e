//! One property about one subject, as the stages of a check see it.

use crate::options::CheckOptions;
use crate::phases::{Phase, PhaseLog};
use crate::subject::{PropertyForm, Subject};
use lariat_automata::Automaton;
use lariat_budget::{Budget, Observer, RunContext};
use lariat_ltl::{AtomId, Formulas};
use lariat_model::{EvidenceKind, Lasso, Proposition, ReplayError};

/// Remark when an engine's finite run is not evidence by itself.
pub(crate) const WHOLE_RUNS: &str =
    "searching again for infinite runs: the prefix found may not decide the property";

/// Returns the atoms of a property.
pub(crate) fn atoms_of(subject: &Subject<'_>, property: PropertyForm<'_>) -> Vec<AtomId> {
    match property {
        PropertyForm::Formula(formula) => subject.formulas().atoms_of(formula),
        PropertyForm::Never(automaton) => automaton.atoms.clone(),
    }
}

/// One property and how it is checked.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a, 's> {
    pub subject: &'a Subject<'s>,
    /// The store of the property's formula.
    pub formulas: &'a Formulas,
    /// The property that engines decide: the user's, or one equivalent on all runs of the subject.
    pub property: PropertyForm<'a>,
    /// The atoms of the user's property, on which evidence must agree.
    pub atoms: &'a [AtomId],
    pub options: &'a CheckOptions,
    /// Whether finite prefixes are evidence; see [`lariat_engines::Problem::prefixes`].
    pub prefixes: bool,
    /// Limits and observer of everything done for the property.
    pub ctx: RunContext<'a>,
    /// The log of the check's phases; `None` for a query that serves another one.
    pub phases: Option<&'a PhaseLog>,
}

impl<'a, 's> Query<'a, 's> {
    /// The property as the user wrote it.
    pub fn new(
        subject: &'a Subject<'s>,
        property: PropertyForm<'a>,
        atoms: &'a [AtomId],
        options: &'a CheckOptions,
        ctx: RunContext<'a>,
    ) -> Query<'a, 's> {
        Query {
            subject,
            formulas: subject.formulas(),
            property,
            atoms,
            options,
            // A finite run may have no fair continuation.
            prefixes: subject.constraints().is_empty(),
            ctx,
            phases: None,
        }
    }

    /// The query with a log of its phases.
    pub fn logged_in(self, phases: &'a PhaseLog) -> Query<'a, 's> {
        Query {
            phases: Some(phases),
            ..self
        }
    }

    /// Begins a phase of the check.
    pub fn enter(&self, phase: Phase) {
        if let Some(phases) = self.phases {
            phases.enter(phase, self.budget());
        }
    }

    /// The budget of everything done for the property.
    pub fn budget(&self) -> &'a Budget {
        self.ctx.budget
    }

    /// Reports a remark to the observer.
    pub fn remark(&self, text: &str) {
        self.ctx.observer.remark(text);
    }

    /// The query with another observer.
    pub fn observed_by<'b>(&self, observer: &'b dyn Observer) -> Query<'b, 's>
    where
        'a: 'b,
    {
        Query {
            ctx: RunContext::new(self.budget(), observer),
            ..*self
        }
    }

    /// The query with another budget.
    pub fn within<'b>(&self, budget: &'b Budget) -> Query<'b, 's>
    where
        'a: 'b,
    {
        Query {
            ctx: self.ctx.with_budget(budget),
            ..*self
        }
    }

    /// The query with only infinite runs as evidence.
    pub fn about_whole_runs(&self) -> Self {
        Query {
            prefixes: false,
            ..*self
        }
    }

    /// Returns the run as a run of the original model if it is one and violates the property.
    pub fn replay(&self, lasso: Lasso) -> Result<Lasso, ReplayError> {
        let deadlock = self.options.deadlock;
        self.subject
            .replayed(self.property, deadlock, lasso, self.budget())
    }

    /// Returns the propositions that `automaton` does not read; covering runs must settle them.
    pub fn unread(&self, automaton: &Automaton) -> Vec<Proposition> {
        let atoms = self.atoms.iter();
        let unread = atoms.filter(|atom| !automaton.atoms.contains(atom));
        let meaning = |atom: &AtomId| self.subject.propositions()[atom.index()].clone();
        unread.map(meaning).collect()
    }

    /// Returns whether the run is a finite prefix that does not decide the property by itself. The
    /// automaton may have been built with structural facts, or accept every continuation where
    /// progression of the formula does not show it.
    pub fn is_inconclusive_prefix(&self, lasso: &Lasso) -> bool {
        let fails = || matches!(self.replay(lasso.clone()), Err(ReplayError::Defect(_)));
        self.prefixes && lasso.kind() != EvidenceKind::Lasso && fails()
    }

    /// Returns whether a run of the original system shows the violation by itself: what repeats
    /// must be the same in every round, unless the prefix decides.
    pub fn is_evidence(&self, lasso: &Lasso) -> bool {
        let decides = || {
            let (formulas, property) = (self.formulas, self.property);
            self.prefixes
                && self
                    .subject
                    .decides(formulas, property, lasso, self.budget())
        };
        match lasso.kind() {
            EvidenceKind::Lasso => true,
            EvidenceKind::Covering => self.subject.settles(self.atoms, lasso) || decides(),
            EvidenceKind::Prefix => decides(),
        }
    }
}
