//! Post-agglomeration: what can happen at once, and is not seen, happens at once.
//!
//! Let `H` be the transitions that put a token into `p` and `F` those that take one. If `f ∈ F` needs nothing but that token, it can
//! be taken as soon as some `h ∈ H` was. Every run has a twin in which it is: earlier tokens of `f` disable nobody, and what never
//! was taken from `p` may be. If `f` is invisible, the twin shows the same but for repetitions.
//! (Berthelot, *Checking properties of nets using transformations*, 1986; Haddad and Pradat-Peyre, *New efficient Petri nets reductions
//! for parallel programs verification*, 2006.)
//!
//! **Condition**: no atom reads `p`; `m0(p) = 0`; whoever touches `p` produces or consumes one token there and does not do both; each `f` has the
//! preset `{p}` and changes nothing that an atom reads; at most 32 pairs, and no more events than at the start.
//! **Preserves** stutter-invariant properties of states (see [`Support::allows_agglomeration`](super::Support::allows_agglomeration))
//! under both deadlock policies: an infinite run has infinitely many steps beside those of `F`, each of which needs one of `H`; and at a deadlock `p` is
//! empty.
//! **Back**: `h`, then `f`.

use super::agglomeration::Passage;
use super::net::Net;
use lariat_budget::Stop;

/// Joins producers and consumers where consumers can follow at once. There are never more than `most` events afterwards.
pub(super) fn apply(net: &mut Net<'_>, most: usize) -> Result<(), Stop> {
    for place in net.free_places() {
        net.spend(net.touching(place).count())?;
        let Some(passage) = Passage::of(net, place) else {
            continue;
        };
        let follow_at_once = passage.consumers.iter().all(|at| {
            net.transition(*at).is_some_and(|f| {
                let needs_only_this = f.arcs.iter().all(|arc| arc.var == place || arc.need == 0);
                needs_only_this && !net.is_visible(f)
            })
        });
        if follow_at_once {
            passage.join(net, most);
        }
    }
    Ok(())
}
