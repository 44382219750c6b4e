//! Exact tests of stutter invariance.
//!
//! The closure `cl(A)` adds an edge q –ℓ,a∪b→ q'' wherever q –ℓ,a→ q' –ℓ,b→ q'': it accepts every
//! word from which repeating letters yields a word of L(A). So with A for φ and B for ¬φ
//!
//! > φ is stutter-invariant iff L(cl(A)) ∩ L(cl(B)) = ∅
//!
//! (Michaud and Duret-Lutz, *Practical stutter-invariance checks for ω-regular languages*, SPIN
//! 2015). If letters carry events, graphs that hide silent steps need a weaker property: invariance
//! under inserting a silent letter (L, no event) before a letter with the same state part L. Its
//! closure adds q –(L,e),a∪b→ q'' wherever q –(L,∅),a→ q' –(L,e),b→ q''.
//!
//! Guards are sets of letters, so the closure composes edges by intersection. It may be expensive,
//! hence the budget; a [`Stop`] means that the answer is unknown, never "yes".

use crate::alphabet::LegalLetters;
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use crate::product::disjoint;
use crate::translate::translate;
use lariat_budget::{Budget, Stop};
use lariat_ltl::{Formula, Formulas, classes, simplify};

/// Returns whether the language of `f` is closed under repeating letters and removing repetitions.
///
/// Formulas that can be simplified to one without `X` are invariant and not translated.
pub fn stutter_invariant(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<bool, Stop> {
    let f = simplify(formulas, f);
    if classes(formulas, f).x_free {
        return Ok(true);
    }
    closed(formulas, f, legal, Repeated::Letters, budget)
}

/// Returns whether the language of `f` is closed under adding and removing a letter without event
/// before one with the same state part. The event atoms are those of `legal`.
pub fn silent_step_invariant(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<bool, Stop> {
    if legal.event_atoms().is_empty() {
        return stutter_invariant(formulas, f, legal, budget);
    }
    closed(formulas, f, legal, Repeated::StatePart, budget)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    Letters,
    StatePart,
}

fn closed(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    repeated: Repeated,
    budget: &Budget,
) -> Result<bool, Stop> {
    let not_f = formulas.not(f);
    let mut a = translate(formulas, f, legal, budget)?;
    let mut b = translate(formulas, not_f, legal, budget)?;
    close(&mut a, legal, repeated, budget)?;
    close(&mut b, legal, repeated, budget)?;
    disjoint(&a, &b, legal, budget)
}

/// Adds the edges of the closure under removing repetitions of letters.
pub(crate) fn close_letters(
    a: &mut Automaton,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<(), Stop> {
    close(a, legal, Repeated::Letters, budget)
}

/// Adds the edges of the closure. Every edge is composed with the original edges, so paths of any
/// length are covered when no new edge appears.
fn close(
    a: &mut Automaton,
    legal: &LegalLetters,
    repeated: Repeated,
    budget: &Budget,
) -> Result<(), Stop> {
    let legal_letters = legal.guard(&a.atoms, &mut a.guards);
    let events = a.atoms.iter().enumerate();
    let events = events.filter(|(_, x)| legal.event_atoms().contains(x));
    let events = events.fold(0u64, |mask, (i, _)| mask | 1 << i);
    let mut lease = budget.lease();
    for edges in &mut a.states {
        for t in edges {
            t.guard = a.guards.and(t.guard, legal_letters);
        }
    }
    let original = a.states.clone();
    for q in a.state_ids() {
        // Each edge is composed once with its successors; new edges are appended to the queue.
        let mut next = 0;
        while next < a.states[q.index()].len() {
            budget.check()?;
            budget.spend(1)?;
            let first = a.states[q.index()][next];
            next += 1;
            let enabling = match repeated {
                Repeated::Letters => first.guard,
                Repeated::StatePart => silent(&mut a.guards, first.guard, events),
            };
            for second in &original[first.to.index()] {
                let composed = Transition {
                    guard: a.guards.and(enabling, second.guard),
                    marks: first.marks.union(second.marks),
                    to: second.to,
                };
                add(a, q, composed);
            }
            lease.resize(a.guards.bytes() + a.states[q.index()].len() * 24)?;
        }
    }
    crate::reduce::merge_edges(a);
    Ok(())
}

/// All letters whose state part occurs in `f` without an event.
fn silent(guards: &mut Guards, f: Guard, events: u64) -> Guard {
    let mut silent = f;
    for i in (0..64).filter(|i| events >> i & 1 == 1) {
        let v = guards.atom(i);
        silent = guards.minus(silent, v);
    }
    guards.exists(silent, events)
}

/// Adds the letters of `new` that no edge of `q` with the same target and at least its marks reads.
fn add(a: &mut Automaton, q: StateId, mut new: Transition) {
    for t in &a.states[q.index()] {
        if t.to == new.to && t.marks.contains(new.marks) {
            new.guard = a.guards.minus(new.guard, t.guard);
        }
    }
    if new.guard != Guards::FALSE {
        a.states[q.index()].push(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Letter, Word, read_hoa};
    use lariat_ltl::{FreeVocabulary, parse};

    #[test]
    fn both_directions_count() {
        for (text, invariant) in [
            // Repeating `a` preserves the property, removing a repetition may not.
            ("F(a & X a)", false),
            ("G(a -> X a)", true),
            // The converse.
            ("G(a -> X !a)", false),
            ("G(a -> X(a | b))", true),
            ("G(a -> X b)", false),
            ("X a", false),
            ("a & X a", false),
            ("!a | X !a", false),
            ("G(a -> X X b) & G F X b", false),
            ("F G a", true),
            ("a W (b & X b)", false),
        ] {
            let mut formulas = Formulas::new();
            let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
            let answer =
                stutter_invariant(&mut formulas, f, &LegalLetters::any(), &Budget::unlimited());
            assert_eq!(answer, Ok(invariant), "{text}");
        }
    }

    /// `a` three times and then `!a`, repeatedly, with the mark on the last `a` only: reading `a`
    /// once represents all three and carries that mark.
    #[test]
    fn one_letter_represents_repetitions_and_their_marks() {
        let text = r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0) --BODY--
            State: 0 [0] 1 State: 1 [0] 2 State: 2 [0] 3 {0} State: 3 [!0] 0 --END--"#;
        let mut formulas = Formulas::new();
        let read = read_hoa(text, &mut |name| Ok(formulas.atom_id(name)));
        let mut a = read.unwrap().automaton;
        close_letters(&mut a, &LegalLetters::any(), &Budget::unlimited()).unwrap();
        for (times, accepted) in [(0, false), (1, true), (2, true), (3, true), (4, false)] {
            let mut cycle = vec![Letter(1); times];
            cycle.push(Letter(0));
            let prefix = Vec::new();
            assert_eq!(a.accepts(&Word { prefix, cycle }), accepted, "{times}");
        }
    }

    /// If simplification removes every `X`, the formula is not translated.
    #[test]
    fn removable_x_is_ignored() {
        let nothing = Budget::unlimited().with_work(0);
        for (text, invariant) in [
            ("X G F a", true),
            ("G F X a -> F G X X b", true),
            ("G F X(a & X a)", false),
        ] {
            let mut formulas = Formulas::new();
            let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
            let answer = stutter_invariant(&mut formulas, f, &LegalLetters::any(), &nothing);
            assert_eq!(answer.is_ok(), invariant, "{text}");
        }
    }
}
