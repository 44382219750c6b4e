//! A pool of worker processes that take tasks from one queue.
//!
//! One thread per worker pops tasks from a mutex-protected queue, waits for the worker process and
//! sends the result over a channel. The calling thread receives results and polls for cancellation.

use crate::answer::Ended;
use crate::job::JobCommand;
use crate::worker::{Leash, WorkerCommand, WorkerProcess};
use lariat::internals::Cancel;
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Interval at which the calling thread polls for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Idle worker processes.
pub struct Pool {
    workers: Vec<WorkerProcess>,
    cancel: Cancel,
}

impl Pool {
    /// Starts `jobs` workers, at least one.
    pub fn start(runner: &WorkerCommand, jobs: usize, cancel: &Cancel) -> io::Result<Pool> {
        let workers: io::Result<Vec<WorkerProcess>> = (0..jobs.max(1))
            .map(|_| WorkerProcess::start(runner))
            .collect();
        Ok(Pool {
            workers: workers?,
            cancel: cancel.clone(),
        })
    }

    /// Returns the number of tasks that run at a time.
    pub fn width(&self) -> usize {
        self.workers.len()
    }

    /// Runs all tasks, starting them in their order. Calls `each` on the calling thread with the
    /// index and result of each task as it ends. On cancellation, kills the running tasks and
    /// returns [`io::ErrorKind::Interrupted`].
    pub fn run(
        &mut self,
        tasks: Vec<JobCommand>,
        mut each: impl FnMut(usize, Ended) -> io::Result<()>,
    ) -> io::Result<()> {
        let queue: Mutex<VecDeque<(usize, JobCommand)>> =
            Mutex::new(tasks.into_iter().enumerate().collect());
        let clear_queue = || {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.clear();
        };
        let leashes: Vec<Leash> = self.workers.iter().map(WorkerProcess::leash).collect();
        let (sender, results) = mpsc::channel();
        let cancel = self.cancel.clone();
        std::thread::scope(|scope| {
            for worker in &mut self.workers {
                let sender = sender.clone();
                let queue = &queue;
                scope.spawn(move || {
                    loop {
                        let next = queue
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .pop_front();
                        let Some((number, task)) = next else { break };
                        let ended = worker.run(&task);
                        let failed = ended.is_err();
                        if sender.send((number, ended)).is_err() || failed {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            loop {
                if cancel.is_pressed() {
                    clear_queue();
                    leashes.iter().for_each(Leash::close);
                    return Err(io::ErrorKind::Interrupted.into());
                }
                match results.recv_timeout(POLL_INTERVAL) {
                    Ok((number, ended)) => {
                        let handled = ended.and_then(|ended| each(number, ended));
                        if result.is_ok() && handled.is_err() {
                            // Running tasks may finish; no task is started.
                            clear_queue();
                            result = handled;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return result,
                }
            }
        })
    }
}
