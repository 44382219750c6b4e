//! The fixpoint of an engine, and a test of the deadlocks before it.
//!
//! A run that ends in a deadlock stutters there indefinitely. Its acceptance depends on the dead
//! state alone:
//!
//! ```text
//! R := EL(Z ∩ {(q,s) | s stutters})            Z has an accepting run if R is not empty
//! ```
//!
//! Dead states are few and have only stutter steps, so this test is cheap. On an acyclic system,
//! the fixpoint on `Z` would remove one layer of states per iteration to find the same. The
//! published variant has no such test. The hull of OWCTY may contain states without an accepting
//! run: it only decides emptiness, and a trace needs EL on the hull.

use super::el;
use super::operators::SymbolicProblem;
use super::owcty;
use super::whole::{SetFamily, Whole, is_empty};
use lariat_budget::Stop;

/// The fixpoint of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fixpoint {
    /// Backward: Emerson and Lei.
    El,
    /// Forward: one way, catch them young.
    #[default]
    Owcty,
}

impl Fixpoint {
    /// Both fixpoints.
    pub const ALL: [Fixpoint; 2] = [Fixpoint::Owcty, Fixpoint::El];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Fixpoint::El => "el",
            Fixpoint::Owcty => "owcty",
        }
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Fixpoint::El => "backward: Emerson and Lei",
            Fixpoint::Owcty => "forward: one way, catch them young",
        }
    }
}

/// States with accepting runs.
#[derive(Clone, Default)]
pub struct FairStates {
    /// States with an accepting run inside of `core`.
    pub core: SetFamily,
    /// States with a path to the core; the path itself need not respect fairness.
    pub all: SetFamily,
}

impl Fixpoint {
    /// Returns whether `within` contains an accepting run.
    pub(super) fn accepts(
        self,
        sets: &mut SymbolicProblem<'_, '_>,
        whole: &Whole,
        within: SetFamily,
    ) -> Result<bool, Stop> {
        if !sets.published && !is_empty(&accepting_deadlocks(sets, whole, &within)?) {
            return Ok(true);
        }
        let left = match self {
            Fixpoint::El => el::fair(sets, whole, within)?,
            Fixpoint::Owcty => owcty::hull(sets, whole, within)?,
        };
        Ok(!is_empty(&left))
    }

    /// Returns the states of `within` with accepting runs inside of it; none if there are none. If
    /// accepting runs end in deadlocks, only those are considered.
    pub(super) fn fair(
        self,
        sets: &mut SymbolicProblem<'_, '_>,
        whole: &Whole,
        within: SetFamily,
    ) -> Result<FairStates, Stop> {
        let deadlocks = if sets.published {
            whole.empty(sets)
        } else {
            accepting_deadlocks(sets, whole, &within)?
        };
        let core = if !is_empty(&deadlocks) {
            deadlocks
        } else {
            let hull = match self {
                Fixpoint::El => within.clone(),
                Fixpoint::Owcty => owcty::hull(sets, whole, within.clone())?,
            };
            el::fair(sets, whole, hull)?
        };
        let all = whole.back_within(sets, core.clone(), &within)?;
        Ok(FairStates { core, all })
    }
}

/// Returns the members of `within` that accept by stuttering indefinitely.
fn accepting_deadlocks(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    within: &SetFamily,
) -> Result<SetFamily, Stop> {
    let stuttering = whole.stuttering(sets, within)?;
    el::fair(sets, whole, stuttering)
}
