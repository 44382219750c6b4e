//! Several workers, and a queue of tasks for them.

use crate::answer::Ended;
use crate::job::Task;
use crate::worker::{Leash, Runner, Worker};
use lariat::internals::Cancel;
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often somebody looks whether to stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// Workers that wait for tasks.
pub struct Pool {
    workers: Vec<Worker>,
    cancel: Cancel,
}

impl Pool {
    /// Starts as many workers as jobs may run at a time.
    pub fn start(runner: &Runner, jobs: usize, cancel: &Cancel) -> io::Result<Pool> {
        let workers: io::Result<Vec<Worker>> =
            (0..jobs.max(1)).map(|_| Worker::start(runner)).collect();
        Ok(Pool {
            workers: workers?,
            cancel: cancel.clone(),
        })
    }

    /// How many tasks run at a time.
    pub fn width(&self) -> usize {
        self.workers.len()
    }

    /// Runs all tasks, in their order as far as several at a time have one; `each` hears how they
    /// end, as they end. Stops early if the switch is pressed, which is [`io::ErrorKind::Interrupted`].
    pub fn run(
        &mut self,
        tasks: Vec<Task>,
        mut each: impl FnMut(usize, Ended) -> io::Result<()>,
    ) -> io::Result<()> {
        let queue: Mutex<VecDeque<(usize, Task)>> =
            Mutex::new(tasks.into_iter().enumerate().collect());
        let empty = || {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.clear();
        };
        let leashes: Vec<Leash> = self.workers.iter().map(Worker::leash).collect();
        let (tell, told) = mpsc::channel();
        let cancel = self.cancel.clone();
        std::thread::scope(|scope| {
            for worker in &mut self.workers {
                let tell = tell.clone();
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
                        if tell.send((number, ended)).is_err() || failed {
                            break;
                        }
                    }
                });
            }
            drop(tell);
            let mut result = Ok(());
            loop {
                if cancel.is_pressed() {
                    empty();
                    leashes.iter().for_each(Leash::let_go);
                    return Err(io::ErrorKind::Interrupted.into());
                }
                match told.recv_timeout(PATIENCE) {
                    Ok((number, ended)) => {
                        let heard = ended.and_then(|ended| each(number, ended));
                        if result.is_ok() && heard.is_err() {
                            // What runs may end; nothing new begins.
                            empty();
                            result = heard;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return result,
                }
            }
        })
    }
}
