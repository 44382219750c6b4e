//! Sink places: nobody needs what is in them.
//!
//! **Condition**: no atom reads `p`, and no transition needs a token there.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` never decides whether something is enabled.
//! **Back**: the same events, as long as the loop leaves `p` as it was. A loop that puts tokens into `p` is a run of the original, but
//! no lasso: [`Astray::Unliftable`](super::Astray::Unliftable). That happens only where the original is unbounded, since the loop can be
//! repeated for ever, and *holds* is right in any case.

use super::net::Net;
use lariat_budget::Stop;

/// Removes sink places.
pub(super) fn apply(net: &mut Net<'_>) -> Result<(), Stop> {
    for place in net.free_places() {
        let mut arcs = 0;
        let is_sink = net.touching(place).all(|(_, _, arc)| {
            arcs += 1;
            arc.need == 0
        });
        net.spend(arcs)?;
        if is_sink && net.may_lose(place) {
            net.remove_place(place);
        }
    }
    Ok(())
}
