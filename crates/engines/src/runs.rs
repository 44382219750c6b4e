//! Runs of a system as evidence.

use lariat_model::{Lasso, State, Step};

/// Returns a lasso whose loop closes, or a prefix if `cycle` is empty.
pub(crate) fn plain_run(initial: State, prefix: Vec<Step>, cycle: Vec<Step>) -> Lasso {
    Lasso {
        initial,
        prefix,
        cycle,
        growth: None,
    }
}
