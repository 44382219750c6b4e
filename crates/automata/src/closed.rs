//! Is the language of an automaton invariant under stuttering? For automata that were given, without a formula to be negated.
//!
//! *Deterministic* automata are complemented, and the test of `stutter.rs` is exact. With every mark `i` a run is rejected that carries `i` finitely often, so the
//! complement follows the automaton, guesses a mark and a moment, and goes on in a copy without the edges of that mark.
//!
//! *Others* are compared with themselves by direct simulation `≤` (whatever the left does, the right can do by the same letter with as many marks), which
//! is sound and not complete:
//!
//! ```text
//! cl(A) ≤ A                                             repetitions may be left out
//! q –ℓ→ q'  implies  q' –ℓ→ r for some r ≥ q'            letters may be repeated
//! ```
//!
//! In the second case a run of the word with repetitions keeps to states that are `≥` those of the original run. Marks on edges that are on no cycle decide
//! nothing and are not asked for. "No" means that it is not known.

use crate::alphabet::Legal;
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use crate::product::disjoint;
use crate::scc::automaton_components;
use crate::stutter::close_letters;
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;

/// Pairs of states beyond which simulations are not tried: they are compared many times each.
const MOST_PAIRS: usize = 10_000;

/// Is the language of `a` known to be closed under repeating letters and removing repetitions?
pub fn stutter_invariant_language(
    a: &Automaton,
    legal: &Legal,
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

/// Can every letter be read once more, towards a state that can do whatever the one it led to can?
fn repeats(states: &[Vec<Transition>], above: &[Vec<bool>], guards: &mut Guards) -> bool {
    states.iter().flatten().all(|first| {
        let to = first.to.index();
        let again = states[to].iter().filter(|t| above[to][t.to.index()]);
        let again: Vec<Guard> = again.map(|t| t.guard).collect();
        covers(&again, first.guard, guards)
    })
}

/// By states `p` of the left and `q` of the right: can `q` do whatever `p` does, by the same letters and with as many marks, for ever?
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

/// Is every letter of `wanted` in one of the others?
fn covers(others: &[Guard], wanted: Guard, guards: &mut Guards) -> bool {
    let mut left = wanted;
    for other in others {
        left = guards.minus(left, *other);
    }
    left == Guards::FALSE
}

/// Takes the marks from edges that are on no cycle, and a mark for every run from automata without marks.
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

/// The words that a deterministic automaton does not accept.
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
    use lariat_ltl::{Formulas, FreeVocabulary, Random, Weights, parse, random_formula};

    /// What the test says of an automaton is what the exact one says of its formula; of automata that are not deterministic it may know less.
    #[test]
    fn automata_are_known_as_their_formulas_are() {
        let mut random = Random::new(11);
        let budget = Budget::unlimited();
        let any = Legal::any();
        let mut counts = [0; 4];
        for case in 0..600 {
            let mut formulas = Formulas::new();
            let f = match case {
                0 => parse("F G a", &mut formulas, &mut FreeVocabulary).unwrap(),
                1 => parse("F(a & X a)", &mut formulas, &mut FreeVocabulary).unwrap(),
                2 => parse("false", &mut formulas, &mut FreeVocabulary).unwrap(),
                _ => {
                    let atoms = ["a", "b"].map(|name| formulas.atom_id(name));
                    random_formula(&mut formulas, &atoms, 7, &Weights::ALL, &mut random)
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
        // Most of those that are not deterministic are known too.
        assert!(counts[2] > 2 * counts[0], "{counts:?}");
    }
}
