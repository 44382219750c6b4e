//! Atoms without a value: an answer counts only where every atom that it depends on has one.
//!
//! `flag[i]` has no value while `i` is beyond the array; engines take it for false there (`model::partial` says why, and where an
//! atom has a value). Left at that, a slip in a formula would hold silently. So [`check`](crate::check()) questions every answer
//! about such atoms: a violation stands if all of them have values along its run, and that a property holds stands if
//!
//! ```text
//! G (all atoms have values)
//! ```
//!
//! holds too, which is decided as any other property is.

use crate::subject::Subject;
use crate::verdict::{Reason, Verdict};
use lariat_ltl::{AtomId, Formula};
use lariat_model::Lasso;

/// What is left of the verdict that a property with `atoms` holds; `None` if it stands. `decide` answers a property of another subject.
pub(crate) fn doubt<'s>(
    subject: &Subject<'s>,
    atoms: &[AtomId],
    decide: impl FnOnce(&Subject<'s>, Formula) -> Verdict,
) -> Option<Verdict> {
    let (questioned, always) = subject.always_valued(atoms)?;
    match decide(&questioned, always) {
        Verdict::Holds(_) => None,
        Verdict::Violated(run) => missing(subject, atoms, run.lasso()),
        unknown @ Verdict::Unknown(_) => Some(unknown),
    }
}

/// What is left of the verdict that a run violates a property with `atoms`; `None` if it stands.
pub(crate) fn doubt_run(subject: &Subject<'_>, atoms: &[AtomId], lasso: &Lasso) -> Option<Verdict> {
    subject.always_valued(atoms)?;
    missing(subject, atoms, lasso)
}

fn missing(subject: &Subject<'_>, atoms: &[AtomId], lasso: &Lasso) -> Option<Verdict> {
    let why = first_missing(subject, atoms, lasso)?;
    Some(Verdict::Unknown(Reason::Inconclusive(why)))
}

/// The first state of a run in which an atom has no value, in words.
fn first_missing(subject: &Subject<'_>, atoms: &[AtomId], lasso: &Lasso) -> Option<String> {
    let steps = lasso.prefix.iter().chain(&lasso.cycle);
    let states = std::iter::once(&lasso.initial).chain(steps.map(|step| &step.state));
    states.enumerate().find_map(|(position, state)| {
        atoms.iter().find_map(|atom| {
            let why = subject.missing(*atom, state)?;
            let name = subject.formulas().atom_name(*atom);
            let after = match position {
                0 => "in the initial state".to_owned(),
                1 => "after 1 step".to_owned(),
                n => format!("after {n} steps"),
            };
            Some(format!("`{name}` has no value {after}: {why}"))
        })
    })
}
