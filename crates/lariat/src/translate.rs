//! Translates a property into the automaton of its violations, as a plan needs it.

use crate::plan::Plan;
use crate::premises::premises;
use crate::subject::{PropertyForm, Subject};
use lariat_automata::{
    Automaton, LegalLetters, silent_step_invariant, stutter_invariant, stutter_invariant_language,
    translate_labelled,
};
use lariat_budget::{Budget, Stop};
use lariat_engines::{EventClass, Invariance, Needs, event_classes};
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::{Constraint, Proposition};
use std::borrow::Cow;

/// Work limit of a stutter test, which is optional.
const MOST_STUTTER_WORK: u64 = 200_000;

/// The automaton of all violating runs, for one plan.
pub(crate) struct Translated<'a> {
    pub automaton: Cow<'a, Automaton>,
    /// The meanings of its atoms, in its own order.
    pub propositions: Vec<Proposition>,
    /// The fairness assumptions, and premises of the property that the engine gets in this form.
    pub fairness: Vec<Constraint>,
    letters: bool,
    silent: bool,
    states: Vec<bool>,
}

impl Translated<'_> {
    pub fn invariance(&self) -> Invariance<'_> {
        Invariance {
            letters: self.letters,
            silent: self.silent,
            states: &self.states,
        }
    }
}

pub(crate) fn translate<'a>(
    subject: &Subject<'_>,
    formulas: &Formulas,
    property: PropertyForm<'a>,
    plan: &Plan,
    budget: &Budget,
) -> Result<Translated<'a>, Stop> {
    let mut translated = Translated {
        automaton: Cow::Owned(Automaton::universal()),
        propositions: Vec::new(),
        fairness: subject.constraints().to_vec(),
        letters: false,
        silent: false,
        states: Vec::new(),
    };
    match property {
        PropertyForm::Never(automaton) => {
            if uses_invariance(subject, plan) {
                let limited = budget.clone().with_work(MOST_STUTTER_WORK);
                let legal = legal_letters(subject);
                let invariant = stutter_invariant_language(automaton, &legal, &limited);
                translated.letters = known(invariant)?;
            }
            translated.automaton = Cow::Borrowed(automaton);
        }
        PropertyForm::Formula(formula) => {
            translate_formula(subject, formulas, formula, plan, budget, &mut translated)?;
        }
    }
    translated.propositions = meanings(subject, &translated.automaton);
    Ok(translated)
}

/// Returns whether the plan needs stutter invariance, or omits orders of the steps of a program if the
/// property has it.
fn uses_invariance(subject: &Subject<'_>, plan: &Plan) -> bool {
    plan.needs() != Needs::Nothing || plan.omits_orders() && !subject.system().is_net()
}

/// The meanings of an automaton's atoms, in its own order.
pub(crate) fn meanings(subject: &Subject<'_>, automaton: &Automaton) -> Vec<Proposition> {
    let atoms = automaton.atoms.iter();
    atoms
        .map(|atom| subject.propositions()[atom.index()].clone())
        .collect()
}

fn translate_formula(
    subject: &Subject<'_>,
    formulas: &Formulas,
    formula: Formula,
    plan: &Plan,
    budget: &Budget,
    translated: &mut Translated<'_>,
) -> Result<(), Stop> {
    // Rewriting creates many formulas, in this copy of the store.
    let mut formulas = formulas.clone();
    let mut negation = formulas.not(formula);
    if plan.engine.takes_constraints(plan.automaton)
        && !plan.variant.published
        && let Some((rest, assumed)) = premises(subject, &mut formulas, negation)
    {
        negation = rest;
        translated.fairness.extend(assumed);
    }
    let legal = legal_letters(subject);
    let needs = plan.needs();
    let limited = budget.clone().with_work(MOST_STUTTER_WORK);
    if uses_invariance(subject, plan) {
        let invariant = stutter_invariant(&mut formulas, negation, &legal, &limited);
        translated.letters = known(invariant)?;
    }
    // The published event graph omits silent steps.
    if plan.variant.published {
        let invariant = silent_step_invariant(&mut formulas, negation, &legal, &limited);
        translated.silent = known(invariant)?;
    }
    if needs == Needs::StateStuttering && translated.letters {
        let labelled = translate_labelled(&mut formulas, negation, &legal, budget)?;
        for &f in &labelled.formulas {
            // All states share one limit; states beyond it count as not invariant.
            let invariant = stutter_invariant(&mut formulas, f, &legal, &limited);
            translated.states.push(known(invariant)?);
        }
        translated.automaton = Cow::Owned(labelled.automaton);
    } else {
        let automaton = lariat_automata::translate(&mut formulas, negation, &legal, budget)?;
        translated.automaton = Cow::Owned(automaton);
    }
    Ok(())
}

/// Returns whether the property is known to be stutter-invariant within the test's limits.
pub(crate) fn is_stutter_invariant(
    subject: &Subject<'_>,
    formula: Formula,
    budget: &Budget,
) -> Result<bool, Stop> {
    let mut formulas = subject.formulas().clone();
    let limited = budget.clone().with_work(MOST_STUTTER_WORK);
    let legal = legal_letters(subject);
    known(stutter_invariant(&mut formulas, formula, &legal, &limited))
}

/// The answer of a test; false if it ran out of its own limits.
fn known(answer: Result<bool, Stop>) -> Result<bool, Stop> {
    match answer {
        Err(Stop::Work(_) | Stop::Unsupported(_)) => Ok(false),
        answer => answer,
    }
}

/// The combinations of `fires` atoms that can be true together: those of a class of events.
pub(crate) fn legal_letters(subject: &Subject<'_>) -> LegalLetters {
    let propositions = subject.propositions().iter().enumerate();
    let atom = |i: usize| AtomId(i as u32);
    let event_atoms: Vec<AtomId> = propositions
        .filter(|(_, proposition)| matches!(proposition, Proposition::Fires(_)))
        .map(|(i, _)| atom(i))
        .collect();
    if event_atoms.is_empty() {
        return LegalLetters::any();
    }
    let classes = event_classes(subject.system(), subject.propositions());
    let together = |class: EventClass| class.propositions.into_iter().map(atom).collect();
    LegalLetters::events(event_atoms, classes.into_iter().map(together).collect())
}
