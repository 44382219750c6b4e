//! The engine that runs on a set of workers.

use lariat_engines::{AutomatonKind, Engine, EngineId, Needs, Procedure, Team};
use lariat_model::Strength;

/// Explicit states, divided among `workers`; full LTL with events. Automata encode weak fairness.
pub fn engine(workers: &'static dyn Team) -> Engine {
    Engine {
        id: EngineId::Distributed,
        automata: &[AutomatonKind::Ba],
        checks: |_| &[],
        needs: Needs::Nothing,
        fairness: |_| Some(Strength::Weak),
        has_published: false,
        procedure: Procedure::Team(workers),
    }
}
