//! States from which an automaton accepts every word.
//!
//! A run that reaches such a state is accepted for every continuation, so its prefix is evidence.
//! Let `F(X)` be the letters with an edge into `X` that carries all marks, and `A(Y)` those with
//! any edge into `Y`. The states are
//!
//! ```text
//! μY. νX. { q | F(X) ∪ A(Y) = all letters }
//! ```
//!
//! that is, after finitely many steps every edge carries all marks forever. Universality itself is
//! as hard as complementation. This test is local to edges: it finds the final states of translated
//! guarantee formulas and misses languages that are universal only by several runs together. It
//! also covers safety automata, whose edges carry all marks because there are none.

use crate::automaton::{Automaton, Transition};
use crate::guard::{Guard, Guards};
use crate::testing::Testing;
use lariat_emptiness::Marks;

/// For each state, whether every word is accepted from there by the local test.
pub fn accepting_forever(automaton: &Automaton) -> Vec<bool> {
    let mut guards = automaton.guards.clone();
    let rest = Some(Guards::FALSE);
    let states = automaton.states.iter().map(|edges| State { edges, rest });
    let states: Vec<State<'_>> = states.collect();
    solve(&states, automaton.all_marks(), &mut guards)
}

impl Testing {
    /// For each state, whether every continuation is accepted from there by the local test,
    /// including staying indefinitely.
    pub fn accepting_forever(&self) -> Vec<bool> {
        let mut guards = self.guards.clone();
        let nothing = (0..Guards::MAX_ATOMS)
            .filter(|atom| self.observed >> atom & 1 == 1)
            .fold(Guards::TRUE, |all, atom| {
                let changed = guards.atom(atom);
                guards.minus(all, changed)
            });
        let states: Vec<State<'_>> = self
            .states
            .iter()
            .map(|state| State {
                edges: &state.changes,
                rest: state.livelock.then_some(nothing),
            })
            .collect();
        solve(&states, self.all_marks(), &mut guards)
    }
}

/// A state as operand of the equation.
struct State<'a> {
    edges: &'a [Transition],
    /// Letters that need no edge; `None` excludes the state.
    rest: Option<Guard>,
}

fn solve(states: &[State<'_>], all: Marks, guards: &mut Guards) -> Vec<bool> {
    let mut least = vec![false; states.len()];
    loop {
        let mut greatest = vec![true; states.len()];
        loop {
            let mut changed = false;
            for (q, state) in states.iter().enumerate() {
                if greatest[q] && !reads_everything(state, all, &least, &greatest, guards) {
                    greatest[q] = false;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        // The equation is monotone, so the set only grows.
        if greatest == least {
            return least;
        }
        least = greatest;
    }
}

fn reads_everything(
    state: &State<'_>,
    all: Marks,
    least: &[bool],
    greatest: &[bool],
    guards: &mut Guards,
) -> bool {
    let Some(mut read) = state.rest else {
        return false;
    };
    for edge in state.edges {
        let to = edge.to.index();
        if least[to] || greatest[to] && edge.marks.contains(all) {
            read = guards.or(read, edge.guard);
        }
        if read == Guards::TRUE {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::LegalLetters;
    use crate::testing::{Ta, Tgta};
    use crate::translate::translate;
    use lariat_budget::Budget;
    use lariat_ltl::{Formulas, FreeVocabulary, parse};

    fn automaton(text: &str) -> Automaton {
        let mut formulas = Formulas::new();
        let formula = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
        let (any, unlimited) = (LegalLetters::any(), Budget::unlimited());
        translate(&mut formulas, formula, &any, &unlimited).unwrap()
    }

    fn count(states: &[bool]) -> usize {
        states.iter().filter(|forever| **forever).count()
    }

    #[test]
    fn guarantees_end_in_a_universal_state_and_recurrence_does_not() {
        for (text, expected) in [
            ("F bad", 1),
            ("F(a & X b)", 1),
            ("a U b", 1),
            ("X X true", 1),
            ("G F a", 0),
            ("F G a", 0),
            ("G a", 0),
            ("F(a & G b)", 0),
            ("a U (b & G F c)", 0),
        ] {
            let found = accepting_forever(&automaton(text));
            assert_eq!(count(&found), expected, "{text}");
        }
    }

    #[test]
    fn testing_automata_have_universal_states() {
        let budget = Budget::unlimited();
        for (text, expected) in [("F bad", true), ("a U b", true), ("G F a", false)] {
            let automaton = automaton(text);
            let ta = Ta::new(&automaton, &budget).unwrap().0;
            let tgta = Tgta::new(&automaton, &budget).unwrap().0;
            for found in [ta, tgta].map(|testing| testing.accepting_forever()) {
                assert_eq!(count(&found) > 0, expected, "{text}: {found:?}");
            }
        }
    }
}
