//! The worker threads of one process, which execute orders from a queue.

use crate::network::Allocators;
use crate::question::WorkerQuestion;
use crate::report::WorkerReport;
use crate::search::answer;
use crate::shared::Shared;
use crate::wave::WaveContext;
use lariat_budget::Budget;
use std::mem::ManuallyDrop;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use timely::WorkerConfig;
use timely::communication::WorkerGuards;
use timely::execute::execute_from;
use timely::worker::Worker;

/// An order for the workers of one process.
#[derive(Clone)]
pub(crate) struct WorkOrder {
    pub question: Arc<WorkerQuestion<'static>>,
    /// The limits of this process.
    pub budget: Budget,
    pub shared: Arc<Shared>,
}

/// The worker threads, each with its queue of orders. A panic closes the queue of its thread.
pub(crate) struct WorkerThreads {
    orders: Vec<Sender<WorkOrder>>,
    guards: ManuallyDrop<WorkerGuards<()>>,
}

impl WorkerThreads {
    /// Spawns one thread per builder; that thread calls `report` with its index and each report.
    pub fn start(
        allocators: Allocators,
        report: impl Fn(usize, WorkerReport) + Send + Sync + 'static,
    ) -> Result<WorkerThreads, String> {
        let Allocators { builders, guard } = allocators;
        let threads = builders.len();
        let (orders, queues): (Vec<_>, Vec<_>) = (0..threads).map(|_| channel()).unzip();
        let queues: Vec<Option<Receiver<WorkOrder>>> = queues.into_iter().map(Some).collect();
        let queues = Mutex::new(queues);
        let guards = execute_from(builders, guard, WorkerConfig::default(), move |worker| {
            let local = worker.index() % threads;
            let queue = queues
                .lock()
                .ok()
                .and_then(|mut queues| queues[local].take());
            if let Some(queue) = queue {
                run_orders(worker, &queue, |done| report(local, done));
            }
        })?;
        Ok(WorkerThreads {
            orders,
            guards: ManuallyDrop::new(guards),
        })
    }

    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// Sends the order to all workers; returns `false` if a worker thread has ended.
    pub fn order(&self, order: &WorkOrder) -> bool {
        // All workers get the order, also those after an ended one.
        let gone = |queue: &&Sender<WorkOrder>| queue.send(order.clone()).is_err();
        self.orders.iter().filter(gone).count() == 0
    }

    /// Joins all worker threads, after their current order. Must not be called if a worker of
    /// another process is lost: then `timely` never returns.
    pub fn dismiss(self) {
        let WorkerThreads { orders, guards } = self;
        drop(orders);
        ManuallyDrop::into_inner(guards).join();
    }
}

fn run_orders(worker: &mut Worker, queue: &Receiver<WorkOrder>, report: impl Fn(WorkerReport)) {
    while let Ok(order) = queue.recv() {
        let local = worker.index() % order.shared.gauges.len();
        let mut context = WaveContext {
            worker,
            shared: &order.shared,
            budget: &order.budget,
            bytes: 0,
        };
        report(answer(
            &mut context,
            &order.question,
            &order.shared.gauges[local],
        ));
    }
}
