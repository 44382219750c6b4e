//! What the workers of one process share while they answer a question: the switch that stops them, and how far they are.

use lariat_budget::Cancel;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shared by the workers of one process and by who watches them.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Pressed when any worker of any process has stopped.
    pub halt: Cancel,
    /// One for each worker of the process.
    pub gauges: Vec<Gauge>,
}

impl Shared {
    pub fn new(workers: usize) -> Shared {
        Shared {
            halt: Cancel::default(),
            gauges: (0..workers).map(|_| Gauge::default()).collect(),
        }
    }

    /// The states found and those that wait, of each worker.
    pub fn read(&self) -> Vec<(u64, u64)> {
        self.gauges.iter().map(Gauge::get).collect()
    }
}

/// How far a worker is.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    states: AtomicU64,
    queue: AtomicU64,
}

impl Gauge {
    /// Tells the states found and those that wait.
    pub fn set(&self, states: u64, queue: u64) {
        self.states.store(states, Ordering::Relaxed);
        self.queue.store(queue, Ordering::Relaxed);
    }

    /// The states found and those that wait.
    pub fn get(&self) -> (u64, u64) {
        let load = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        (load(&self.states), load(&self.queue))
    }
}
