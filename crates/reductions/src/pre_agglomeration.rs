//! Pre-agglomeration: delays invisible transitions that feed one place and fuses them with its
//! consumers.
//!
//! Let `H` be the producers of `p` and `F` its consumers. If `h ∈ H` only puts a token into `p` and
//! no other transition needs what `h` takes, `h` can be delayed until some `f ∈ F` needs its token.
//! Every run has an equivalent one in which it is: no other transition misses the tokens of `h`
//! meanwhile, and none takes the tokens that `h` needs. If `h` is invisible, the two runs differ
//! only in repeated letters. (Citations in `post_agglomeration.rs`.)
//!
//! **Condition**: no atom reads `p`; `m0(p) = 0`; each transition adjacent to `p` either produces
//! or consumes one token there; each `h` takes at least one token, puts none anywhere but in `p`,
//! changes nothing that an atom reads, and is the only transition that needs tokens of its preset;
//! at most 32 pairs, and no more events than at the start.
//! **Preserves** stutter-invariant state properties (see
//! [`Support::allows_agglomeration`](super::Support::allows_agglomeration)) under both deadlock
//! policies: `H` alone terminates, since it takes tokens and returns none; and at a deadlock of the
//! reduced net, firing the enabled transitions of `H` enables no others.
//! **Lift**: `h`, then `f`; at a deadlock all enabled transitions of `H`, which are recorded as
//! *pending*.

use super::agglomeration::AgglomerationPlace;
use super::net::{EventIndex, ReducibleNet};
use lariat_budget::Stop;
use lariat_model::{Arc, VarId};

/// Fuses producers with consumers where producers can be delayed, keeping at most `most` events.
pub(super) fn apply(net: &mut ReducibleNet<'_>, most: usize) -> Result<(), Stop> {
    for place in net.free_places() {
        net.spend(net.touching(place).count())?;
        let Some(passage) = AgglomerationPlace::of(net, place) else {
            continue;
        };
        let mut can_wait = true;
        for at in &passage.producers {
            can_wait = can_wait && waits(net, *at, place)?;
        }
        if !can_wait {
            continue;
        }
        let producers = passage.producers.iter();
        let producers = producers.filter_map(|at| net.transition(*at));
        let ways = producers.map(|h| h.way.clone()).collect();
        if passage.join(net, most) {
            net.pending.push(ways);
        }
    }
    Ok(())
}

/// Returns whether this producer of `place` can be delayed until its token is needed.
fn waits(net: &ReducibleNet<'_>, at: EventIndex, place: VarId) -> Result<bool, Stop> {
    let Some(h) = net.transition(at) else {
        return Ok(false);
    };
    let taken = || h.arcs.iter().filter(|arc| arc.var != place);
    let only_takes = |arc: &Arc| arc.need > 0 && arc.delta == -arc.need;
    if taken().next().is_none() || !taken().all(only_takes) || net.is_visible(h) {
        return Ok(false);
    }
    for arc in taken() {
        net.spend(net.touching(arc.var).count())?;
        let wants = |(other, _, theirs): (EventIndex, _, &Arc)| other != at && theirs.need > 0;
        if net.touching(arc.var).any(wants) {
            return Ok(false);
        }
    }
    Ok(true)
}
