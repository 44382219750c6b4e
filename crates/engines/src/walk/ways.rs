//! Ways from a node: all of them, or a sample if there are very many.
//!
//! A step costs as much as it changes, but a list of ways costs as much as is enabled.

use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use lariat_budget::Stop;
use lariat_emptiness::NodeId;
use lariat_random::Random;
use lariat_space::explicit::StepChoice;

/// Larger numbers of ways are sampled.
const MANY: usize = 1024;
/// Transitions drawn for a sample.
const SAMPLE: usize = 64;

/// Lists ways from `node`, in the order of the system or of the sample.
pub(super) fn list(
    product: &ExplicitProduct<'_>,
    worker: &mut ExplicitWorker,
    node: NodeId,
    random: &mut Random,
    ways: &mut Vec<StepChoice>,
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
