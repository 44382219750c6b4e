//! Sink places: places without output arcs.
//!
//! **Condition**: no atom reads `p`, and no transition needs a token there.
//! **Preserves** everything: all of LTL with `X` and events, both deadlock policies. `p` never
//! decides enabledness.
//! **Lift**: the same events. A loop that adds tokens to `p` is a covering run of the original, in
//! which no atom reads `p`.

use super::net::ReducibleNet;
use lariat_budget::Stop;

pub(super) fn apply(net: &mut ReducibleNet<'_>) -> Result<(), Stop> {
    for place in net.free_places() {
        let mut arcs = 0;
        let is_sink = net.touching(place).all(|(_, _, arc)| {
            arcs += 1;
            arc.need == 0
        });
        net.spend(arcs)?;
        if is_sink && net.is_removable(place) {
            net.remove_place(place);
        }
    }
    Ok(())
}
