//! Reports of workers that have finished a question.

use crate::census::StateTotals;
use lariat_budget::Stop;
use lariat_model::Lasso;
use serde::{Deserialize, Serialize};

/// Counters of one worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// States that it owns.
    pub states: u64,
    /// Nodes of the product that it owns.
    pub nodes: u64,
    /// Edges that it followed, in all waves.
    pub edges: u64,
    /// States that it sent in the reachability wave.
    pub sent: u64,
    /// States that it received in the reachability wave.
    pub received: u64,
    /// Bytes that it sent to other workers, in all waves.
    pub bytes_sent: u64,
    /// Bytes that its process held for states after the reachability wave.
    pub bytes: u64,
    /// Bits of a packed state.
    pub packed_bits: u64,
    /// Its nodes that remained after the last wave.
    pub left: u64,
    /// Processor time of its thread.
    pub cpu_seconds: f64,
    /// A variable that was assigned a value outside its range.
    pub overflow: Option<u32>,
}

/// The conclusion of worker 0.
#[derive(Clone, Debug)]
pub(crate) enum Conclusion {
    Empty,
    Accepting(Lasso),
}

/// [`Stop`] in a form that can be encoded.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Stop")]
enum EncodedStop {
    Time,
    Memory,
    Interrupted,
    Work(u64),
    Bound(String),
    Unsupported(String),
    Lost(String),
    Internal(String),
}

/// The end of a worker's search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum WorkerEnding {
    Finished,
    Stopped(#[serde(with = "EncodedStop")] Stop),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WorkerReport {
    pub figures: Figures,
    pub counted: StateTotals,
    pub ending: WorkerEnding,
    /// Set by worker 0 only, and never sent.
    #[serde(skip)]
    pub conclusion: Option<Conclusion>,
}
