//! The independent checker: checks that a lasso is a run of the system and violates the property.
//!
//! It shares no code with engines, products or packed states. It runs the original system with the
//! reference semantics of `model` and evaluates the original formula with the plain fixpoints of
//! `ltl`, or the given automaton by following all its runs over the lasso's word.
//!
//! A covering run `m1 –w→ m1 + Δ` repeats `w` infinitely often with `Δ` more tokens in every round.
//! It has the word of a lasso if each atom of the property has, at each position of `w`, one truth
//! value in all rounds (`settled.rs`).
//!
//! A prefix is evidence if no continuation can satisfy the property: progression yields `false`.
//! This requires that finite runs count, because the prefix may have no infinite continuation. A
//! covering run has one, so behind such a prefix its rounds may differ in atoms.

use crate::settled::settled;
use crate::subject::PropertyForm;
use lariat_automata::{Automaton, Letter, Word, accepting_forever};
use lariat_budget::Budget;
use lariat_ltl::{AtomId, Formula, Formulas, progress};
use lariat_model::{Deadlock, EventId, EvidenceKind, Lasso, Proposition, Step, System, Value};
use std::collections::{HashMap, HashSet};

/// The property that a run is replayed against, with the store of its formula.
#[derive(Clone, Copy, Debug)]
pub enum ReplayedProperty<'a> {
    /// Every run satisfies the formula.
    Formula(&'a Formulas, Formula),
    /// No run is accepted by the automaton.
    Never(&'a Automaton),
}

impl<'a> ReplayedProperty<'a> {
    /// A property whose formula, if it is one, is in `formulas`.
    pub(crate) fn new(formulas: &'a Formulas, property: PropertyForm<'a>) -> ReplayedProperty<'a> {
        match property {
            PropertyForm::Formula(formula) => ReplayedProperty::Formula(formulas, formula),
            PropertyForm::Never(automaton) => ReplayedProperty::Never(automaton),
        }
    }
}

/// Checks that `lasso` is a run of `system` that violates the property; the error says why not.
///
/// `propositions` gives the meaning of every atom, by [`AtomId`].
pub fn replay(
    system: &System,
    propositions: &[Proposition],
    property: ReplayedProperty<'_>,
    deadlock: Deadlock,
    lasso: &Lasso,
) -> Result<(), String> {
    run(system, deadlock, lasso)?;
    if lasso.kind() == EvidenceKind::Prefix {
        return beginning(system, propositions, property, lasso);
    }
    if let Some(growth) = &lasso.growth {
        let atoms = match property {
            ReplayedProperty::Formula(formulas, formula) => formulas.atoms_of(formula),
            ReplayedProperty::Never(automaton) => automaton.atoms.clone(),
        };
        let alike = rounds_are_alike(system, propositions, &atoms, lasso, growth);
        if alike.is_err() && beginning(system, propositions, property, lasso).is_ok() {
            // The rounds show that the run is infinite; its further letters do not matter.
            return rounds_go_on(system, lasso);
        }
        alike?;
    }
    let letters = Letters::new(system, propositions, lasso);
    let violated = match property {
        ReplayedProperty::Formula(formulas, formula) => !lariat_ltl::holds(
            formulas,
            formula,
            lasso.prefix.len(),
            lasso.cycle.len(),
            |position, atom| letters.holds(position, atom),
        ),
        ReplayedProperty::Never(automaton) => {
            let word = |steps: std::ops::Range<usize>| -> Vec<Letter> {
                steps
                    .map(|position| letters.letter(position, &automaton.atoms))
                    .collect()
            };
            let split = lasso.prefix.len();
            automaton.accepts(&Word {
                prefix: word(0..split),
                cycle: word(split..split + lasso.cycle.len()),
            })
        }
    };
    if violated {
        Ok(())
    } else {
        Err("the lasso is a run of the model, but it does not violate the property".to_owned())
    }
}

/// Checks that every continuation of the steps of `lasso` violates the property.
pub(crate) fn beginning(
    system: &System,
    propositions: &[Proposition],
    property: ReplayedProperty<'_>,
    lasso: &Lasso,
) -> Result<(), String> {
    let decided = match property {
        ReplayedProperty::Formula(formulas, formula) => bad_beginning(
            system,
            propositions,
            formulas,
            formula,
            lasso,
            &Budget::unlimited(),
        )
        .is_some(),
        ReplayedProperty::Never(automaton) => {
            let letters = Letters::new(system, propositions, lasso);
            let mut reached = automaton.initial.clone();
            for position in 0..letters.positions.len() {
                let letter = letters.letter(position, &automaton.atoms);
                let next = reached.iter().flat_map(|q| automaton.reading(*q, letter));
                reached = next.map(|edge| edge.to).collect();
                reached.sort_unstable();
                reached.dedup();
            }
            let forever = accepting_forever(automaton);
            reached.iter().any(|q| forever[q.index()])
        }
    };
    if decided {
        Ok(())
    } else {
        Err("the run has continuations that do not violate the property".to_owned())
    }
}

/// Limit on the formulas that progression may create.
const MOST_FORMULAS: usize = 100_000;

/// A prefix that no continuation makes satisfy the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BadBeginning {
    /// The first position after which no continuation satisfies the formula.
    pub position: usize,
    /// Steps to that position, and the one taken from it if it matters.
    pub steps: usize,
}

/// The prefix of a run after which no continuation satisfies the formula, by progression; `None` if
/// progression does not show it, or if the budget ends.
///
/// A violated safety property has one. Each residual is progressed once per letter: the cost is
/// linear in the run.
pub fn bad_beginning(
    system: &System,
    propositions: &[Proposition],
    formulas: &Formulas,
    formula: Formula,
    lasso: &Lasso,
    budget: &Budget,
) -> Option<BadBeginning> {
    let letters = Letters::new(system, propositions, lasso);
    let atoms = formulas.atoms_of(formula);
    let taken = letters.events(&atoms);
    let mut progression = Progression::new(formulas, atoms);
    let mut residual = formula;
    let ends = lasso
        .steps()
        .last()
        .map_or(&lasso.initial, |step| &step.state);
    let last: (&[Value], Option<EventId>) = (ends, None);
    for (position, (state, event)) in letters.positions.iter().copied().chain([last]).enumerate() {
        budget.check().ok()?;
        let mut lost = true;
        for event in &taken {
            let next = progression.step(residual, |atom| letters.says(atom, state, *event));
            if next != Formulas::FALSE {
                lost = false;
                break;
            }
        }
        if lost {
            let steps = position;
            return Some(BadBeginning { position, steps });
        }
        if progression.is_too_large() || position == letters.positions.len() {
            return None;
        }
        residual = progression.step(residual, |atom| letters.says(atom, state, event));
        if residual == Formulas::FALSE {
            let steps = position + 1;
            return Some(BadBeginning { position, steps });
        }
    }
    None
}

/// Progression of formulas by letters, with a memo table.
struct Progression {
    formulas: Formulas,
    atoms: Vec<AtomId>,
    known: HashMap<(Formula, Vec<bool>), Formula>,
    most: usize,
}

impl Progression {
    fn new(formulas: &Formulas, atoms: Vec<AtomId>) -> Progression {
        Progression {
            most: formulas.len() + MOST_FORMULAS,
            formulas: formulas.clone(),
            atoms,
            known: HashMap::new(),
        }
    }

    fn is_too_large(&self) -> bool {
        self.formulas.len() > self.most
    }

    /// The residual of `formula` after a position with this letter.
    fn step(&mut self, formula: Formula, letter: impl Fn(AtomId) -> bool) -> Formula {
        let values: Vec<bool> = self.atoms.iter().map(|atom| letter(*atom)).collect();
        let (formulas, atoms) = (&mut self.formulas, &self.atoms);
        let key = (formula, values);
        if let Some(residual) = self.known.get(&key) {
            return *residual;
        }
        let value = |atom: AtomId| {
            let at = atoms.iter().position(|known| *known == atom);
            at.is_some_and(|at| key.1[at])
        };
        let residual = progress(formulas, formula, value);
        self.known.insert(key, residual);
        residual
    }
}

/// Checks that `lasso` is a run of `system`, and infinite unless finite runs count.
fn run(system: &System, deadlock: Deadlock, lasso: &Lasso) -> Result<(), String> {
    if !system.initial.contains(&lasso.initial) {
        return Err("the lasso does not start in an initial state".to_owned());
    }
    let mut state = &lasso.initial;
    for (i, step) in lasso.prefix.iter().chain(&lasso.cycle).enumerate() {
        let legal = match step.event {
            Some(event) => system.successors(state, event).contains(&step.state),
            None => {
                deadlock == Deadlock::Stutter && step.state == *state && system.is_deadlock(state)
            }
        };
        if !legal {
            let name = step
                .event
                .map_or("stuttering", |event| &system.event(event).name);
            return Err(format!(
                "step {} of the lasso ({name}) is not a step of the model",
                i + 1
            ));
        }
        state = &step.state;
    }
    if lasso.kind() == EvidenceKind::Prefix {
        return match deadlock {
            Deadlock::Stutter => Ok(()),
            Deadlock::Ignore => Err("a finite prefix does not show an infinite run".to_owned()),
        };
    }
    if lasso.comes_round() {
        Ok(())
    } else {
        Err("the loop of the lasso does not close".to_owned())
    }
}

/// Checks that all rounds of a covering run, each with `growth` more tokens than the one before,
/// can be taken and make the same atoms true.
pub(crate) fn rounds_are_alike(
    system: &System,
    propositions: &[Proposition],
    atoms: &[AtomId],
    lasso: &Lasso,
    growth: &[Value],
) -> Result<(), String> {
    rounds_go_on(system, lasso)?;
    let rounds = std::iter::once(lasso.entry()).chain(lasso.cycle.iter().map(|step| &step.state));
    for (position, state) in rounds.take(lasso.cycle.len()).enumerate() {
        for atom in atoms {
            if let Proposition::State(predicate) = &propositions[atom.index()]
                && settled(system, predicate, state, growth).is_none()
            {
                return Err(format!(
                    "an atom may change at step {} of the loop as tokens accumulate",
                    position + 1
                ));
            }
        }
    }
    Ok(())
}

/// Checks that further rounds of a covering run can be taken.
fn rounds_go_on(system: &System, lasso: &Lasso) -> Result<(), String> {
    // Only missing tokens disable a transition of a net, so more tokens do not.
    let fires = |step: &Step| step.event.is_some();
    if !system.is_net() || system.fault.is_some() || !lasso.cycle.iter().all(fires) {
        return Err("more tokens may disable a step of the loop".to_owned());
    }
    Ok(())
}

/// The letters along a lasso: position `i` is the state before step `i` and the event of step `i`.
pub(crate) struct Letters<'a> {
    system: &'a System,
    propositions: &'a [Proposition],
    positions: Vec<(&'a [Value], Option<EventId>)>,
}

impl<'a> Letters<'a> {
    pub(crate) fn new(
        system: &'a System,
        propositions: &'a [Proposition],
        lasso: &'a Lasso,
    ) -> Letters<'a> {
        let steps = || lasso.prefix.iter().chain(&lasso.cycle);
        let states = std::iter::once(&lasso.initial).chain(steps().map(|step| &step.state));
        let positions = states
            .zip(steps())
            .map(|(state, step): (_, &Step)| (&**state, step.event))
            .collect();
        Letters {
            system,
            propositions,
            positions,
        }
    }

    pub(crate) fn holds(&self, position: usize, atom: AtomId) -> bool {
        let (state, event) = self.positions[position];
        self.says(atom, state, event)
    }

    /// One event, or `None`, per set of these atoms that it makes true.
    fn events(&self, atoms: &[AtomId]) -> Vec<Option<EventId>> {
        let all = std::iter::once(None).chain(self.system.event_ids().map(Some));
        let mut seen = HashSet::new();
        all.filter(|event| {
            let names = |atom: &&AtomId| match &self.propositions[atom.index()] {
                Proposition::State(_) => false,
                Proposition::Fires(events) => event.is_some_and(|event| events.contains(&event)),
            };
            seen.insert(atoms.iter().filter(names).collect::<Vec<_>>())
        })
        .collect()
    }

    /// Returns whether the atom is true in a state from which this event is taken.
    pub(crate) fn says(&self, atom: AtomId, state: &[Value], event: Option<EventId>) -> bool {
        match &self.propositions[atom.index()] {
            Proposition::State(predicate) => self.system.holds(predicate, state),
            Proposition::Fires(events) => event.is_some_and(|event| events.contains(&event)),
        }
    }

    fn letter(&self, position: usize, atoms: &[AtomId]) -> Letter {
        let bits = atoms.iter().enumerate();
        Letter(
            bits.map(|(i, atom)| u64::from(self.holds(position, *atom)) << i)
                .sum(),
        )
    }
}
