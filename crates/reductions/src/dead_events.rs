//! Dead events: transitions that no run fires.
//!
//! A place can gain tokens only from transitions that may fire, and these require enough tokens in
//! all places of their preset. The least solution, an overapproximation of the events that can
//! fire, is computed once over all arcs:
//!
//! > enough(p, w) ⇔ w ≤ m0(p), or some t that may fire puts more into p than it takes
//! > may fire(t) ⇔ enough(p, pre(t, p)) for all p
//!
//! With several initial markings `m0(p)` is the maximum over them.
//!
//! **Condition**: `t` may not fire.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. The
//! reachability graph does not change.
//! **Lift**: the identity.

use super::net::ReducibleNet;
use lariat_budget::Stop;

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    let mut missing = Vec::new();
    let mut ready = Vec::new();
    for (at, transition) in net.transitions() {
        net.spend(transition.arcs.len())?;
        let lacks = transition.arcs.iter();
        let lacks = lacks
            .filter(|arc| arc.need > net.most_tokens(arc.var))
            .count();
        if lacks == 0 {
            ready.push(at);
        }
        missing.push((at, lacks));
    }
    let mut grows = rustc_hash::FxHashSet::default();
    while let Some(at) = ready.pop() {
        let Some(transition) = net.transition(at) else {
            continue;
        };
        for arc in transition.arcs.iter().filter(|arc| arc.delta > 0) {
            if !grows.insert(arc.var) {
                continue;
            }
            for (other, _, theirs) in net.touching(arc.var) {
                net.spend(0)?;
                if theirs.need > net.most_tokens(arc.var)
                    && let Ok(i) = missing.binary_search_by_key(&other, |(at, _)| *at)
                {
                    missing[i].1 -= 1;
                    if missing[i].1 == 0 {
                        ready.push(other);
                    }
                }
            }
        }
    }
    for (at, lacks) in missing {
        if lacks > 0 {
            net.remove(at);
        }
    }
    Ok(())
}
