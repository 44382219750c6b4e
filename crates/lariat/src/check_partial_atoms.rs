//! Atoms without a value: a verdict counts only if its atoms have values where they matter.
//!
//! `flag[i]` has no value while `i` is outside the array; engines take it for false there
//! (`model::partial` defines where an atom has a value). Without a check, a mistake in a formula
//! could make it hold silently. So every verdict about such atoms is checked: a violation stands if
//! all of them have values along its run, and `holds` stands if
//!
//! ```text
//! G (all atoms have values)
//! ```
//!
//! holds too, which is decided like any other property.

use crate::subject::Subject;
use crate::verdict::{EarnedVerdict, Reason};
use lariat_ltl::{AtomId, Formula};
use lariat_model::Lasso;

/// Returns the verdict that replaces `holds` for a property with `atoms`; `None` if `holds` stands.
/// `decide` decides a property of another subject.
pub(crate) fn check_holds<'s>(
    subject: &Subject<'s>,
    atoms: &[AtomId],
    decide: impl FnOnce(&Subject<'s>, Formula) -> EarnedVerdict,
) -> Option<EarnedVerdict> {
    let (questioned, always) = subject.always_valued(atoms)?;
    match decide(&questioned, always) {
        EarnedVerdict::Holds(_) => None,
        EarnedVerdict::Violated(run) => missing(subject, atoms, run.lasso()),
        unknown @ EarnedVerdict::Unknown(_) => Some(unknown),
    }
}

/// Returns the verdict that replaces a violation shown by `lasso`; `None` if the violation stands.
pub(crate) fn check_run(
    subject: &Subject<'_>,
    atoms: &[AtomId],
    lasso: &Lasso,
) -> Option<EarnedVerdict> {
    subject.always_valued(atoms)?;
    missing(subject, atoms, lasso)
}

fn missing(subject: &Subject<'_>, atoms: &[AtomId], lasso: &Lasso) -> Option<EarnedVerdict> {
    let why = first_missing(subject, atoms, lasso)?;
    Some(EarnedVerdict::Unknown(Reason::Inconclusive(why)))
}

/// Describes the first state of a run in which an atom has no value.
fn first_missing(subject: &Subject<'_>, atoms: &[AtomId], lasso: &Lasso) -> Option<String> {
    let mut run = lasso.cursor();
    (0..=lasso.len()).find_map(|position| {
        run.next();
        let state = run.source();
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
