//! OWCTY: one way, catch them young, on the synchronous product.
//!
//! ```text
//! Z := Reach(initial)
//! repeat  for every mark m:  Z := states reached inside of Z from targets of edges of Z with m
//!         trim:              Z := Z ∩ post(Z) until nothing changes
//! until nothing changes
//! ```
//!
//! and likewise for every fairness constraint (`fair.rs`). The forward mirror image of EL: the
//! result contains the accepting components and states reachable from them, and is empty iff there
//! are none. An edge is in `Z` if both its ends are.
//!
//! K. Fisler, R. Fraer, G. Kamhi, M. Vardi, Z. Yang, *Is there a best symbolic cycle-detection
//! algorithm?*, TACAS 2001. Exact for full LTL and events. Closures saturate.
//!
//! Cost: as EL; trimming takes one image per layer of states that it removes.

use super::fair::Direction;
use super::operators::SymbolicProblem;
use super::whole::{SetFamily, StepSelection, Whole, is_empty};
use super::{Fixpoint, solve};
use crate::engine::{AutomatonKind, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::Strength;

/// OWCTY on the synchronous product.
pub const OWCTY: Engine = Engine {
    id: EngineId::Owcty,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| &[],
    needs: Needs::Nothing,
    fairness: |_| Some(Strength::Strong),
    has_published: true,
    procedure: Procedure::Sets(|_, sets| solve(sets, Fixpoint::Owcty)),
};

/// Returns the accepting components of `within` and states they reach there; empty iff there are
/// none.
pub fn hull(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    within: SetFamily,
) -> Result<SetFamily, Stop> {
    let mut here = within;
    loop {
        let before = here.clone();
        for mark in whole.marks.iter() {
            let marked = whole.targets(sets, &here, StepSelection::Marked(Marks::one(mark)))?;
            here = whole.reach_within(sets, marked, &here)?;
            if is_empty(&here) {
                return Ok(here);
            }
        }
        for demand in &whole.demands {
            here = whole.restrict(sets, demand, &here, Direction::Forward)?;
        }
        loop {
            let trimmed = whole.targets(sets, &here, StepSelection::Marked(Marks::NONE))?;
            if trimmed == here {
                break;
            }
            here = trimmed;
        }
        if here == before || is_empty(&here) {
            return Ok(here);
        }
    }
}
