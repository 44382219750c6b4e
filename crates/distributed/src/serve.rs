//! A process that waits for the questions of process 0.

use crate::cluster::Cluster;
use crate::frame::Frame;
use crate::join::{Joined, join};
use crate::link::{ControlEvent, ControlLink, Doing};
use crate::question::digest;
use crate::report::{WorkerEnding, WorkerReport};
use crate::shared::Shared;
use crate::watch::{PeerWatch, TICK};
use crate::wire::unpack;
use crate::worker_threads::{WorkOrder, WorkerThreads};
use lariat_budget::{Budget, Stop};
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Serves the questions of process 0 until it sends no more. `budget` limits each question.
///
/// An error is the reason for an early end, for example a lost process. The caller should then
/// exit, since worker threads may block forever.
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
        watch: PeerWatch::new(cluster.process, cluster.hosts.len()),
    }
    .listen(&events)
}

struct Server<'a> {
    crew: WorkerThreads,
    host: ControlLink,
    doing: Doing,
    budget: &'a Budget,
    /// The question in progress.
    order: Option<WorkOrder>,
    reports: Vec<Option<WorkerReport>>,
    /// True once process 0 knows that a worker has stopped.
    has_halted: bool,
    /// Failure detection for process 0.
    watch: PeerWatch,
}

impl Server<'_> {
    fn listen(mut self, events: &Receiver<ControlEvent>) -> Result<(), String> {
        let lost = |what: &dyn fmt::Display| Err(format!("a worker was lost ({what})"));
        loop {
            match events.recv_timeout(TICK) {
                Ok(ControlEvent::Frame(_, frame)) => {
                    self.watch.received(0);
                    match frame {
                        Frame::Bye => return Ok(()),
                        Frame::Over(what) => return lost(&what),
                        frame => self.handle(frame)?,
                    }
                }
                Ok(ControlEvent::Done(worker, report)) => self.done(worker, *report)?,
                // Process 0 decides whether the run is over.
                Ok(ControlEvent::Severed(peer)) => self.send(&Frame::Lost(peer as u32)),
                Ok(ControlEvent::Lost(_)) | Err(RecvTimeoutError::Disconnected) => {
                    self.watch.broke(0)
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(loss) = self.watch.tick(|process| process == 0) {
                // If process 0 was only suspended, it learns that it was given up.
                self.send(&Frame::Lost(0));
                return lost(&loss);
            }
            let is_halted = |order: &WorkOrder| order.shared.halt.is_pressed();
            if !self.has_halted && self.order.as_ref().is_some_and(is_halted) {
                self.has_halted = true;
                self.send(&Frame::Halt);
            }
        }
    }

    fn send(&mut self, frame: &Frame) {
        if self.host.send(frame).is_err() {
            self.watch.broke(0);
        }
    }

    fn handle(&mut self, frame: Frame) -> Result<(), String> {
        match frame {
            Frame::Order {
                question,
                digest: expected,
                milliseconds,
                work,
            } => {
                let corrupted = || "a question was corrupted".to_owned();
                if digest(&question) != expected {
                    return Err(corrupted());
                }
                let question = unpack(&question).map_err(|_| corrupted())?;
                let mut budget = self.budget.clone();
                if let Some(milliseconds) = milliseconds {
                    budget = budget.with_deadline(Duration::from_millis(milliseconds));
                }
                if let Some(work) = work {
                    budget = budget.with_work(work);
                }
                let order = WorkOrder {
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

    fn done(&mut self, worker: usize, report: WorkerReport) -> Result<(), String> {
        if let WorkerEnding::Stopped(stop @ Stop::Internal(_)) = &report.ending {
            // Workers of other processes may wait for this worker, so the run ends.
            let stop = stop.to_string();
            self.send(&Frame::Done(vec![report; self.crew.len()]));
            return Err(stop);
        }
        self.reports[worker] = Some(report);
        if self.reports.iter().all(Option::is_some) {
            let reports = self.reports.drain(..).flatten().collect();
            self.order = None;
            *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.send(&Frame::Done(reports));
        }
        Ok(())
    }
}
