//! Constant places: places that no transition changes and that always hold enough tokens.
//!
//! **Condition**: no atom reads `p`, every transition puts back into `p` what it takes, and none
//! needs more than `m0(p)` for any initial marking `m0`.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` never
//! decides enabledness.
//! **Lift**: the identity.

use super::net::ReducibleNet;
use lariat_budget::Stop;

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    for place in net.free_places() {
        let tokens = net.fewest_tokens(place);
        let mut arcs = 0;
        let is_constant = net.touching(place).all(|(_, _, arc)| {
            arcs += 1;
            arc.delta == 0 && arc.need <= tokens
        });
        net.spend(arcs)?;
        if is_constant && net.is_removable(place) {
            net.remove_place(place);
        }
    }
    Ok(())
}
