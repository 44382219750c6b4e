//! From a property to the automaton of its violations, with what is known of it.

use crate::check::{Property, Subject};
use crate::engine::Needs;
use lariat_automata::{
    Automaton, Legal, silent_step_invariant, stutter_invariant, translate, translate_labelled,
};
use lariat_budget::{Budget, Stop};
use lariat_engines::Invariance;
use lariat_ltl::{AtomId, Formula, classes};
use lariat_model::{EventId, Proposition};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Work that a stutter test may cost: it is an opportunity, not the question.
const MOST_STUTTER_WORK: u64 = 200_000;

/// The automaton of all violating runs, for one engine.
pub(crate) struct Prepared<'a> {
    pub automaton: Cow<'a, Automaton>,
    /// What its atoms mean, in its own order.
    pub propositions: Vec<Proposition>,
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

/// Prepares a property for an engine; `silent` if it should also be known whether silent steps matter.
pub(crate) fn prepare<'a>(
    subject: &Subject<'_>,
    property: Property<'a>,
    needs: Needs,
    silent: bool,
    budget: &Budget,
) -> Result<Prepared<'a>, Stop> {
    let mut prepared = Prepared {
        automaton: Cow::Owned(Automaton::universal()),
        propositions: Vec::new(),
        letters: false,
        silent: false,
        states: Vec::new(),
    };
    match property {
        Property::Never(automaton) => prepared.automaton = Cow::Borrowed(automaton),
        Property::Formula(formula) => {
            translated(subject, formula, needs, silent, budget, &mut prepared)?
        }
    }
    prepared.propositions = prepared
        .automaton
        .atoms
        .iter()
        .map(|atom| subject.propositions[atom.index()].clone())
        .collect();
    Ok(prepared)
}

fn translated(
    subject: &Subject<'_>,
    formula: Formula,
    needs: Needs,
    silent: bool,
    budget: &Budget,
    prepared: &mut Prepared<'_>,
) -> Result<(), Stop> {
    // Rewriting makes many formulas; they go with this copy of the store.
    let mut formulas = subject.formulas.clone();
    let negation = formulas.not(formula);
    let legal = legal_letters(subject);
    let limited = budget.clone().with_work(MOST_STUTTER_WORK);
    if needs.stuttering() {
        let invariant = stutter_invariant(&mut formulas, negation, &legal, &limited);
        prepared.letters = known(invariant)?;
    }
    if silent {
        let invariant = silent_step_invariant(&mut formulas, negation, &legal, &limited);
        prepared.silent = known(invariant)?;
    }
    if needs == Needs::StateStuttering && prepared.letters {
        let labelled = translate_labelled(&mut formulas, negation, &legal, budget)?;
        let x_free = |f: &Formula| classes(&formulas, *f).x_free;
        prepared.states = labelled.formulas.iter().map(x_free).collect();
        prepared.automaton = Cow::Owned(labelled.automaton);
    } else {
        let automaton = translate(&mut formulas, negation, &legal, budget)?;
        prepared.automaton = Cow::Owned(automaton);
    }
    Ok(())
}

/// The answer of a test; one that ran out of its own limits is "not known", which is not "yes".
fn known(answer: Result<bool, Stop>) -> Result<bool, Stop> {
    match answer {
        Err(Stop::Work(_) | Stop::Unsupported(_)) => Ok(false),
        answer => answer,
    }
}

/// Which `fires` atoms can be true together: those that share an event, and none at all.
fn legal_letters(subject: &Subject<'_>) -> Legal {
    let mut atoms_of_event: BTreeMap<EventId, Vec<AtomId>> = BTreeMap::new();
    let mut event_atoms = Vec::new();
    for (i, proposition) in subject.propositions.iter().enumerate() {
        if let Proposition::Fires(events) = proposition {
            let atom = AtomId(i as u32);
            event_atoms.push(atom);
            for event in events {
                atoms_of_event.entry(*event).or_default().push(atom);
            }
        }
    }
    if event_atoms.is_empty() {
        return Legal::any();
    }
    let together: BTreeSet<Vec<AtomId>> = atoms_of_event
        .into_values()
        .chain(std::iter::once(Vec::new()))
        .collect();
    Legal::events(event_atoms, together.into_iter().collect())
}
