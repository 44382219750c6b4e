//! Places with equal future: it does not matter in which of them a token is.
//!
//! If whoever takes a token from `p` has a twin that takes one from `q` and does the same otherwise, and the other way round, then tokens in `p` and tokens in `q`
//! can do the same. Let `r` hold what `p` and `q` hold together. A marking `m` and the one with `m(p) + m(q)` tokens in `r` are
//! bisimilar: `t` or its twin is enabled in the one if and only if `t` is enabled in the other, since each needs a single token, and
//! afterwards the sums are equal again.
//! (Y. Thierry-Mieg, *Structural reductions revisited*, 2020, fuses places *by future* so.)
//!
//! **Condition**: no atom reads `p` or `q`; somebody needs a token there, and whoever does needs one of one of them; the transitions that need one of
//! `p` are those that need one of `q` with `p` and `q` exchanged; and the same `fires` atoms name twins. With two tokens needed, one in each place would not be enough
//! where two in `r` are. Who only puts tokens there may do what it likes.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies.
//! **Back**: of `t` and its twin the one that finds its token. Any choice will do, as markings with equal sums are bisimilar; but a loop may have to be
//! gone round several times until tokens are where they were.
//!
//! Many places are compared by sums of hashes, which costs a look at each arc; only those with equal sums are compared in full.

use super::net::{Net, Position, Transition};
use super::way::Way;
use lariat_budget::Stop;
use lariat_model::{Arc, Value, VarId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Makes one place of those with equal future.
pub(super) fn apply(net: &mut Net<'_>) -> Result<(), Stop> {
    // Those before places that have become one may have become alike.
    while once(net)? {}
    Ok(())
}

/// Says whether it found any.
fn once(net: &mut Net<'_>) -> Result<bool, Stop> {
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
        // Nobody needs what is in a place without consumers.
        if let Some(sum) = sum.filter(|sum| *sum != 0) {
            alike.entry(sum).or_default().push(place);
        }
    }
    let mut lots: Vec<Vec<VarId>> = alike.into_values().filter(|lot| lot.len() > 1).collect();
    lots.sort_unstable();
    let mut found = false;
    for lot in lots {
        found |= fuse(net, &lot)?;
    }
    Ok(found)
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// By position: the sum over the arcs of an event.
fn hashes(net: &Net<'_>) -> Result<Vec<u64>, Stop> {
    let mut hashes = Vec::new();
    for (at, transition) in net.transitions() {
        net.spend(transition.arcs.len())?;
        hashes.resize(at.index(), 0);
        let arcs = transition.arcs.iter().map(hash);
        hashes.push(arcs.fold(0, u64::wrapping_add));
    }
    Ok(hashes)
}

/// What a transition that takes a token from some place does besides: its other arcs, what it changes there, and who names it.
type Besides = (Vec<Arc>, Value, Vec<u32>);

/// What those do besides that need a token of the place, and which they are; `None` if one of them needs more.
fn consumers(
    net: &Net<'_>,
    place: VarId,
) -> Result<Option<FxHashMap<Besides, Vec<Position>>>, Stop> {
    let mut consumers: FxHashMap<Besides, Vec<Position>> = FxHashMap::default();
    for (at, transition, arc) in net.touching(place) {
        net.spend(transition.arcs.len())?;
        match arc.need {
            0 => {}
            1 => {
                let others = transition.arcs.iter().filter(|arc| arc.var != place);
                let names = net.names(transition).to_vec();
                let besides = (others.copied().collect(), arc.delta, names);
                consumers.entry(besides).or_default().push(at);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(consumers))
}

/// Makes one place of those of a lot that have the same future as the first. Says whether there are any.
fn fuse(net: &mut Net<'_>, lot: &[VarId]) -> Result<bool, Stop> {
    let [first, others @ ..] = lot else {
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
        // Of `t` and `t'` without `p` and without `q`, neither touches the other place if they are equal.
        if theirs.len() == twins.len() && theirs.keys().all(|key| twins.contains_key(key)) {
            places.push(*place);
            for (besides, more) in theirs {
                twins.entry(besides).or_default().extend(more);
            }
        }
    }
    if places.len() == 1 {
        return Ok(false);
    }
    let either = |twins: Vec<Position>| {
        let ways = twins.iter().filter_map(|at| net.transition(*at));
        let ways = ways.map(|Transition { way, .. }| way.clone()).collect();
        Some((twins, Way::either(ways)?))
    };
    let joint: Option<Vec<(Vec<Position>, Way)>> = twins.into_values().map(either).collect();
    let Some(joint) = joint else {
        return Ok(false);
    };
    if !net.fuse(&places) {
        return Ok(false);
    }
    for (twins, way) in joint {
        if let [stays, others @ ..] = &twins[..] {
            net.stand_for(*stays, way);
            others.iter().for_each(|at| net.remove(*at));
        }
    }
    Ok(true)
}
