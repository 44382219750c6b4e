//! Constant places: nothing changes them, and there is always enough in them.
//!
//! **Condition**: no atom reads `p`, every transition puts back into `p` what it takes, and none needs more than
//! `m0(p)`, whichever initial marking `m0` is.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` never decides whether something is enabled.
//! **Back**: nothing to do.

use super::net::Net;
use lariat_budget::Stop;

/// Removes constant places.
pub(super) fn apply(net: &mut Net<'_>) -> Result<(), Stop> {
    for place in net.free_places() {
        let tokens = net.fewest_tokens(place);
        let mut arcs = 0;
        let is_constant = net.touching(place).all(|(_, _, arc)| {
            arcs += 1;
            arc.delta == 0 && arc.need <= tokens
        });
        net.spend(arcs)?;
        if is_constant && net.may_lose(place) {
            net.remove_place(place);
        }
    }
    Ok(())
}
