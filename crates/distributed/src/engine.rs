//! The engine that a set of workers is.

use lariat_engines::{AutomatonKind, Engine, EngineId, Needs, Procedure, Team};
use lariat_model::Strength;

/// Single states, divided among these workers; full LTL with events. Weak fairness comes as a larger automaton.
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
