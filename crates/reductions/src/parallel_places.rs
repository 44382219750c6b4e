//! Parallel places: two places that every transition changes by the same amount.
//!
//! The difference `m(p) − m(q) = m0(p) − m0(q)` is invariant, so that the tokens in `q` determine
//! those in `p`.
//!
//! **Condition**: no atom reads `p`; all transitions change `p` and `q` by the same amount; and a
//! transition with enough tokens in `q` has enough in `p`: `pre(t, p) ≤ pre(t, q) + m0(p) − m0(q)`
//! for every `t` that needs tokens in `p` and every initial marking.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` alone
//! never decides enabledness, and `q` remains. (A removed `q` would do as well: no transition needs
//! tokens there, and it is never negative.)
//! **Lift**: the identity; a loop that closes for `q` closes for `p`.

use super::net::{EventIndex, ReducibleNet};
use lariat_budget::Stop;
use lariat_model::{State, Value, VarId};
use rustc_hash::FxHashMap;

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    let mut alike: FxHashMap<Vec<(EventIndex, Value)>, Vec<VarId>> = FxHashMap::default();
    for place in net.place_ids() {
        let changes = net.touching(place).filter(|(_, _, arc)| arc.delta != 0);
        let row: Vec<_> = changes.map(|(at, _, arc)| (at, arc.delta)).collect();
        net.spend(row.len())?;
        // A place that no transition changes is constant or disables its consumers forever.
        if !row.is_empty() {
            alike.entry(row).or_default().push(place);
        }
    }
    let mut classes: Vec<Vec<VarId>> = alike
        .into_values()
        .filter(|class| class.len() > 1)
        .collect();
    classes.sort_unstable();
    for mut class in classes {
        let mut i = 0;
        while i < class.len() {
            let place = class[i];
            let mut is_determined = false;
            if !net.support.reads(place) {
                for other in class.iter().filter(|other| **other != place) {
                    if determines(net, *other, place)? {
                        is_determined = true;
                        break;
                    }
                }
            }
            if is_determined {
                net.remove_place(place);
                class.remove(i);
            } else {
                i += 1
            }
        }
    }
    Ok(())
}

/// Returns whether every transition with enough tokens in `other` has enough in `place`, which is
/// parallel.
fn determines(net: &ReducibleNet<'_>, other: VarId, place: VarId) -> Result<bool, Stop> {
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
