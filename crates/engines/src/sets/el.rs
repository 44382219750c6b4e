//! EL: the fixpoint of Emerson and Lei on the synchronous product.
//!
//! ```text
//! Z := Reach(initial)
//! repeat  for every mark m:  Z := {z ∈ Z | z reaches inside of Z an edge of Z that carries m}
//! until nothing changes
//! ```
//!
//! and likewise for every fairness constraint (`fair.rs`). The result contains exactly the
//! reachable states with an accepting run. Acceptance is on edges; an edge is in `Z` if both its
//! ends are. Without marks every edge counts.
//!
//! E. A. Emerson, C.-L. Lei, *Efficient model checking in fragments of the propositional
//! mu-calculus*, LICS 1986. Exact for full LTL and events. The inner closure is a backward
//! saturation inside of `Z` instead of a breadth-first search.
//!
//! Cost: at most one iteration per component of the product on a longest path, with one pre-image
//! and one saturation per mark; all reachable states of the product are held at once.

use super::fair::Direction;
use super::operators::SymbolicProblem;
use super::whole::{SetFamily, StepSelection, Whole, is_empty};
use super::{Fixpoint, solve};
use crate::engine::{AutomatonKind, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::Strength;

/// EL on the synchronous product.
pub const EL: Engine = Engine {
    id: EngineId::El,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| &[],
    needs: Needs::Nothing,
    fairness: |_| Some(Strength::Strong),
    has_published: true,
    procedure: Procedure::Sets(|_, sets| solve(sets, Fixpoint::El)),
};

/// Returns the members of `within` with an accepting run inside of `within`.
pub fn fair(
    sets: &mut SymbolicProblem<'_, '_>,
    whole: &Whole,
    within: SetFamily,
) -> Result<SetFamily, Stop> {
    let mut here = within;
    let mut settled = 0;
    let marks: Vec<u32> = whole.marks.iter().collect();
    let count = marks.len() + whole.demands.len();
    let mut at = 0;
    while settled < count && !is_empty(&here) {
        let next = match marks.get(at) {
            Some(mark) => {
                let marked =
                    whole.sources(sets, &here, StepSelection::Marked(Marks::one(*mark)))?;
                whole.back_within(sets, marked, &here)?
            }
            None => {
                let demand = &whole.demands[at - marks.len()];
                whole.restrict(sets, demand, &here, Direction::Backward)?
            }
        };
        settled = if next == here { settled + 1 } else { 0 };
        here = next;
        at = (at + 1) % count;
    }
    Ok(here)
}
