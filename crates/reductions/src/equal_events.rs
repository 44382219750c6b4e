//! Equal events: transitions with equal arcs.
//!
//! **Condition**: the same arcs, and the same `fires` atoms name them.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. Parallel edges
//! of the reachability graph with equal letters become one.
//! **Lift**: the first of the equal events.

use super::net::ReducibleNet;
use lariat_budget::Stop;
use lariat_model::Arc;
use rustc_hash::FxHashSet;

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    let mut seen: FxHashSet<(&[Arc], &[u32])> = FxHashSet::default();
    let mut again = Vec::new();
    for (at, transition) in net.transitions() {
        net.spend(transition.arcs.len())?;
        if !seen.insert((&transition.arcs, net.names(transition))) {
            again.push(at);
        }
    }
    again.into_iter().for_each(|at| net.remove(at));
    Ok(())
}
