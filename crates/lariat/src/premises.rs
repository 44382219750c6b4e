//! Premises that are fairness: decides `(GF b₁ ∧ … ∧ GF bₙ) → f` as the property `f` on fair runs.
//!
//! A run violates the implication iff it violates `f` and every `bᵢ` recurs on it. That is weak
//! fairness to a constraint
//!
//! ```text
//! enabled where no state part of bᵢ holds,   met by the events of bᵢ      bᵢ = p ∨ fires(t) ∨ …
//! ```
//!
//! Engines that support constraints get an automaton for `¬f` alone. Unlike fairness of events such
//! a constraint may be enabled in a dead state: on a finite run a condition recurs if it holds in
//! the last state. Conditions of another form, and few conditions, stay in the automaton. The
//! replay still evaluates the whole property.

use crate::subject::Subject;
use lariat_automata::recurring_conditions;
use lariat_ltl::{Formula, Formulas, Node};
use lariat_model::{Constraint, EventId, Predicate, Proposition, Strength};

/// Splits the negation of a property into conditions that recur on its runs, and the rest.
pub(crate) fn premises(
    subject: &Subject<'_>,
    formulas: &mut Formulas,
    negation: Formula,
) -> Option<(Formula, Vec<Constraint>)> {
    let (rest, conditions) = recurring_conditions(formulas, negation)?;
    let (mut left, mut assumed) = (vec![rest], Vec::new());
    for condition in conditions {
        match constraint(subject, formulas, condition) {
            Some(constraint) => assumed.push(constraint),
            None => {
                let sometime = formulas.finally(condition);
                left.push(formulas.globally(sometime));
            }
        }
    }
    Some((formulas.and(left), assumed))
}

/// The constraint that a condition recurs: a state predicate, an event, or a disjunction.
fn constraint(
    subject: &Subject<'_>,
    formulas: &Formulas,
    condition: Formula,
) -> Option<Constraint> {
    let parts = match formulas.node(condition) {
        Node::Or(parts) => parts.to_vec(),
        _ => vec![condition],
    };
    let (mut holds, mut taken) = (Vec::new(), Vec::new());
    for part in parts {
        match events(subject, formulas, part) {
            Some(events) => taken.extend_from_slice(events),
            None => holds.push(predicate(subject, formulas, part)?),
        }
    }
    taken.sort_unstable();
    taken.dedup();
    Some(Constraint {
        name: "a premise of the property".to_owned(),
        strength: Strength::Weak,
        enabled: Predicate::Not(Box::new(Predicate::Or(holds))),
        taken,
    })
}

/// The events of a `fires` atom.
fn events<'s>(
    subject: &'s Subject<'_>,
    formulas: &Formulas,
    atom: Formula,
) -> Option<&'s [EventId]> {
    match formulas.node(atom) {
        Node::Atom(atom) => match &subject.propositions()[atom.index()] {
            Proposition::Fires(events) => Some(events),
            Proposition::State(_) => None,
        },
        _ => None,
    }
}

/// A Boolean formula as a state predicate; `None` if it has a `fires` atom.
fn predicate(subject: &Subject<'_>, formulas: &Formulas, f: Formula) -> Option<Predicate> {
    let all = |parts: &[Formula]| -> Option<Vec<Predicate>> {
        parts
            .iter()
            .map(|part| predicate(subject, formulas, *part))
            .collect()
    };
    Some(match formulas.node(f) {
        Node::True => Predicate::Const(true),
        Node::False => Predicate::Const(false),
        Node::Atom(atom) => match &subject.propositions()[atom.index()] {
            Proposition::State(predicate) => predicate.clone(),
            Proposition::Fires(_) => return None,
        },
        Node::Not(f) => Predicate::Not(Box::new(predicate(subject, formulas, *f)?)),
        Node::And(parts) => Predicate::And(all(parts)?),
        Node::Or(parts) => Predicate::Or(all(parts)?),
        _ => return None,
    })
}
