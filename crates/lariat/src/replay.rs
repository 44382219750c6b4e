//! The independent checker: is this lasso a run of the system, and does it violate the property?
//!
//! It knows nothing of engines, products or packed states. It runs the original system with the
//! reference semantics of `model` and evaluates the original formula with the plain fixpoints of
//! `ltl`, or the given automaton by following all its runs over the lasso's word.
//!
//! A covering run `m1 –w→ m1 + Δ` repeats `w` for ever with `Δ` more in every round. It has the word of a lasso if each
//! atom of the property has, at each position of `w`, one truth value for all rounds; `settled.rs` tells.

use crate::settled::settled;
use lariat_automata::{Automaton, Letter, Word};
use lariat_ltl::{AtomId, Formula, Formulas, progress};
use lariat_model::{Deadlock, EventId, Lasso, Proposition, Step, System, Value};

/// What was to be checked.
#[derive(Clone, Copy, Debug)]
pub enum Property<'a> {
    /// Every run satisfies the formula.
    Formula(&'a Formulas, Formula),
    /// No run is accepted by the automaton.
    Never(&'a Automaton),
}

/// Checks that `lasso` is a run of `system` that violates `property`; says what is wrong if not.
///
/// `propositions` gives the meaning of every atom, by [`AtomId`].
pub fn replay(
    system: &System,
    propositions: &[Proposition],
    property: Property<'_>,
    deadlock: Deadlock,
    lasso: &Lasso,
) -> Result<(), String> {
    run(system, deadlock, lasso)?;
    if let Some(growth) = &lasso.growth {
        let atoms = match property {
            Property::Formula(formulas, formula) => formulas.atoms_of(formula),
            Property::Never(automaton) => automaton.atoms.clone(),
        };
        rounds_are_alike(system, propositions, &atoms, lasso, growth)?;
    }
    let letters = Letters::new(system, propositions, lasso);
    let violated = match property {
        Property::Formula(formulas, formula) => !lariat_ltl::holds(
            formulas,
            formula,
            lasso.prefix.len(),
            lasso.cycle.len(),
            |position, atom| letters.holds(position, atom),
        ),
        Property::Never(automaton) => {
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

/// Formulas that progression may make before nobody waits for it.
const MOST_FORMULAS: usize = 100_000;

/// The first position of a run after which no continuation satisfies the formula, by progression; `None` if that is not seen.
///
/// A violated safety property has one. The run need not be continued as the lasso continues it.
pub fn bad_position(
    system: &System,
    propositions: &[Proposition],
    (formulas, formula): (&Formulas, Formula),
    lasso: &Lasso,
) -> Option<usize> {
    let letters = Letters::new(system, propositions, lasso);
    let mut formulas = formulas.clone();
    let most = formulas.len() + MOST_FORMULAS;
    let mut left = formula;
    for position in 0..letters.positions.len() {
        left = progress(&mut formulas, left, |atom| letters.holds(position, atom));
        if left == Formulas::FALSE {
            return Some(position);
        }
        if formulas.len() > most {
            return None;
        }
    }
    None
}

/// Checks that `lasso` is an infinite run of `system`.
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
                "step {} of the lasso ({name}) is none of the model",
                i + 1
            ));
        }
        state = &step.state;
    }
    match lasso.comes_round() {
        true => Ok(()),
        false => Err("the loop of the lasso does not close".to_owned()),
    }
}

/// Checks that all rounds of a covering run, each with `growth` more than the one before, can be taken and make the same
/// atoms true.
pub(crate) fn rounds_are_alike(
    system: &System,
    propositions: &[Proposition],
    atoms: &[AtomId],
    lasso: &Lasso,
    growth: &[Value],
) -> Result<(), String> {
    // Transitions of a net mind nothing but missing tokens.
    let fires = |step: &Step| step.event.is_some();
    if !system.is_net() || system.fault.is_some() || !lasso.cycle.iter().all(fires) {
        return Err("more tokens may keep the loop from being taken again".to_owned());
    }
    let rounds = std::iter::once(lasso.entry()).chain(lasso.cycle.iter().map(|step| &step.state));
    for (position, state) in rounds.take(lasso.cycle.len()).enumerate() {
        for atom in atoms {
            if let Proposition::State(predicate) = &propositions[atom.index()]
                && settled(system, predicate, state, growth).is_none()
            {
                return Err(format!(
                    "an atom may change at step {} of the loop when tokens are added",
                    position + 1
                ));
            }
        }
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
