//! State shared by the threads of one process during a question: the stop switch and the progress.

use lariat_budget::Cancel;
use std::sync::atomic::{AtomicU64, Ordering};

/// Shared by the worker, listening and control threads of one process.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Set once any worker of any process has stopped; workers poll it between stretches.
    pub halt: Cancel,
    /// The progress of each worker of the process.
    pub gauges: Vec<Gauge>,
}

impl Shared {
    pub fn new(workers: usize) -> Shared {
        Shared {
            halt: Cancel::default(),
            gauges: (0..workers).map(|_| Gauge::default()).collect(),
        }
    }

    /// The numbers of found and of waiting states of each worker.
    pub fn read(&self) -> Vec<(u64, u64)> {
        self.gauges.iter().map(Gauge::get).collect()
    }
}

/// The progress of one worker, its only writer. Accesses are relaxed: counters may be out of step.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    states: AtomicU64,
    queue: AtomicU64,
}

impl Gauge {
    /// Sets the numbers of found and of waiting states.
    pub fn set(&self, states: u64, queue: u64) {
        self.states.store(states, Ordering::Relaxed);
        self.queue.store(queue, Ordering::Relaxed);
    }

    pub fn get(&self) -> (u64, u64) {
        let load = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        (load(&self.states), load(&self.queue))
    }
}
