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
use lariat_budget::{Budget, Lease, Stop};
use lariat_ltl::{AtomId, Formula, Formulas, progress};
use lariat_model::{
    Deadlock, EventId, EvidenceKind, Lasso, Proposition, ReplayError, Step, System, Value,
};
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

    fn atoms(self) -> Vec<AtomId> {
        match self {
            ReplayedProperty::Formula(formulas, formula) => formulas.atoms_of(formula),
            ReplayedProperty::Never(automaton) => automaton.atoms.clone(),
        }
    }
}

/// Checks that `lasso` is a run of `system` that violates the property; the error says why not.
///
/// `propositions` gives the meaning of every atom, by [`AtomId`]. The cost is linear in the changes
/// along the run.
pub fn replay(
    meaning: Interpretation<'_>,
    property: ReplayedProperty<'_>,
    deadlock: Deadlock,
    lasso: &Lasso,
    budget: &Budget,
) -> Result<(), ReplayError> {
    run(meaning.system, deadlock, lasso, budget)?;
    if lasso.kind() == EvidenceKind::Prefix {
        return beginning(meaning, property, lasso, budget);
    }
    let atoms = property.atoms();
    if let Some(growth) = &lasso.growth {
        let alike = rounds_are_alike(meaning, &atoms, lasso, growth);
        if alike.is_err() && beginning(meaning, property, lasso, budget).is_ok() {
            // The rounds show that the run is infinite; its further letters do not matter.
            return Ok(rounds_go_on(meaning.system, lasso)?);
        }
        alike?;
    }
    let letters = Letters::new(meaning, &atoms, lasso, budget)?;
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
                steps.map(|position| letters.letter(position)).collect()
            };
            let split = lasso.prefix.len();
            automaton.accepts(&Word {
                prefix: word(0..split),
                cycle: word(split..lasso.len()),
            })
        }
    };
    if violated {
        Ok(())
    } else {
        Err(String::from(
            "the lasso is a run of the model, but it does not violate the property",
        ))?
    }
}

/// Checks that every continuation of the steps of `lasso` violates the property.
pub(crate) fn beginning(
    meaning: Interpretation<'_>,
    property: ReplayedProperty<'_>,
    lasso: &Lasso,
    budget: &Budget,
) -> Result<(), ReplayError> {
    let decided = match property {
        ReplayedProperty::Formula(formulas, formula) => {
            bad_beginning(meaning, formulas, formula, lasso, budget)?.is_some()
        }
        ReplayedProperty::Never(automaton) => {
            let letters = Letters::new(meaning, &automaton.atoms, lasso, budget)?;
            let mut reached = automaton.initial.clone();
            for position in 0..lasso.len() {
                let letter = letters.letter(position);
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
        Err(String::from(
            "the run has continuations that do not violate the property",
        ))?
    }
}

/// Positions between two polls of the budget.
const POLL_INTERVAL: usize = 64;

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
/// progression does not show it.
///
/// A violated safety property has one. Each residual is progressed once per letter: the cost is
/// linear in the run.
pub fn bad_beginning(
    meaning: Interpretation<'_>,
    formulas: &Formulas,
    formula: Formula,
    lasso: &Lasso,
    budget: &Budget,
) -> Result<Option<BadBeginning>, Stop> {
    let atoms = formulas.atoms_of(formula);
    let taken = meaning.events(&atoms);
    let mut progression = Progression::new(formulas, atoms);
    let mut residual = formula;
    let mut run = lasso.cursor();
    for position in 0.. {
        if position % POLL_INTERVAL == 0 {
            budget.check()?;
        }
        let event = run.next().map(|(_, step)| step.event);
        let state = run.source();
        let mut lost = true;
        for event in &taken {
            let next = progression.step(residual, |atom| meaning.says(atom, state, *event));
            if next != Formulas::FALSE {
                lost = false;
                break;
            }
        }
        if lost {
            let steps = position;
            return Ok(Some(BadBeginning { position, steps }));
        }
        let Some(event) = event.filter(|_| !progression.is_too_large()) else {
            break;
        };
        residual = progression.step(residual, |atom| meaning.says(atom, state, event));
        if residual == Formulas::FALSE {
            let steps = position + 1;
            return Ok(Some(BadBeginning { position, steps }));
        }
    }
    Ok(None)
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
fn run(
    system: &System,
    deadlock: Deadlock,
    lasso: &Lasso,
    budget: &Budget,
) -> Result<(), ReplayError> {
    if !system.initial.contains(&lasso.initial) {
        Err("the lasso does not start in an initial state".to_owned())?;
    }
    let mut run = lasso.cursor();
    let mut position = 0;
    while let Some((state, step)) = run.next() {
        if position % POLL_INTERVAL == 0 {
            budget.check()?;
        }
        position += 1;
        let legal = match step.event {
            Some(event) => system.steps(state, event).contains(step),
            None => {
                deadlock == Deadlock::Stutter
                    && step.changes().is_empty()
                    && system.is_deadlock(state)
            }
        };
        if !legal {
            let event = step.event.map(|event| &*system.event(event).name);
            let name = event.unwrap_or("stuttering");
            Err(format!(
                "step {position} of the lasso ({name}) is not a step of the model"
            ))?;
        }
    }
    if lasso.kind() == EvidenceKind::Prefix {
        return match deadlock {
            Deadlock::Stutter => Ok(()),
            Deadlock::Ignore => Err("a finite prefix does not show an infinite run".to_owned())?,
        };
    }
    if lasso.comes_round() {
        Ok(())
    } else {
        Err("the loop of the lasso does not close".to_owned())?
    }
}

/// Checks that all rounds of a covering run, each with `growth` more tokens than the one before,
/// can be taken and make the same atoms true.
pub(crate) fn rounds_are_alike(
    meaning: Interpretation<'_>,
    atoms: &[AtomId],
    lasso: &Lasso,
    growth: &[Value],
) -> Result<(), String> {
    let Interpretation {
        system,
        propositions,
    } = meaning;
    rounds_go_on(system, lasso)?;
    let mut rounds = lasso.cycle_cursor();
    let mut position = 0;
    while let Some((state, _)) = rounds.next() {
        position += 1;
        for atom in atoms {
            if let Proposition::State(predicate) = &propositions[atom.index()]
                && settled(system, predicate, state, growth).is_none()
            {
                return Err(format!(
                    "an atom may change at step {position} of the loop as tokens accumulate"
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

/// The meaning of atoms: a system, and by [`AtomId`] a proposition about it.
#[derive(Clone, Copy, Debug)]
pub struct Interpretation<'a> {
    /// The system.
    pub system: &'a System,
    /// By atom: its proposition.
    pub propositions: &'a [Proposition],
}

impl Interpretation<'_> {
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
}

/// The letters along a lasso: position `i` is the state before step `i` and the event of step `i`.
struct Letters {
    columns: HashMap<AtomId, usize>,
    /// By position and column: the truth of an atom.
    truth: Vec<bool>,
    /// Number of columns.
    width: usize,
    _lease: Lease,
}

impl Letters {
    fn new(
        meaning: Interpretation<'_>,
        atoms: &[AtomId],
        lasso: &Lasso,
        budget: &Budget,
    ) -> Result<Letters, Stop> {
        let cells = lasso.len().saturating_mul(atoms.len());
        let mut lease = budget.lease();
        lease.resize(cells)?;
        let mut truth = Vec::with_capacity(cells);
        let mut run = lasso.cursor();
        let mut position = 0;
        while let Some((state, step)) = run.next() {
            if position % POLL_INTERVAL == 0 {
                budget.check()?;
            }
            position += 1;
            let atoms = atoms.iter();
            truth.extend(atoms.map(|atom| meaning.says(*atom, state, step.event)));
        }
        Ok(Letters {
            columns: atoms.iter().copied().zip(0..).collect(),
            truth,
            width: atoms.len(),
            _lease: lease,
        })
    }

    fn holds(&self, position: usize, atom: AtomId) -> bool {
        let column = self.columns.get(&atom);
        column.is_some_and(|column| self.at(position)[*column])
    }

    fn at(&self, position: usize) -> &[bool] {
        &self.truth[position * self.width..][..self.width]
    }

    fn letter(&self, position: usize) -> Letter {
        let bits = self.at(position).iter().enumerate();
        Letter(bits.map(|(i, is_true)| u64::from(*is_true) << i).sum())
    }
}
