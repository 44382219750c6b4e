//! Simplification.

use crate::formula::{Formula, Formulas};
use crate::nnf::nnf;

/// An equivalent formula in negation normal form, usually smaller.
pub fn simplify(formulas: &mut Formulas, f: Formula) -> Formula {
    nnf(formulas, f, false)
}
