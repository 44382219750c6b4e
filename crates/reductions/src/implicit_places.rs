//! Implicit places: places that never disable a transition, since other places imply enough tokens.
//!
//! Let `y ≥ 0` be weights of other places and `s > 0` one of `p`. If no transition decreases
//! `s·m(p) − y·m`, then
//!
//! > s·m(p)  ≥  y·m + (s·m0(p) − y·m0)
//!
//! in every reachable marking. A transition `t` enabled by the other places has `y·m ≥ y·pre(t)`,
//! hence `m(p) ≥ pre(t, p)` if `s·pre(t, p) ≤ y·pre(t) + s·m0(p) − y·m0`. (J. M. Colom and M.
//! Silva, *Improving the linearly based characterization of P/T nets*, 1991.) Parallel places are
//! the case of a single `y(q) = s`, sufficiently marked constant places that of `y = 0`.
//!
//! The weights are computed by linear programming elsewhere
//! ([`ImplicitPlaceAdvice`](super::ImplicitPlaceAdvice)). This rule checks them in integers on the
//! current net when it removes the place: a supporting place may have been removed before.
//!
//! **Condition**: no atom reads `p`; the weights pass the check with every initial marking.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` alone
//! never decides enabledness.
//! **Lift**: the same events. A loop of the other places takes nothing from `p`, or `p` would
//! disable it after some rounds. It may add tokens to `p` and is then a covering run of the
//! original, in which no atom reads `p`.

use super::net::ReducibleNet;
use lariat_budget::Stop;
use lariat_model::{Arc, State, VarId};

/// A claim that a place is implicit: the weights of the inequality.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImplicitPlace {
    /// The implicit place.
    pub place: VarId,
    /// Its weight `s`, positive.
    pub scale: i128,
    /// Supporting places with their positive weights `y`, distinct and other than `place`.
    pub by: Vec<(VarId, i128)>,
}

/// Removes the places whose claims hold of the current net.
pub(super) fn apply(net: &mut ReducibleNet<'_>, claims: &[ImplicitPlace]) -> Result<(), Stop> {
    for claim in claims {
        if !net.support.reads(claim.place) && net.is_removable(claim.place) && is_true(net, claim)?
        {
            net.remove_place(claim.place);
        }
    }
    Ok(())
}

/// Checks a claim; arithmetic overflow of 128 bits refutes it.
fn is_true(net: &ReducibleNet<'_>, claim: &ImplicitPlace) -> Result<bool, Stop> {
    let by = &claim.by;
    let here = |(place, weight): &(VarId, i128)| {
        *weight > 0 && *place != claim.place && net.has_place(*place)
    };
    if claim.scale <= 0 || !by.iter().all(here) {
        return Ok(false);
    }
    let start = |marking: &State| difference(claim, |place| marking[place.index()].into());
    // An overflow (`None`) in any marking is the least value.
    let Some(Some(least)) = net.least_of(start) else {
        return Ok(false);
    };
    for place in by.iter().map(|(place, _)| *place).chain([claim.place]) {
        for (_, transition, _) in net.touching(place) {
            net.spend(by.len())?;
            let number = |of: fn(&Arc) -> i64| {
                difference(claim, |place| transition.arc(place).map_or(0, of).into())
            };
            let keeps = number(|arc| arc.delta).is_some_and(|added| added >= 0);
            // Only a transition that needs tokens in the place can lack them.
            let needs = transition.need(claim.place) > 0;
            let suffices = !needs || number(|arc| arc.need).is_some_and(|missing| missing <= least);
            if !keeps || !suffices {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// `s·v(p) − y·v`
fn difference(claim: &ImplicitPlace, value: impl Fn(VarId) -> i128) -> Option<i128> {
    let own = claim.scale.checked_mul(value(claim.place));
    claim.by.iter().fold(own, |sum, (place, weight)| {
        sum?.checked_sub(weight.checked_mul(value(*place))?)
    })
}
