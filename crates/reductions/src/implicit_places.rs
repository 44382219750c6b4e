//! Implicit places: others tell that there is always enough in them.
//!
//! Let `y ≥ 0` be weights of other places and `s > 0` one of `p`. If no transition takes from `s·m(p) − y·m`, then
//!
//! > s·m(p)  ≥  y·m + (s·m0(p) − y·m0)
//!
//! in every reachable marking. Whoever finds what it needs in the other places finds `y·m ≥ y·pre(t)`, and so it finds
//! `pre(t, p)` tokens in `p` if `s·pre(t, p) ≤ y·pre(t) + s·m0(p) − y·m0`.
//! (J. M. Colom and M. Silva, *Improving the linearly based characterization of P/T nets*, 1991.) Parallel places are those with a single
//! `y(q) = s`; constant ones, in which there is enough, have no `y`.
//!
//! The weights are advice of somebody who can solve linear programs ([`Advice`](super::Advice)). What is said here is checked of them in
//! integers, on the net as it is when the place is to go: a place that told of it may be gone by then.
//!
//! **Condition**: no atom reads `p`; the weights pass the check with every initial marking.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` alone never decides whether something is
//! enabled.
//! **Back**: the same events. A loop of the other places takes nothing from `p`, or it would decide after some rounds; it may put tokens
//! there, and is a covering run of the original then, whose atoms are settled, since none reads `p`.

use super::net::Net;
use lariat_budget::Stop;
use lariat_model::{Arc, State, VarId};

/// Weights by which other places tell that there is enough in one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// The place.
    pub place: VarId,
    /// Its own weight, which is positive.
    pub scale: i128,
    /// Those who tell, with their positive weights; none of them twice, and not the place itself.
    pub by: Vec<(VarId, i128)>,
}

/// Removes the places that are told, as far as that is true now.
pub(super) fn apply(net: &mut Net<'_>, told: &[Told]) -> Result<(), Stop> {
    for told in told {
        if !net.support.reads(told.place) && net.may_lose(told.place) && is_true(net, told)? {
            net.remove_place(told.place);
        }
    }
    Ok(())
}

/// The check. What leaves 128 bits is not true.
fn is_true(net: &Net<'_>, told: &Told) -> Result<bool, Stop> {
    let by = &told.by;
    let here = |(place, weight): &(VarId, i128)| {
        *weight > 0 && *place != told.place && net.has_place(*place)
    };
    if told.scale <= 0 || !by.iter().all(here) {
        return Ok(false);
    }
    let start = |marking: &State| difference(told, |place| marking[place.index()].into());
    // What leaves 128 bits in one marking is the least.
    let Some(Some(least)) = net.least_of(start) else {
        return Ok(false);
    };
    for place in by.iter().map(|(place, _)| *place).chain([told.place]) {
        for (_, transition, _) in net.touching(place) {
            net.spend(by.len())?;
            let number = |of: fn(&Arc) -> i64| {
                difference(told, |place| transition.arc(place).map_or(0, of).into())
            };
            let keeps = number(|arc| arc.delta).is_some_and(|added| added >= 0);
            // Only who needs something in the place can miss it there.
            let needs = transition.need(told.place) > 0;
            let finds = !needs || number(|arc| arc.need).is_some_and(|missing| missing <= least);
            if !keeps || !finds {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// `s·v(p) − y·v`
fn difference(told: &Told, value: impl Fn(VarId) -> i128) -> Option<i128> {
    let own = told.scale.checked_mul(value(told.place));
    told.by.iter().fold(own, |sum, (place, weight)| {
        sum?.checked_sub(weight.checked_mul(value(*place))?)
    })
}
