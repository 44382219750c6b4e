//! The workers of one process: threads that wait for orders and carry them out.

use crate::question::Question;
use crate::report::Report;
use crate::search::answer;
use crate::shared::Shared;
use crate::wave::Hands;
use lariat_budget::Budget;
use std::any::Any;
use std::mem::ManuallyDrop;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use timely::WorkerConfig;
use timely::communication::WorkerGuards;
use timely::communication::allocator::AllocatorBuilder;
use timely::execute::execute_from;
use timely::worker::Worker;

/// What the workers of one process are to do.
#[derive(Clone)]
pub(crate) struct Order {
    pub question: Arc<Question>,
    /// What the process may spend.
    pub budget: Budget,
    pub shared: Arc<Shared>,
}

/// The threads.
pub(crate) struct Crew {
    orders: Vec<Sender<Order>>,
    guards: ManuallyDrop<WorkerGuards<()>>,
}

impl Crew {
    /// Starts a thread for each builder. Each report goes to `tell`, with the number of its worker within the process.
    pub fn start(
        builders: Vec<AllocatorBuilder>,
        others: Box<dyn Any + Send>,
        tell: impl Fn(usize, Report) + Send + Sync + 'static,
    ) -> Result<Crew, String> {
        let threads = builders.len();
        let (orders, desks): (Vec<_>, Vec<_>) = (0..threads).map(|_| channel()).unzip();
        let desks: Vec<Option<Receiver<Order>>> = desks.into_iter().map(Some).collect();
        let desks = Mutex::new(desks);
        let guards = execute_from(builders, others, WorkerConfig::default(), move |worker| {
            let local = worker.index() % threads;
            let desk = desks.lock().ok().and_then(|mut desks| desks[local].take());
            if let Some(desk) = desk {
                carry_out(worker, &desk, |report| tell(local, report));
            }
        })?;
        Ok(Crew {
            orders,
            guards: ManuallyDrop::new(guards),
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// Gives everybody the same order. False if somebody is gone.
    pub fn order(&self, order: &Order) -> bool {
        // Everybody is told, also behind somebody who is gone.
        let gone = |desk: &&Sender<Order>| desk.send(order.clone()).is_err();
        self.orders.iter().filter(gone).count() == 0
    }

    /// Waits until everybody has gone home. Not to be called while somebody waits for a worker that is lost: whoever is not
    /// dismissed stays until the process ends.
    pub fn dismiss(self) {
        let Crew { orders, guards } = self;
        drop(orders);
        ManuallyDrop::into_inner(guards).join();
    }
}

fn carry_out(worker: &mut Worker, desk: &Receiver<Order>, tell: impl Fn(Report)) {
    while let Ok(order) = desk.recv() {
        let local = worker.index() % order.shared.gauges.len();
        let mut hands = Hands {
            worker,
            shared: &order.shared,
            budget: &order.budget,
            bytes: 0,
        };
        tell(answer(
            &mut hands,
            &order.question,
            &order.shared.gauges[local],
        ));
    }
}
