//! Subsets of the events, compiled for the operations of [`Symbolic`](super::Symbolic).

use super::moves::EventRelations;
use lariat_dd::{Store, Subset};
use lariat_model::EventId;
use std::sync::{Arc, OnceLock};

/// A subset of the events, compiled. Cheap to clone.
///
/// Closures under the same steps share cached results: create one per query and keep it.
#[derive(Clone)]
pub struct StepSet(pub(super) Arc<CompiledSteps>);

pub(super) struct CompiledSteps {
    pub events: Vec<EventId>,
    pub forward: Subset,
    /// The inverses, computed on first use.
    pub backward: OnceLock<Subset>,
    /// Events that are enabled where these would exceed the cap, computed on first use.
    pub escaping: OnceLock<Subset>,
    /// Version of the learned programs at the compilation.
    pub version: u32,
}

impl StepSet {
    pub(super) fn compile(
        store: &mut Store,
        moves: &EventRelations,
        events: Vec<EventId>,
    ) -> StepSet {
        let chains = || events.iter().flat_map(|e| moves.events(*e)).copied();
        let forward = store.subset(chains());
        StepSet(Arc::new(CompiledSteps {
            version: moves.version,
            events,
            forward,
            backward: OnceLock::new(),
            escaping: OnceLock::new(),
        }))
    }

    /// The events.
    pub fn events(&self) -> &[EventId] {
        &self.0.events
    }
}
