//! Which fixpoint decides a family, and what is asked before it.
//!
//! A run that ends in a deadlock stutters there for ever, so whether such a run accepts is a question about dead
//! states alone:
//!
//! ```text
//! R := EL(Z ∩ {(q,s) | s stutters})            Z has an accepting run if R is not empty
//! ```
//!
//! There are few of them, and a step leads nowhere but back, so this is quick. The fixpoint on all of `Z` would have to
//! peel off a system that only moves on layer by layer to learn the same. As published it does: there is no such question, and OWCTY
//! alone decides; of what it leaves EL makes the states from which a run can be told.

use super::el;
use super::operators::Sets;
use super::owcty;
use super::whole::{Family, Whole, is_empty};
use lariat_budget::Stop;

/// Which fixpoint decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fixpoint {
    /// Backward: Emerson and Lei.
    El,
    /// Forward: one way, catch them young.
    #[default]
    Owcty,
}

/// Where accepting runs are.
#[derive(Clone, Default)]
pub struct Fair {
    /// From each of them an accepting run stays among them.
    pub core: Family,
    /// From each of them a run leads into the core. A run may pass here what is unfair if it is passed for ever.
    pub all: Family,
}

impl Fixpoint {
    /// Is there an accepting run in `within`?
    pub(super) fn accepts(
        self,
        sets: &mut Sets<'_, '_>,
        whole: &Whole,
        within: Family,
    ) -> Result<bool, Stop> {
        if !sets.published && !is_empty(&at_rest(sets, whole, &within)?) {
            return Ok(true);
        }
        let left = match self {
            Fixpoint::El => el::fair(sets, whole, within)?,
            Fixpoint::Owcty => owcty::hull(sets, whole, within)?,
        };
        Ok(!is_empty(&left))
    }

    /// Where accepting runs inside of `within` are: nowhere if there are none; otherwise all that can reach one of the accepting
    /// cycles considered, which are those of dead states if there are any, and all if not.
    pub(super) fn fair(
        self,
        sets: &mut Sets<'_, '_>,
        whole: &Whole,
        within: Family,
    ) -> Result<Fair, Stop> {
        let still = if sets.published {
            whole.empty(sets)
        } else {
            at_rest(sets, whole, &within)?
        };
        let core = match (is_empty(&still), self) {
            (false, _) => still,
            (true, Fixpoint::El) => el::fair(sets, whole, within.clone())?,
            (true, Fixpoint::Owcty) => {
                let hull = owcty::hull(sets, whole, within.clone())?;
                el::fair(sets, whole, hull)?
            }
        };
        let all = whole.back_within(sets, core.clone(), &within)?;
        Ok(Fair { core, all })
    }
}

/// The members of `within` that accept by stuttering for ever.
fn at_rest(sets: &mut Sets<'_, '_>, whole: &Whole, within: &Family) -> Result<Family, Stop> {
    let still = whole.resting(sets, within)?;
    el::fair(sets, whole, still)
}
