//! Places with equal future: places whose tokens enable the same behaviour.
//!
//! Suppose each consumer of `p` has a twin that consumes from `q` and is otherwise equal, and vice
//! versa. Let `r` hold the sum of the tokens of `p` and `q`. A marking `m` and the one with
//! `m(p) + m(q)` tokens in `r` are bisimilar: `t` or its twin is enabled in the first iff `t` is
//! enabled in the second, since each needs a single token, and afterwards the sums are equal again.
//! (Y. Thierry-Mieg, *Structural reductions revisited*, 2020, *fusion by future*.)
//!
//! **Condition**: no atom reads `p` or `q`; they have consumers, each of which needs one token of
//! one of them; exchanging `p` and `q` maps the consumers of `p` to those of `q`; and the same
//! `fires` atoms name twins. (A consumer of two tokens would be enabled by two tokens in `r` but
//! not by one in each place.) Transitions that only produce tokens there are unrestricted.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies.
//! **Lift**: an enabled one of `t` and its twin. Any choice is correct, as markings with equal sums
//! are bisimilar; but a loop may have to be repeated until the tokens are distributed as before.
//!
//! Places are first compared by sums of hashes, computed in one pass over the arcs; only places
//! with equal sums are compared in full.

use super::net::{EventIndex, ReducibleNet, ReducibleTransition};
use super::trace_lift::EventExpansion;
use lariat_budget::Stop;
use lariat_model::{Arc, Value, VarId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    // Fusion may equate the consumers of further places.
    while fuse_once(net)? {}
    Ok(())
}

/// Performs one round; returns whether it fused any places.
fn fuse_once(net: &mut ReducibleNet<'_>) -> Result<bool, Stop> {
    let mut alike: FxHashMap<u64, Vec<VarId>> = FxHashMap::default();
    let hashes = hashes(net)?;
    for place in net.free_places() {
        let mut arcs = 0;
        let mut sum = Some(0_u64);
        for (at, transition, arc) in net.touching(place) {
            arcs += 1;
            if arc.need > 1 {
                sum = None;
                break;
            }
            if arc.need == 1 {
                let others = hashes[at.index()].wrapping_sub(hash(arc));
                let own = hash((others, arc.delta, net.names(transition)));
                sum = sum.map(|sum| sum.wrapping_add(own));
            }
        }
        net.spend(arcs)?;
        // A place without consumers is a sink.
        if let Some(sum) = sum.filter(|sum| *sum != 0) {
            alike.entry(sum).or_default().push(place);
        }
    }
    let mut classes: Vec<Vec<VarId>> = alike
        .into_values()
        .filter(|class| class.len() > 1)
        .collect();
    classes.sort_unstable();
    let mut found = false;
    for class in classes {
        found |= fuse(net, &class)?;
    }
    Ok(found)
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// By position: the sum of the hashes of the arcs of an event.
fn hashes(net: &ReducibleNet<'_>) -> Result<Vec<u64>, Stop> {
    let mut hashes = Vec::new();
    for (at, transition) in net.transitions() {
        net.spend(transition.arcs.len())?;
        hashes.resize(at.index(), 0);
        let arcs = transition.arcs.iter().map(hash);
        hashes.push(arcs.fold(0, u64::wrapping_add));
    }
    Ok(hashes)
}

/// A consumer of a place without its need there: its other arcs, its effect on the place, and the
/// atoms that name it.
type Remainder = (Vec<Arc>, Value, Vec<u32>);

/// Consumers of a place by their remainders; `None` if one needs more than one token.
fn consumers(
    net: &ReducibleNet<'_>,
    place: VarId,
) -> Result<Option<FxHashMap<Remainder, Vec<EventIndex>>>, Stop> {
    let mut consumers: FxHashMap<Remainder, Vec<EventIndex>> = FxHashMap::default();
    for (at, transition, arc) in net.touching(place) {
        net.spend(transition.arcs.len())?;
        match arc.need {
            0 => {}
            1 => {
                let others = transition.arcs.iter().filter(|arc| arc.var != place);
                let names = net.names(transition).to_vec();
                let remainder = (others.copied().collect(), arc.delta, names);
                consumers.entry(remainder).or_default().push(at);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(consumers))
}

/// Fuses the places of a class with the same future as its first. Returns whether there are any.
fn fuse(net: &mut ReducibleNet<'_>, class: &[VarId]) -> Result<bool, Stop> {
    let [first, others @ ..] = class else {
        return Ok(false);
    };
    let Some(mut twins) = consumers(net, *first)? else {
        return Ok(false);
    };
    let mut places = vec![*first];
    for place in others {
        let Some(theirs) = consumers(net, *place)? else {
            continue;
        };
        // Equal remainders without `p` and without `q` imply that neither twin touches the other
        // place.
        if theirs.len() == twins.len() && theirs.keys().all(|key| twins.contains_key(key)) {
            places.push(*place);
            for (remainder, more) in theirs {
                twins.entry(remainder).or_default().extend(more);
            }
        }
    }
    if places.len() == 1 {
        return Ok(false);
    }
    let either = |twins: Vec<EventIndex>| {
        let ways = twins.iter().filter_map(|at| net.transition(*at));
        let ways = ways
            .map(|ReducibleTransition { way, .. }| way.clone())
            .collect();
        Some((twins, EventExpansion::either(ways)?))
    };
    let joint: Option<Vec<(Vec<EventIndex>, EventExpansion)>> =
        twins.into_values().map(either).collect();
    let Some(joint) = joint else {
        return Ok(false);
    };
    if !net.fuse(&places) {
        return Ok(false);
    }
    for (twins, way) in joint {
        if let [stays, others @ ..] = &twins[..] {
            net.set_way(*stays, way);
            others.iter().for_each(|at| net.remove(*at));
        }
    }
    Ok(true)
}
