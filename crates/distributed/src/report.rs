//! What workers report when they are done with a question.

use crate::census::Counted;
use lariat_budget::Stop;
use lariat_model::Lasso;
use serde::{Deserialize, Serialize};

/// What one worker has counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// States that it owns.
    pub states: u64,
    /// Nodes of the product that it owns.
    pub nodes: u64,
    /// Edges that it followed, in all waves.
    pub edges: u64,
    /// States that it sent while all were looked for.
    pub sent: u64,
    /// States that it received meanwhile.
    pub received: u64,
    /// Bytes that it sent to other workers, in all waves.
    pub bytes_sent: u64,
    /// Bytes that its process held for states when all were found.
    pub bytes: u64,
    /// Bits of a packed state.
    pub packed_bits: u64,
    /// Nodes of its that the last wave left.
    pub left: u64,
    /// Processor time of its thread.
    pub cpu_seconds: f64,
    /// A variable that was assigned a value beyond its range.
    pub overflow: Option<u32>,
}

/// What worker 0 concludes.
#[derive(Clone, Debug)]
pub(crate) enum Conclusion {
    /// There is no such run.
    Empty,
    /// This is one.
    Accepting(Lasso),
}

/// How a worker's work has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ending {
    Finished,
    Time,
    Memory,
    Interrupted,
    Work(u64),
    Bound(String),
    Unsupported(String),
    Lost(String),
    Internal(String),
}

impl From<Stop> for Ending {
    fn from(stop: Stop) -> Ending {
        match stop {
            Stop::Time => Ending::Time,
            Stop::Memory => Ending::Memory,
            Stop::Interrupted => Ending::Interrupted,
            Stop::Work(limit) => Ending::Work(limit),
            Stop::Bound(what) => Ending::Bound(what),
            Stop::Unsupported(what) => Ending::Unsupported(what),
            Stop::Lost(who) => Ending::Lost(who),
            Stop::Internal(what) => Ending::Internal(what),
        }
    }
}

impl Ending {
    /// Why it stopped, if it did not finish.
    pub fn stop(self) -> Option<Stop> {
        Some(match self {
            Ending::Finished => return None,
            Ending::Time => Stop::Time,
            Ending::Memory => Stop::Memory,
            Ending::Interrupted => Stop::Interrupted,
            Ending::Work(limit) => Stop::Work(limit),
            Ending::Bound(what) => Stop::Bound(what),
            Ending::Unsupported(what) => Stop::Unsupported(what),
            Ending::Lost(who) => Stop::Lost(who),
            Ending::Internal(what) => Stop::Internal(what),
        })
    }
}

/// A worker's report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub figures: Figures,
    pub counted: Counted,
    pub ending: Ending,
    /// Worker 0 alone has one, and it never travels.
    #[serde(skip)]
    pub conclusion: Option<Conclusion>,
}
