//! From a property to the automaton of its violations, with what is known of it.

use crate::plan::Plan;
use crate::premises::premises;
use crate::subject::{Property, Subject};
use lariat_automata::{
    Automaton, Legal, silent_step_invariant, stutter_invariant, stutter_invariant_language,
    translate, translate_labelled,
};
use lariat_budget::{Budget, Stop};
use lariat_engines::{EventClass, Invariance, Needs, event_classes};
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::{Constraint, Proposition};
use std::borrow::Cow;

/// Work that a stutter test may cost: it is an opportunity, not the question.
const MOST_STUTTER_WORK: u64 = 200_000;

/// The automaton of all violating runs, for one engine.
pub(crate) struct Prepared<'a> {
    pub automaton: Cow<'a, Automaton>,
    /// What its atoms mean, in its own order.
    pub propositions: Vec<Proposition>,
    /// The fairness that is assumed, and premises of the property that are given to the engine in this form.
    pub fairness: Vec<Constraint>,
    letters: bool,
    silent: bool,
    states: Vec<bool>,
}

impl Prepared<'_> {
    pub fn invariance(&self) -> Invariance<'_> {
        Invariance {
            letters: self.letters,
            silent: self.silent,
            states: &self.states,
        }
    }
}

/// Prepares a property for a plan: the automaton, and what the plan needs to know of it.
pub(crate) fn prepare<'a>(
    subject: &Subject<'_>,
    formulas: &Formulas,
    property: Property<'a>,
    plan: &Plan,
    budget: &Budget,
) -> Result<Prepared<'a>, Stop> {
    let mut prepared = Prepared {
        automaton: Cow::Owned(Automaton::universal()),
        propositions: Vec::new(),
        fairness: subject.constraints().to_vec(),
        letters: false,
        silent: false,
        states: Vec::new(),
    };
    match property {
        Property::Never(automaton) => {
            if matches!(plan.needs(), Needs::Stuttering | Needs::StateStuttering) {
                let limited = budget.clone().with_work(MOST_STUTTER_WORK);
                let legal = legal_letters(subject);
                let invariant = stutter_invariant_language(automaton, &legal, &limited);
                prepared.letters = known(invariant)?;
            }
            prepared.automaton = Cow::Borrowed(automaton);
        }
        Property::Formula(formula) => {
            translated(subject, formulas, formula, plan, budget, &mut prepared)?;
        }
    }
    prepared.propositions = meanings(subject, &prepared.automaton);
    Ok(prepared)
}

/// What the atoms of an automaton mean, in its own order.
pub(crate) fn meanings(subject: &Subject<'_>, automaton: &Automaton) -> Vec<Proposition> {
    let atoms = automaton.atoms.iter();
    atoms
        .map(|atom| subject.propositions()[atom.index()].clone())
        .collect()
}

fn translated(
    subject: &Subject<'_>,
    formulas: &Formulas,
    formula: Formula,
    plan: &Plan,
    budget: &Budget,
    prepared: &mut Prepared<'_>,
) -> Result<(), Stop> {
    // Rewriting makes many formulas; they go with this copy of the store.
    let mut formulas = formulas.clone();
    let mut negation = formulas.not(formula);
    if plan.engine.takes_constraints(plan.automaton)
        && !plan.variant.published
        && let Some((rest, assumed)) = premises(subject, &mut formulas, negation)
    {
        negation = rest;
        prepared.fairness.extend(assumed);
    }
    let legal = legal_letters(subject);
    let needs = plan.needs();
    let limited = budget.clone().with_work(MOST_STUTTER_WORK);
    if matches!(needs, Needs::Stuttering | Needs::StateStuttering) {
        let invariant = stutter_invariant(&mut formulas, negation, &legal, &limited);
        prepared.letters = known(invariant)?;
    }
    // The published event graph leaves silent steps out.
    if plan.variant.published {
        let invariant = silent_step_invariant(&mut formulas, negation, &legal, &limited);
        prepared.silent = known(invariant)?;
    }
    if needs == Needs::StateStuttering && prepared.letters {
        let labelled = translate_labelled(&mut formulas, negation, &legal, budget)?;
        for &f in &labelled.formulas {
            // Several states share one limit; what it does not suffice for is not known.
            let invariant = stutter_invariant(&mut formulas, f, &legal, &limited);
            prepared.states.push(known(invariant)?);
        }
        prepared.automaton = Cow::Owned(labelled.automaton);
    } else {
        let automaton = translate(&mut formulas, negation, &legal, budget)?;
        prepared.automaton = Cow::Owned(automaton);
    }
    Ok(())
}

/// Is the property known to be stutter-invariant? "No" may mean that the test ran out of its own limits.
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

/// The answer of a test; one that ran out of its own limits is "not known", which is not "yes".
fn known(answer: Result<bool, Stop>) -> Result<bool, Stop> {
    match answer {
        Err(Stop::Work(_) | Stop::Unsupported(_)) => Ok(false),
        answer => answer,
    }
}

/// Which `fires` atoms can be true together: those of a class of events.
pub(crate) fn legal_letters(subject: &Subject<'_>) -> Legal {
    let propositions = subject.propositions().iter().enumerate();
    let atom = |i: usize| AtomId(i as u32);
    let event_atoms: Vec<AtomId> = propositions
        .filter(|(_, proposition)| matches!(proposition, Proposition::Fires(_)))
        .map(|(i, _)| atom(i))
        .collect();
    if event_atoms.is_empty() {
        return Legal::any();
    }
    let classes = event_classes(subject.system(), subject.propositions());
    let together = |class: EventClass| class.propositions.into_iter().map(atom).collect();
    Legal::events(event_atoms, classes.into_iter().map(together).collect())
}
