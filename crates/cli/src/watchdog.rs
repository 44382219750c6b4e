//! The last line of defence against work that does not stop.
//!
//! Everything polls its budget, so a command ends by itself soon after a limit or a signal. If it
//! does not, the watchdog thread reports what is known and ends the process. Each such end is a
//! defect, and stderr says so.
//!
//! A task is late if [`GRACE`] has passed since its deadline or since the first signal, and the
//! process has used about as much processor time since then. Without that time, because the machine is
//! busy or a thread waits for an event that never comes, it is late after [`PATIENCE`]. A second
//! signal makes all tasks late.
//!
//! The thread also observes the [memory](ResidentMemory) of the process.
//!
//! The watchdog thread takes the lock of [`Watch`] for an instant at each look at the tasks. It calls the last
//! words without this lock. They may wait for the lock under which the main thread writes: while
//! the reader of stdout does not read, the process waits for the reader.

use crate::Exit;
use crate::resident::ResidentMemory;
use lariat::internals::{Budget, Cancel, Stop};
use rustix::time::{ClockId, clock_gettime};
use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

/// Time, and processor time, between a deadline and the end of the process.
const GRACE: Duration = Duration::from_secs(1);
/// The same without processor time.
const PATIENCE: Duration = Duration::from_secs(4);

/// Reports what is known, and returns the exit status. The argument is the reason of the end.
pub(crate) type LastWords = dyn FnOnce(&Stop) -> Exit + Send;

/// A handle of the watchdog thread; clones share it. The thread ends with the last handle.
#[derive(Clone)]
pub(crate) struct Watchdog(Arc<Mutex<Watch>>);

/// A task with a deadline.
struct Task {
    name: String,
    /// Without a deadline, only signals end the task.
    deadline: Option<Instant>,
    /// The phase that the task is in, as the task reports it.
    phase: Box<dyn Fn() -> Option<String> + Send>,
    /// Processor time of the process when the deadline passed.
    used: Option<Duration>,
}

/// The state that the watchdog thread looks at.
struct Watch {
    tasks: Vec<Task>,
    last_words: Option<Box<LastWords>>,
    cancel: Cancel,
    /// When the first signal was seen, and the processor time then.
    signalled: Option<(Instant, Duration)>,
    /// Set by the second signal.
    is_impatient: bool,
    /// Threads that run the work of [`Watchdog::pause`].
    pauses: usize,
    /// Set when another thread says the last words and ends the process.
    is_taken_over: bool,
    /// Set when the watchdog thread says the last words.
    is_ending: bool,
}

/// The end that the watchdog brings about.
struct Late {
    stop: Stop,
    culprit: String,
}

impl Watchdog {
    /// Starts the thread. Without last words, only the reason is reported.
    pub(crate) fn start(cancel: &Cancel, budget: &Budget) -> Watchdog {
        let mut memory = ResidentMemory::new(budget);
        let watch = Arc::new(Mutex::new(Watch {
            tasks: Vec::new(),
            last_words: None,
            cancel: cancel.clone(),
            signalled: None,
            is_impatient: false,
            pauses: 0,
            is_taken_over: false,
            is_ending: false,
        }));
        let weak = Arc::downgrade(&watch);
        let guard = move || {
            while let Some(watch) = weak.upgrade() {
                let late = lock(&watch).late();
                if let Some(late) = late {
                    end(&watch, &late);
                }
                drop(watch);
                sleep(memory.observe());
            }
        };
        // Without the thread, the budgets alone end the command.
        let _ = Builder::new().name("watchdog".to_owned()).spawn(guard);
        Watchdog(watch)
    }

    /// Sets what is reported at the end.
    pub(crate) fn last_words(&self, words: impl FnOnce(&Stop) -> Exit + Send + 'static) {
        lock(&self.0).last_words = Some(Box::new(words));
    }

    /// Gives a task a deadline, from now on; without a limit, only signals end it.
    pub(crate) fn watch(&self, name: &str, limit: Option<Duration>) {
        self.watch_phases(name, limit, || None);
    }

    /// Like [`watch`](Watchdog::watch), for a task that reports its phase.
    pub(crate) fn watch_phases(
        &self,
        name: &str,
        limit: Option<Duration>,
        phase: impl Fn() -> Option<String> + Send + 'static,
    ) {
        self.forget(name);
        lock(&self.0).tasks.push(Task {
            name: name.to_owned(),
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            phase: Box::new(phase),
            used: None,
        });
    }

    /// Ends the watch over a task, before its result is written.
    pub(crate) fn forget(&self, name: &str) {
        lock(&self.0).tasks.retain(|task| task.name != name);
    }

    /// Ends the watch over all tasks, before the results of the command are written.
    pub(crate) fn done(&self) {
        lock(&self.0).tasks.clear();
    }

    /// Runs `work`, which may wait for the reader of stdout; tasks that become late meanwhile get
    /// the grace again.
    pub(crate) fn pause<T>(&self, work: impl FnOnce() -> T) -> T {
        lock(&self.0).pauses += 1;
        let done = work();
        let mut watch = lock(&self.0);
        watch.pauses -= 1;
        let now = Instant::now();
        for task in &mut watch.tasks {
            if task.deadline.is_some_and(|deadline| deadline < now) {
                (task.deadline, task.used) = (Some(now), None);
            }
        }
        done
    }

    /// Leaves it to the caller to say the last words and to end the process soon. If the watchdog
    /// thread says them already, waits for the end of the process, at most [`PATIENCE`].
    pub(crate) fn take_over(&self) {
        let is_ending = {
            let mut watch = lock(&self.0);
            watch.is_taken_over = true;
            watch.is_ending
        };
        if is_ending {
            sleep(PATIENCE);
        }
    }

    /// Says the last words, and returns the exit status.
    #[cfg(test)]
    pub(crate) fn conclude(&self, stop: &Stop) -> Option<Exit> {
        let words = lock(&self.0).last_words.take();
        words.map(|words| words(stop))
    }

    /// Makes all tasks late: the user has asked for the end again.
    pub(crate) fn hurry(&self) {
        lock(&self.0).is_impatient = true;
    }
}

fn lock(watch: &Mutex<Watch>) -> MutexGuard<'_, Watch> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// The task that is late, if one is.
    fn late(&mut self) -> Option<Late> {
        let (now, used) = (Instant::now(), processor_time());
        if self.is_taken_over {
            return None;
        }
        if self.is_impatient {
            self.is_ending = true;
            return Some(Late {
                stop: Stop::Interrupted,
                culprit: String::new(),
            });
        }
        if self.pauses > 0 || self.tasks.is_empty() {
            return None;
        }
        if self.cancel.is_pressed() {
            let (since, before) = *self.signalled.get_or_insert((now, used));
            if is_over(now - since, used.saturating_sub(before)) {
                self.is_ending = true;
                let phases = self.tasks.iter().map(Task::culprit);
                return Some(Late {
                    stop: Stop::Interrupted,
                    culprit: phases.collect::<Vec<_>>().join(", "),
                });
            }
        }
        let late = |task: &mut Task| {
            let since = now.checked_duration_since(task.deadline?)?;
            let before = *task.used.get_or_insert(used);
            is_over(since, used.saturating_sub(before)).then(|| task.culprit())
        };
        let culprit = self.tasks.iter_mut().find_map(late)?;
        self.is_ending = true;
        Some(Late {
            stop: Stop::Time,
            culprit,
        })
    }
}

impl Task {
    /// The task and its phase, in words.
    fn culprit(&self) -> String {
        match (self.phase)() {
            Some(phase) => format!("`{}` ({phase})", self.name),
            None => format!("`{}`", self.name),
        }
    }
}

/// Whether this time and processor time since a deadline are too much.
fn is_over(time: Duration, used: Duration) -> bool {
    time >= GRACE && used >= GRACE * 8 / 10 || time >= PATIENCE
}

/// The processor time that this process has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Reports and ends the process.
fn end(watch: &Mutex<Watch>, late: &Late) -> ! {
    let words = lock(watch).last_words.take();
    let status = match words {
        Some(words) => words(&late.stop),
        None => {
            crate::warn(&format!("unknown: {}", late.stop));
            Exit::of_stop(&late.stop)
        }
    };
    if !late.culprit.is_empty() {
        crate::warn(&format!(
            "{} did not stop in time and was ended; please report this as a defect",
            late.culprit
        ));
    }
    exit(status.code().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_alone_is_not_enough() {
        let ms = Duration::from_millis;
        assert!(!is_over(ms(900), ms(900)));
        assert!(!is_over(ms(2500), ms(300)));
        assert!(is_over(ms(1000), ms(900)));
        assert!(is_over(ms(4000), ms(0)));
    }

    #[test]
    fn only_open_tasks_are_late() {
        let dog = Watchdog::start(&Cancel::default(), &Budget::unlimited());
        dog.watch("a", Some(Duration::ZERO));
        dog.watch("b", None);
        dog.watch("c", Some(Duration::from_secs(1000)));
        let mut watch = lock(&dog.0);
        assert_eq!(watch.tasks.len(), 3);
        assert!(watch.late().is_none());
        watch.tasks[0].deadline = watch.tasks[0].deadline.map(|at| at - PATIENCE);
        let late = watch.late().unwrap();
        assert_eq!((late.stop, &*late.culprit), (Stop::Time, "`a`"));
        drop(watch);
        dog.forget("a");
        assert!(lock(&dog.0).late().is_none());
    }

    #[test]
    fn signals_make_all_tasks_late() {
        let cancel = Cancel::default();
        let dog = Watchdog::start(&cancel, &Budget::unlimited());
        dog.watch("a", None);
        cancel.press();
        let mut watch = lock(&dog.0);
        assert!(watch.late().is_none());
        watch.signalled = watch.signalled.map(|(at, used)| (at - PATIENCE, used));
        assert_eq!(watch.late().map(|late| late.stop), Some(Stop::Interrupted));
        // The thread must not see the signal.
        watch.signalled = None;
        watch.cancel = Cancel::default();
    }
}
