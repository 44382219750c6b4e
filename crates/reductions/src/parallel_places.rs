//! Parallel places: two that every transition changes alike.
//!
//! The difference `m(p) − m(q) = m0(p) − m0(q)` never changes, so that the tokens in `q` tell those in `p`.
//!
//! **Condition**: no atom reads `p`; all transitions change `p` and `q` by the same; and whoever finds enough in `q` finds enough in
//! `p`: `pre(t, p) ≤ pre(t, q) + m0(p) − m0(q)` for every `t` that needs something in `p` and every
//! initial marking.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` alone never decides whether something is
//! enabled, and `q` stays. (It would be true of a `q` that is gone, too: nobody needs anything of that any more, and it never has less than nothing.)
//! **Back**: nothing to do; a loop that closes for `q` closes for `p`.

use super::net::{Net, Position};
use lariat_budget::Stop;
use lariat_model::{State, Value, VarId};
use rustc_hash::FxHashMap;

/// Removes places whose tokens others tell.
pub(super) fn apply(net: &mut Net<'_>) -> Result<(), Stop> {
    let mut alike: FxHashMap<Vec<(Position, Value)>, Vec<VarId>> = FxHashMap::default();
    for place in net.place_ids() {
        let changes = net.touching(place).filter(|(_, _, arc)| arc.delta != 0);
        let row: Vec<_> = changes.map(|(at, _, arc)| (at, arc.delta)).collect();
        net.spend(row.len())?;
        // What nothing changes is constant, or too little for those that need it.
        if !row.is_empty() {
            alike.entry(row).or_default().push(place);
        }
    }
    let mut lots: Vec<Vec<VarId>> = alike.into_values().filter(|lot| lot.len() > 1).collect();
    lots.sort_unstable();
    for mut lot in lots {
        let mut i = 0;
        while i < lot.len() {
            let place = lot[i];
            let mut told = false;
            if !net.support.reads(place) {
                for other in lot.iter().filter(|other| **other != place) {
                    if tells(net, *other, place)? {
                        told = true;
                        break;
                    }
                }
            }
            if told {
                net.remove_place(place);
                lot.remove(i);
            } else {
                i += 1
            }
        }
    }
    Ok(())
}

/// Does every transition that finds enough in `other` find enough in `place`? Both change alike.
fn tells(net: &Net<'_>, other: VarId, place: VarId) -> Result<bool, Stop> {
    let start = |marking: &State, place: VarId| i128::from(marking[place.index()]);
    let more = net.least_of(|marking| start(marking, place) - start(marking, other));
    let Some(more) = more else {
        return Ok(false);
    };
    for (_, transition, arc) in net.touching(place) {
        net.spend(0)?;
        let enough = i128::from(transition.need(other)) + more;
        if arc.need > 0 && i128::from(arc.need) > enough {
            return Ok(false);
        }
    }
    Ok(true)
}
