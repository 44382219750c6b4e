//! Atoms without a value: an answer counts only where every atom it depends on has one.

use lariat::ltl::{AtomId, Formula};
use lariat::model::Properties;
use lariat::{Lasso, Reason, Subject, Verdict};

/// What is left of a verdict about `atoms`, whose values may be missing in some state; `None` if it stands.
///
/// A violation stands if all atoms have values along its run. That a property holds stands if `known`
/// does, the property that all atoms have values in all states; `decide` decides it.
pub(crate) fn doubt(
    verdict: &Verdict,
    subject: &Subject<'_>,
    properties: &Properties,
    (atoms, known): (&[AtomId], Option<Formula>),
    decide: impl FnOnce(Formula) -> Verdict,
) -> Option<Verdict> {
    let known = known?;
    let missing = |lasso: &Lasso| {
        let why = first_missing(lasso, subject, properties, atoms)?;
        Some(Verdict::Unknown(Reason::Inconclusive(why)))
    };
    match verdict {
        Verdict::Unknown(_) => None,
        Verdict::Violated(run) => missing(run.lasso()),
        Verdict::Holds(_) => match decide(known) {
            Verdict::Holds(_) => None,
            Verdict::Violated(run) => missing(run.lasso()),
            unknown @ Verdict::Unknown(_) => Some(unknown),
        },
    }
}

/// The first state of a run in which an atom has no value, in words.
fn first_missing(
    lasso: &Lasso,
    subject: &Subject<'_>,
    properties: &Properties,
    atoms: &[AtomId],
) -> Option<String> {
    let steps = lasso.prefix.iter().chain(&lasso.cycle);
    let states = std::iter::once(&lasso.initial).chain(steps.map(|step| &step.state));
    states.enumerate().find_map(|(position, state)| {
        atoms.iter().find_map(|atom| {
            let why = properties.known(*atom)?.missing(subject.system(), state)?;
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
