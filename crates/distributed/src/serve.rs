//! A process that has no question of its own: it waits for those of process 0.

use crate::cluster::Cluster;
use crate::crew::{Crew, Order};
use crate::frame::Frame;
use crate::join::{Joined, join};
use crate::link::{Doing, Event, Link};
use crate::question::digest;
use crate::report::{Ending, Report};
use crate::shared::Shared;
use crate::watch::{TICK, Watch};
use crate::wire::unpack;
use lariat_budget::{Budget, Stop};
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Takes part until process 0 has no more questions. `budget` is what this process may spend on each.
///
/// An error says why it ended early: somebody is lost. The caller should end the process then, since its threads may wait for
/// what never comes.
pub fn serve(cluster: &Cluster, budget: &Budget) -> Result<(), String> {
    let Joined {
        crew,
        links,
        events,
        doing,
    } = join(cluster)?;
    let host = links.into_iter().next();
    Server {
        crew,
        host: host.ok_or("there is no connection to host 0")?,
        doing,
        budget,
        order: None,
        reports: Vec::new(),
        has_halted: false,
        watch: Watch::new(cluster.process, cluster.hosts.len()),
    }
    .listen(&events)
}

struct Server<'a> {
    crew: Crew,
    host: Link,
    doing: Doing,
    budget: &'a Budget,
    /// What is being worked on.
    order: Option<Order>,
    reports: Vec<Option<Report>>,
    /// Does process 0 know that a worker has stopped?
    has_halted: bool,
    /// What is known of process 0.
    watch: Watch,
}

impl Server<'_> {
    fn listen(mut self, events: &Receiver<Event>) -> Result<(), String> {
        let lost = |what: &dyn fmt::Display| Err(format!("a worker was lost ({what})"));
        loop {
            match events.recv_timeout(TICK) {
                Ok(Event::Frame(_, frame)) => {
                    self.watch.heard(0);
                    match frame {
                        Frame::Bye => return Ok(()),
                        Frame::Over(what) => return lost(&what),
                        frame => self.hear(frame)?,
                    }
                }
                Ok(Event::Done(worker, report)) => self.done(worker, *report)?,
                // Whether that is the end is for process 0 to say.
                Ok(Event::Severed(peer)) => self.tell(&Frame::Lost(peer as u32)),
                Ok(Event::Lost(_)) | Err(RecvTimeoutError::Disconnected) => self.watch.broke(0),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(loss) = self.watch.tick(|process| process == 0) {
                // If it only stood still it will wonder where everybody is.
                self.tell(&Frame::Lost(0));
                return lost(&loss);
            }
            let is_halted = |order: &Order| order.shared.halt.is_pressed();
            if !self.has_halted && self.order.as_ref().is_some_and(is_halted) {
                self.has_halted = true;
                self.tell(&Frame::Halt);
            }
        }
    }

    fn tell(&mut self, frame: &Frame) {
        if self.host.tell(frame).is_err() {
            self.watch.broke(0);
        }
    }

    fn hear(&mut self, frame: Frame) -> Result<(), String> {
        match frame {
            Frame::Order {
                question,
                digest: expected,
                milliseconds,
                work,
            } => {
                let garbled = || "a question came garbled".to_owned();
                if digest(&question) != expected {
                    return Err(garbled());
                }
                let question = unpack(&question).map_err(|_| garbled())?;
                let mut budget = self.budget.clone();
                if let Some(milliseconds) = milliseconds {
                    budget = budget.with_deadline(Duration::from_millis(milliseconds));
                }
                if let Some(work) = work {
                    budget = budget.with_work(work);
                }
                let order = Order {
                    question: Arc::new(question),
                    budget,
                    shared: Arc::new(Shared::new(self.crew.len())),
                };
                self.reports = vec![None; self.crew.len()];
                self.has_halted = false;
                let mut doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner);
                *doing = Some(order.shared.clone());
                if !self.crew.order(&order) {
                    return Err("a worker has ended".to_owned());
                }
                self.order = Some(order);
            }
            Frame::Halt => {
                self.has_halted = true;
                if let Some(order) = &self.order {
                    order.shared.halt.press();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn done(&mut self, worker: usize, report: Report) -> Result<(), String> {
        if let Ending::Internal(what) = &report.ending {
            // The others may wait for what this worker has not done.
            let stop = Stop::Internal(what.clone());
            self.tell(&Frame::Done(vec![report; self.crew.len()]));
            return Err(stop.to_string());
        }
        self.reports[worker] = Some(report);
        if self.reports.iter().all(Option::is_some) {
            let reports = self.reports.drain(..).flatten().collect();
            self.order = None;
            *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.tell(&Frame::Done(reports));
        }
        Ok(())
    }
}
