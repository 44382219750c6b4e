//! Conditions of partial-order reduction: which problems it preserves, and their visible predicates.
//!
//! Ample sets preserve properties of states that are stutter-invariant, without fairness. The
//! predicates that the automaton reads, and the claims of the model, are *visible*.
//!
//! `deadlock && p` is true in deadlocks only. Every deadlock without a failure is a state of the
//! reduced graph, reached by the same steps in another order, and the predicate is false in all
//! states before it. So the predicate is invisible if the automaton reads no predicate of another
//! form, whose changes might be ordered with it. A failure may stop the system at other locations
//! than in the full graph, so `p` is visible if the system can fail. Of a claim, only reachability
//! matters.

use crate::alphabet::state_propositions;
use crate::problem::Problem;
use lariat_model::Predicate;

/// The predicates whose truth ample sets must preserve; `None` if all steps must be explored.
pub(crate) fn visible<'p>(problem: &Problem<'p>) -> Option<Vec<&'p Predicate>> {
    let is_supported = problem.partial_order
        && problem.invariance.letters
        && problem.fairness.is_empty()
        && !problem.reads_events();
    if !is_supported {
        return None;
    }
    let read = problem.automaton.support();
    let atoms = state_propositions(problem.propositions);
    let atoms: Vec<_> = { atoms.filter(|(bit, _)| bit & read != 0) }
        .map(|(_, predicate)| predicate)
        .collect();
    let of_deadlocks = { atoms.iter() }
        .filter(|atom| beside_deadlock(atom).is_some())
        .count();
    let mut visible = Vec::new();
    for predicate in atoms.iter().copied().chain(problem.claims) {
        match beside_deadlock(predicate) {
            Some(others) if problem.system.fault.is_some() => visible.extend(others),
            Some(_) => {}
            None if predicate.reads_events() => return None,
            None => visible.push(predicate),
        }
    }
    (of_deadlocks == 0 || of_deadlocks == atoms.len()).then_some(visible)
}

/// The conditions on variables of a predicate that is true, or whose negation is true, in deadlocks
/// only; `None` if the predicate is of another form.
fn beside_deadlock(predicate: &Predicate) -> Option<Vec<&Predicate>> {
    let is_deadlock = |part: &&Predicate| **part == Predicate::Deadlock;
    match predicate {
        Predicate::Deadlock => Some(Vec::new()),
        Predicate::Not(predicate) => beside_deadlock(predicate),
        Predicate::And(parts) if parts.iter().any(|part| is_deadlock(&part)) => {
            let others: Vec<_> = parts.iter().filter(|part| !is_deadlock(part)).collect();
            let are_supported = !others.iter().any(|part| part.reads_events());
            are_supported.then_some(others)
        }
        _ => None,
    }
}
