//! Process 0: sends questions to all workers and collects their reports.
//!
//! Only this process gives answers, and only if all workers completed the search. A worker that
//! stops makes all stop; a lost worker ends the run within ten seconds, with [`Stop::Lost`].

use crate::census::StateTotals;
use crate::cluster::Cluster;
use crate::frame::{Frame, LONGEST_ORDER};
use crate::join::{Joined, join, single_process};
use crate::link::{ControlEvent, ControlLink, Doing};
use crate::progress::{Gauges, ProgressReporter};
use crate::question::{about_runs, about_states, digest};
use crate::report::{Conclusion, Figures, WorkerEnding, WorkerReport};
use crate::shared::Shared;
use crate::watch::{Loss, PeerWatch, TICK};
use crate::wire::unpack;
use crate::worker_threads::{WorkOrder, WorkerThreads};
use lariat_budget::{Budget, Observer, RunContext, Statistic, Stats, Stop};
use lariat_engines::{Found, Outcome, Task, Team};
use lariat_model::{Predicate, System, VarId};
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Workers of one or more processes that answer questions one at a time, guarded by a mutex.
pub struct Machines(Mutex<Inner>);

impl fmt::Debug for Machines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Machines")
    }
}

struct Inner {
    /// `None` once the workers were joined.
    crew: Option<WorkerThreads>,
    events: Receiver<ControlEvent>,
    /// Links to the processes from 1 on.
    links: Vec<ControlLink>,
    doing: Doing,
    /// The reason why no further questions are answered.
    lost: Option<Stop>,
}

/// The result of counting all states.
#[derive(Clone, Debug)]
pub struct DistributedCount {
    /// The counters over all states.
    pub counted: StateTotals,
    /// The counters of each worker.
    pub workers: Vec<Figures>,
    /// The reason for an early end; counters are lower bounds then.
    pub stop: Option<Stop>,
}

impl Machines {
    /// Starts workers of this process only.
    pub fn threads(workers: usize) -> Result<Machines, String> {
        single_process(workers).map(Machines::of)
    }

    /// Starts process 0 of a cluster, when all others have connected.
    pub fn connect(cluster: &Cluster) -> Result<Machines, String> {
        join(cluster).map(Machines::of)
    }

    fn of(joined: Joined) -> Machines {
        Machines(Mutex::new(Inner {
            crew: Some(joined.crew),
            events: joined.events,
            links: joined.links,
            doing: joined.doing,
            lost: None,
        }))
    }

    /// Counts the states of a system, and those in which claims fail.
    pub fn count(
        &self,
        system: &System,
        claims: &[Predicate],
        ctx: RunContext<'_>,
    ) -> DistributedCount {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let question = about_states(system, claims);
        let (reports, stop) = match question.and_then(|question| inner.answer(&question, ctx)) {
            Ok(reports) => {
                let stop = inner.stopped(&reports);
                (reports, stop)
            }
            Err(stop) => (Vec::new(), Some(stop)),
        };
        let mut counted = StateTotals::default();
        for report in &reports {
            counted.join(&report.counted);
        }
        DistributedCount {
            counted,
            workers: reports.into_iter().map(|report| report.figures).collect(),
            stop,
        }
    }

    /// Ends the other processes: there are no more questions.
    pub fn dismiss(&self) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for link in inner.links.drain(..) {
            link.close(&Frame::Bye);
        }
        inner.lost = Some(Stop::Lost("all were stopped".to_owned()));
    }
}

/// The state of a question in progress.
struct Asking {
    shared: Arc<Shared>,
    /// The reports of each worker, by process.
    reports: Vec<Vec<Option<WorkerReport>>>,
    gauges: Gauges,
    teller: ProgressReporter,
    watch: PeerWatch,
    /// True once the other processes know that a worker has stopped.
    has_halted: bool,
}

impl Asking {
    /// Reports the progress of all workers if a report is due.
    fn report_progress(&mut self, observer: &dyn Observer) {
        let now = Instant::now();
        if self.teller.is_due(now) {
            self.gauges[0] = self.shared.read();
            self.teller.report(now, &self.gauges, observer);
        }
    }
}

impl Inner {
    /// Sends a question to all workers and waits for their reports, worker 0 first.
    fn answer(&mut self, question: &[u8], ctx: RunContext<'_>) -> Result<Vec<WorkerReport>, Stop> {
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let threads = self.crew.as_ref().map_or(0, WorkerThreads::len);
        let processes = self.links.len() + 1;
        let mut asking = Asking {
            shared: Arc::new(Shared::new(threads)),
            reports: vec![vec![None; threads]; processes],
            gauges: vec![Vec::new(); processes],
            teller: ProgressReporter::new(Instant::now()),
            watch: PeerWatch::new(0, processes),
            has_halted: false,
        };
        // Events since the last question, which may include a lost process.
        while let Ok(event) = self.events.try_recv() {
            self.handle(event, &mut asking)?;
        }
        self.send_order(question, ctx.budget, &mut asking)?;
        while asking.reports.iter().flatten().any(Option::is_none) {
            match self.events.recv_timeout(TICK) {
                Ok(event) => self.handle(event, &mut asking)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.lose(Loss::Host(0))),
            }
            asking.report_progress(ctx.observer);
            let Asking { reports, watch, .. } = &mut asking;
            let works = |process: usize| reports[process].iter().any(Option::is_none);
            if let Some(loss) = watch.tick(works) {
                return Err(self.lose(loss));
            }
            if !asking.has_halted && asking.shared.halt.is_pressed() {
                asking.has_halted = true;
                self.send_all(&Frame::Halt, &mut asking.watch);
            }
        }
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(asking.reports.into_iter().flatten().flatten().collect())
    }

    /// Sends the question to all processes and workers.
    fn send_order(
        &mut self,
        question: &[u8],
        budget: &Budget,
        asking: &mut Asking,
    ) -> Result<(), Stop> {
        if !self.links.is_empty() && question.len() > LONGEST_ORDER as usize / 2 {
            let what = "this model is too large to be sent to other processes";
            return Err(Stop::Unsupported(what.to_owned()));
        }
        let asked = unpack(question)?;
        let milliseconds = |left: std::time::Duration| left.as_millis() as u64;
        let order = Frame::Order {
            question: question.to_vec(),
            digest: digest(question),
            milliseconds: budget.time_left().map(milliseconds),
            work: budget.work_left(),
        };
        self.send_all(&order, &mut asking.watch);
        let shared = &asking.shared;
        let order = WorkOrder {
            question: Arc::new(asked),
            budget: budget.clone(),
            shared: shared.clone(),
        };
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = Some(shared.clone());
        if self.crew.as_ref().is_some_and(|crew| crew.order(&order)) {
            Ok(())
        } else {
            Err(self.lose(Loss::Host(0)))
        }
    }

    fn send_all(&self, frame: &Frame, watch: &mut PeerWatch) {
        for (process, link) in (1..).zip(&self.links) {
            if link.send(frame).is_err() {
                watch.broke(process);
            }
        }
    }

    fn handle(&mut self, event: ControlEvent, asking: &mut Asking) -> Result<(), Stop> {
        match event {
            ControlEvent::Done(worker, report) => asking.reports[0][worker] = Some(*report),
            ControlEvent::Lost(process) | ControlEvent::Severed(process) => {
                asking.watch.broke(process)
            }
            ControlEvent::Frame(process, frame) => {
                asking.watch.received(process);
                match frame {
                    Frame::Pulse(gauges) => asking.gauges[process] = gauges,
                    Frame::Halt => asking.shared.halt.press(),
                    Frame::Lost(other) => asking.watch.complained(process, other as usize),
                    Frame::Done(reports) => {
                        let slots = &mut asking.reports[process];
                        if reports.len() != slots.len() {
                            return Err(self.lose(Loss::Host(process)));
                        }
                        *slots = reports.into_iter().map(Some).collect();
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Ends the run after a loss: notifies all processes and refuses further questions.
    fn lose(&mut self, loss: Loss) -> Stop {
        let over = Frame::Over(loss.to_string());
        self.links.iter().for_each(|link| link.close(&over));
        if let Some(doing) = &*self.doing.lock().unwrap_or_else(PoisonError::into_inner) {
            doing.halt.press();
        }
        let stop = Stop::Lost(loss.to_string());
        self.lost = Some(stop.clone());
        stop
    }

    /// The reason why workers have stopped, preferably one that is not another worker's stop.
    fn stopped(&self, reports: &[WorkerReport]) -> Option<Stop> {
        let threads = self.crew.as_ref().map_or(1, WorkerThreads::len);
        let stop_of = |(i, report)| match report {
            &WorkerReport {
                ending: WorkerEnding::Stopped(ref stop),
                ..
            } => Some((i / threads, stop)),
            _ => None,
        };
        let stops = || reports.iter().enumerate().filter_map(stop_of);
        let cause = stops().find(|(_, stop)| **stop != Stop::Interrupted);
        let (process, stop) = cause.or_else(|| stops().next())?;
        Some(match stop {
            // In a cluster the other processes may have memory left.
            Stop::Memory if !self.links.is_empty() => Stop::Lost(format!("host {process}: memory")),
            stop => stop.clone(),
        })
    }
}

impl Team for Machines {
    fn decide(&self, task: &mut Task<'_>) -> Found {
        let question = about_runs(task.problem)?;
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reports = inner.answer(&question, RunContext::new(task.budget, task.observer))?;
        record(&reports, task);
        if let Some(stop) = inner.stopped(&reports) {
            return Err(stop);
        }
        let first = reports.into_iter().next();
        match first.and_then(|first| first.conclusion) {
            Some(Conclusion::Empty) => Ok(Outcome::Empty),
            Some(Conclusion::Accepting(lasso)) => Ok(Outcome::Accepting(lasso)),
            None => Err(Stop::Internal("worker 0 has not concluded".to_owned())),
        }
    }
}

/// Records the counters of all workers, as sums and one by one.
fn record(reports: &[WorkerReport], task: &mut Task<'_>) {
    let sum = |figure: fn(&Figures) -> u64| reports.iter().map(|r| figure(&r.figures)).sum::<u64>();
    let account = &mut *task.account;
    let stats = &mut account.stats;
    stats.set(Statistic::PRODUCT_STATES, sum(|figures| figures.nodes));
    stats.set(Statistic::PRODUCT_EDGES, sum(|figures| figures.edges));
    stats.set(Statistic::STATES, sum(|figures| figures.states));
    let bits = reports.iter().map(|r| r.figures.packed_bits).max();
    stats.set(Statistic::PACKED_BITS, bits.unwrap_or(0));
    account.overflow = reports.iter().find_map(|r| r.figures.overflow).map(VarId);
    account.workers = reports.iter().map(|r| r.figures.stats()).collect();
}

impl Figures {
    /// The counters as statistics for reports.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.set(Statistic::STATES, self.states);
        stats.set(Statistic::PRODUCT_STATES, self.nodes);
        stats.set(Statistic::PRODUCT_EDGES, self.edges);
        stats.set(Statistic::STATES_SENT, self.sent);
        stats.set(Statistic::BYTES_SENT, self.bytes_sent);
        stats.set(Statistic::BYTES_HELD, self.bytes);
        stats.set(Statistic::CPU_SECONDS, self.cpu_seconds);
        stats
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.links.iter().for_each(|link| link.close(&Frame::Bye));
        // In a cluster `timely` would wait for all processes, so the threads are not joined.
        if let (true, None, Some(crew)) = (self.links.is_empty(), &self.lost, self.crew.take()) {
            crew.dismiss();
        }
    }
}
