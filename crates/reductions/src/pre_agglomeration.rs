//! Pre-agglomeration: what nobody waits for, and is not seen, happens as late as possible.
//!
//! Let `H` be the transitions that put a token into `p` and `F` those that take one. If `h ∈ H` does nothing but that, and nobody else
//! wants what it takes, it may wait until some `f ∈ F` needs its token. Every run has a twin in which it does: nobody misses the tokens of `h`
//! meanwhile, and nobody takes what `h` will need. If `h` is invisible, the twin shows the same but for repetitions.
//! (Citations in `post_agglomeration.rs`.)
//!
//! **Condition**: no atom reads `p`; `m0(p) = 0`; whoever touches `p` produces or consumes one token there and does not do both; each `h` takes
//! something, puts out nothing but its token in `p`, changes nothing that an atom reads, and is the only one that needs
//! anything in its preset; at most 32 pairs, and no more events than at the start.
//! **Preserves** stutter-invariant properties of states (see [`Support::allows_agglomeration`](super::Support::allows_agglomeration))
//! under both deadlock policies: `H` alone cannot go on for ever, since it takes and never gives back; and what is left of `H` at a dead end of the
//! reduced net can be taken there without enabling anything else.
//! **Back**: `h`, then `f`; and at a dead end all of `H` that is still enabled, which is noted as *pending*.

use super::agglomeration::Passage;
use super::net::{Net, Position};
use lariat_budget::Stop;
use lariat_model::{Arc, VarId};

/// Joins producers and consumers where producers can wait. There are never more than `most` events afterwards.
pub(super) fn apply(net: &mut Net<'_>, most: usize) -> Result<(), Stop> {
    for place in net.free_places() {
        net.spend(net.touching(place).count())?;
        let Some(passage) = Passage::of(net, place) else {
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

/// Can this producer of `place` wait until its token is needed?
fn waits(net: &Net<'_>, at: Position, place: VarId) -> Result<bool, Stop> {
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
        let wants = |(other, _, theirs): (Position, _, &Arc)| other != at && theirs.need > 0;
        if net.touching(arc.var).any(wants) {
            return Ok(false);
        }
    }
    Ok(true)
}
