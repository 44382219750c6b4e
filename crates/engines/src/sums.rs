//! Sums of tokens or values in single states.

use lariat_model::{Comparison, Linear, Value, VarId};

pub(crate) fn sum(terms: &[(VarId, Value)], state: &[Value]) -> i128 {
    let term =
        |(var, weight): &(VarId, Value)| i128::from(*weight) * i128::from(state[var.index()]);
    terms.iter().map(term).sum()
}

/// Returns how much a sum must change for a comparison to have this truth value.
pub(crate) fn missing(linear: &Linear, truth: bool, state: &[Value]) -> i128 {
    let above = sum(&linear.terms, state) - i128::from(linear.constant);
    let missing = match (linear.comparison, truth) {
        (Comparison::Ge, true) | (Comparison::Lt, false) => -above,
        (Comparison::Gt, true) | (Comparison::Le, false) => 1 - above,
        (Comparison::Le, true) | (Comparison::Gt, false) => above,
        (Comparison::Lt, true) | (Comparison::Ge, false) => above + 1,
        (Comparison::Eq, true) | (Comparison::Ne, false) => above.abs(),
        (Comparison::Ne, true) | (Comparison::Eq, false) => i128::from(above == 0),
    };
    missing.max(0)
}
