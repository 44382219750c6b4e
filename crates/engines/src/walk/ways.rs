//! What can be done from a node: all ways, or some of them if there are very many.
//!
//! A step costs what it changes, but a list of all that is enabled costs as much as there is: of ten thousands of processes that could go on, one will.

use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use lariat_budget::Stop;
use lariat_emptiness::NodeId;
use lariat_random::Random;
use lariat_space::explicit::Way;

/// Of more ways than this only some are drawn.
const MANY: usize = 1024;
/// So many.
const SAMPLE: usize = 64;

/// Lists ways from `node`, in the order of the system or as they were drawn.
pub(super) fn list(
    product: &ExplicitProduct<'_>,
    worker: &mut ExplicitWorker,
    node: NodeId,
    random: &mut Random,
    ways: &mut Vec<Way>,
) -> Result<(), Stop> {
    ways.clear();
    let (space, (state, _)) = (product.space(), worker.nodes.get(node));
    let enabled = space.enabled_transitions(&mut worker.states, state);
    if enabled.is_none_or(|enabled| enabled <= MANY) {
        return product.ways(worker, node, ways);
    }
    for _ in 0..SAMPLE {
        let number = random.below(space.transitions());
        ways.extend(space.way_behind(&mut worker.states, state, number));
    }
    Ok(())
}
