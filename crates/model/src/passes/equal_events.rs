//! Equal events: transitions that need and do the same.
//!
//! **Condition**: the same arcs, and the same `fires` atoms name them.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. Parallel edges of the reachable graph with
//! equal letters become one.
//! **Back**: the first of them is taken.

use super::net::{Net, Transition};
use crate::system::Arc;
use lariat_budget::Stop;
use rustc_hash::FxHashSet;

/// Keeps the first of each lot of equal events.
pub(super) fn apply(net: &mut Net<'_>) -> Result<(), Stop> {
    let mut seen: FxHashSet<(&[Arc], &[u32])> = FxHashSet::default();
    let mut again = Vec::new();
    for (at, transition) in net.transitions() {
        net.spend(transition.arcs.len())?;
        if !seen.insert((&transition.arcs, names(net, transition))) {
            again.push(at);
        }
    }
    again.into_iter().for_each(|at| net.remove(at));
    Ok(())
}

/// Which atoms name the event. Those that were joined are named by none.
fn names<'n>(net: &'n Net<'_>, transition: &Transition) -> &'n [u32] {
    match transition.path[..] {
        [single] => net.support.names(single),
        _ => &[],
    }
}
