//! Post-agglomeration: fuses the producers of a place with invisible consumers that can follow at
//! once.
//!
//! Let `H` be the producers of `p` and `F` its consumers. If `f ∈ F` needs nothing but the token in
//! `p`, it can fire immediately after some `h ∈ H`. Every run has an equivalent one in which it
//! does: tokens that `f` produces earlier disable nothing, and a token never taken from `p` may as
//! well be taken. If `f` is invisible, the two runs differ only in repeated letters. (Berthelot,
//! *Checking properties of nets using transformations*, 1986; Haddad and Pradat-Peyre, *New
//! efficient Petri nets reductions for parallel programs verification*, 2006.)
//!
//! **Condition**: no atom reads `p`; `m0(p) = 0`; each transition adjacent to `p` either produces
//! or consumes one token there; each `f` has the preset `{p}` and changes nothing that an atom
//! reads; at most 32 pairs, and no more events than at the start.
//! **Preserves** stutter-invariant state properties (see
//! [`Support::allows_agglomeration`](super::Support::allows_agglomeration)) under both deadlock
//! policies: an infinite run has infinitely many steps outside `F`, since each step of `F` needs
//! one of `H`; and at a deadlock `p` is empty.
//! **Lift**: `h`, then `f`.

use super::agglomeration::AgglomerationPlace;
use super::net::ReducibleNet;
use lariat_budget::Stop;

/// Fuses producers with consumers where consumers can follow at once, keeping at most `most`
/// events.
pub(super) fn apply(net: &mut ReducibleNet<'_>, most: usize) -> Result<(), Stop> {
    for place in net.free_places() {
        net.spend(net.touching(place).count())?;
        let Some(passage) = AgglomerationPlace::of(net, place) else {
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
