//! Stutter-invariance test for automata that are given without a formula to negate.
//!
//! *Deterministic* automata are complemented, and the test of `stutter.rs` is exact. A run is
//! rejected if it carries some mark `i` finitely often, so the complement follows the automaton,
//! guesses a mark and a moment, and continues in a copy without the edges of that mark.
//!
//! *Nondeterministic* automata are compared with themselves by direct simulation `≤` (the right
//! side answers every edge of the left by the same letter with at least its marks), which is sound
//! and incomplete:
//!
//! ```text
//! cl(A) ≤ A                                             repetitions may be removed
//! q –ℓ→ q'  implies  q' –ℓ→ r for some r ≥ q'            letters may be repeated
//! ```
//!
//! In the second case a run on the word with repetitions stays in states that are `≥` those of the
//! original run. Marks on edges that are on no cycle are irrelevant and ignored. The answer `false`
//! means unknown.

use crate::alphabet::LegalLetters;
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use crate::product::disjoint;
use crate::scc::automaton_components;
use crate::stutter::close_letters;
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;

/// Maximum number of state pairs for simulation: each is compared many times.
const MOST_PAIRS: usize = 10_000;

/// Returns whether the language of `a` is known to be closed under repeating letters and removing
/// repetitions.
pub fn stutter_invariant_language(
    a: &Automaton,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<bool, Stop> {
    let mut closure = a.clone();
    close_letters(&mut closure, legal, budget)?;
    if a.is_deterministic() {
        let mut complement = complement(a);
        close_letters(&mut complement, legal, budget)?;
        return disjoint(&closure, &complement, legal, budget);
    }
    if a.states.len() * a.states.len() > MOST_PAIRS {
        return Ok(false);
    }
    without_idle_marks(&mut closure);
    let mut plain = a.clone();
    without_idle_marks(&mut plain);
    let mut guards = closure.guards.clone();
    let atoms: Vec<usize> = (0..a.atoms.len()).collect();
    for t in plain.states.iter_mut().flatten() {
        t.guard = guards.import(&a.guards, t.guard, &atoms);
    }
    let leaves_out = simulation(&closure.states, &plain.states, &mut guards, budget)?;
    let starts = a
        .initial
        .iter()
        .all(|p| a.initial.iter().any(|q| leaves_out[p.index()][q.index()]));
    if !starts {
        return Ok(false);
    }
    let above = simulation(&plain.states, &plain.states, &mut guards, budget)?;
    Ok(repeats(&plain.states, &above, &mut guards))
}

/// Returns whether every letter can be read again, towards a state that simulates its target.
fn repeats(states: &[Vec<Transition>], above: &[Vec<bool>], guards: &mut Guards) -> bool {
    states.iter().flatten().all(|first| {
        let to = first.to.index();
        let again = states[to].iter().filter(|t| above[to][t.to.index()]);
        let again: Vec<Guard> = again.map(|t| t.guard).collect();
        covers(&again, first.guard, guards)
    })
}

/// The direct simulation relation, indexed by states of the left and of the right automaton.
fn simulation(
    left: &[Vec<Transition>],
    right: &[Vec<Transition>],
    guards: &mut Guards,
    budget: &Budget,
) -> Result<Vec<Vec<bool>>, Stop> {
    let mut relation = vec![vec![true; right.len()]; left.len()];
    loop {
        let mut changed = false;
        for p in 0..left.len() {
            for q in 0..right.len() {
                if !relation[p][q] {
                    continue;
                }
                budget.check()?;
                budget.spend(1)?;
                let matched = left[p].iter().all(|t| {
                    let answers = right[q].iter();
                    let answers: Vec<Guard> = answers
                        .filter(|u| relation[t.to.index()][u.to.index()])
                        .filter(|u| u.marks.contains(t.marks))
                        .map(|u| u.guard)
                        .collect();
                    covers(&answers, t.guard, guards)
                });
                if !matched {
                    relation[p][q] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return Ok(relation);
        }
    }
}

/// Returns whether the others cover every letter of `wanted`.
fn covers(others: &[Guard], wanted: Guard, guards: &mut Guards) -> bool {
    let mut left = wanted;
    for other in others {
        left = guards.minus(left, *other);
    }
    left == Guards::FALSE
}

/// Removes the marks from edges that are on no cycle.
fn without_idle_marks(a: &mut Automaton) {
    let of = automaton_components(a).of;
    for (q, edges) in a.states.iter_mut().enumerate() {
        for t in edges {
            if of[q] != of[t.to.index()] {
                t.marks = Marks::NONE;
            }
        }
    }
}

/// The complement of a deterministic automaton.
fn complement(a: &Automaton) -> Automaton {
    let mut guards = a.guards.clone();
    let (all, mut states) = a.normal_edges(&mut guards);
    let sink = StateId(states.len() as u32);
    for edges in &mut states {
        let mut missing = Guards::TRUE;
        for t in edges.iter() {
            missing = guards.minus(missing, t.guard);
        }
        if missing != Guards::FALSE {
            edges.push(Transition {
                guard: missing,
                marks: Marks::NONE,
                to: sink,
            });
        }
    }
    states.push(vec![Transition {
        guard: Guards::TRUE,
        marks: Marks::NONE,
        to: sink,
    }]);
    let size = states.len() as u32;
    let followed = states.clone();
    for (k, mark) in (1..).zip(all.iter()) {
        let moved = |t: &Transition, marks| Transition {
            marks,
            to: StateId(t.to.0 + k * size),
            ..*t
        };
        for (q, edges) in followed.iter().enumerate() {
            states[q].extend(edges.iter().map(|t| moved(t, Marks::NONE)));
            let without = edges.iter().filter(|t| !t.marks.contains(Marks::one(mark)));
            states.push(without.map(|t| moved(t, Marks::one(0))).collect());
        }
    }
    for t in states.iter_mut().take(size as usize).flatten() {
        t.marks = Marks::NONE;
    }
    Automaton {
        atoms: a.atoms.clone(),
        guards,
        mark_count: 1,
        initial: match a.initial.first() {
            Some(first) => vec![*first],
            None => vec![sink],
        },
        states,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Letter;
    use crate::stutter::stutter_invariant;
    use crate::translate::translate;
    use crate::word::Word;
    use lariat_ltl::{Formulas, FreeVocabulary, OperatorWeights, Random, parse, random_formula};

    /// The test agrees with the exact one for the formula if the automaton is deterministic;
    /// otherwise it is sound.
    #[test]
    fn agrees_with_the_test_on_formulas() {
        let mut random = Random::new(11);
        let budget = Budget::unlimited();
        let any = LegalLetters::any();
        let mut counts = [0; 4];
        for case in 0..600 {
            let mut formulas = Formulas::new();
            let f = match case {
                0 => parse("F G a", &mut formulas, &mut FreeVocabulary).unwrap(),
                1 => parse("F(a & X a)", &mut formulas, &mut FreeVocabulary).unwrap(),
                2 => parse("false", &mut formulas, &mut FreeVocabulary).unwrap(),
                _ => {
                    let atoms = ["a", "b"].map(|name| formulas.atom_id(name));
                    random_formula(&mut formulas, &atoms, 7, &OperatorWeights::ALL, &mut random)
                }
            };
            let a = translate(&mut formulas, f, &any, &budget).unwrap();
            let expected = stutter_invariant(&mut formulas, f, &any, &budget).unwrap();
            let known = stutter_invariant_language(&a, &any, &budget).unwrap();
            assert!(expected || !known, "case {case}");
            if a.is_deterministic() {
                assert_eq!(known, expected, "case {case}");
                let b = complement(&a);
                let mut letters = |n: usize| -> Vec<Letter> {
                    (0..n).map(|_| Letter(random.below(4u64))).collect()
                };
                for _ in 0..10 {
                    let word = Word {
                        prefix: letters(2),
                        cycle: letters(2),
                    };
                    assert_ne!(a.accepts(&word), b.accepts(&word), "case {case}: {word:?}");
                }
            }
            counts[usize::from(a.is_deterministic()) + 2 * usize::from(known == expected)] += 1;
        }
        // Most nondeterministic automata are recognised as well.
        assert!(counts[2] > 2 * counts[0], "{counts:?}");
    }
}
