//! A queue of tasks for idle worker threads.
//!
//! The newest task is taken first, since its data is most likely still cached. A thread that could
//! create tasks first checks [`is_hungry`](TaskQueue::is_hungry), two relaxed loads. Offering and
//! taking lock a mutex. A worker that waits for tasks needs the permission to ([`Outside`]).
//! `examples/protocols/tasks.dve` is a model of an exploration with this queue.
//!
//! An idle thread spins before it sleeps, since a wakeup takes longer than many tasks.

use crate::outside::Outside;
use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, SPINS, pause, spin_loop};
use lariat_budget::Stop;
use std::sync::PoisonError;

/// Tasks for idle worker threads; see the [crate documentation](crate).
pub struct TaskQueue<T> {
    list: Mutex<List<T>>,
    changed: Condvar,
    /// Number of queued tasks, and of threads that wait for one.
    open: AtomicUsize,
    idle: AtomicUsize,
}

struct List<T> {
    tasks: Vec<T>,
    /// Number of threads that sleep on `changed`.
    asleep: usize,
    closed: bool,
}

impl<T> Default for TaskQueue<T> {
    fn default() -> TaskQueue<T> {
        TaskQueue::new()
    }
}

impl<T> TaskQueue<T> {
    /// Returns an empty queue.
    pub fn new() -> TaskQueue<T> {
        TaskQueue {
            list: Mutex::new(List {
                tasks: Vec::new(),
                asleep: 0,
                closed: false,
            }),
            changed: Condvar::new(),
            open: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, List<T>> {
        pause();
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether more threads are idle than tasks are queued.
    #[inline]
    pub fn is_hungry(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > self.open.load(Ordering::Relaxed)
    }

    /// Queues `task`, unless the queue is closed. It is taken before all others.
    pub fn offer(&self, task: T) {
        self.put(task, Vec::push);
    }

    /// Queues `task` behind all others, unless the queue is closed.
    pub fn offer_last(&self, task: T) {
        self.put(task, |tasks, task| tasks.insert(0, task));
    }

    fn put(&self, task: T, into: impl FnOnce(&mut Vec<T>, T)) {
        let mut list = self.lock();
        if !list.closed {
            into(&mut list.tasks, task);
            self.open.store(list.tasks.len(), Ordering::Relaxed);
            if list.asleep > 0 {
                self.changed.notify_one();
            }
        }
    }

    /// Takes the newest task, if there is one.
    pub fn take(&self) -> Option<T> {
        self.newest(&mut self.lock(), |_| true)
    }

    /// Takes back the newest task that satisfies `is`, if it is still queued.
    pub fn withdraw(&self, is: impl Fn(&T) -> bool) -> Option<T> {
        self.newest(&mut self.lock(), is)
    }

    /// Waits for a task and takes the newest; `None` once the queue is closed. Fails when the
    /// budget of the waiting thread is exhausted.
    pub fn next(&self, outside: &Outside<'_>) -> Result<Option<T>, Stop> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        for _ in 0..SPINS {
            if self.open.load(Ordering::Relaxed) > 0 {
                break;
            }
            spin_loop();
        }
        let mut list = self.lock();
        let task = loop {
            let task = self.newest(&mut list, |_| true);
            if task.is_some() || list.closed {
                break Ok(task);
            }
            list.asleep += 1;
            match outside.wait(&self.changed, list) {
                Ok(woken) => list = woken,
                Err(stop) => {
                    self.lock().asleep -= 1;
                    break Err(stop);
                }
            }
            list.asleep -= 1;
        };
        self.idle.fetch_sub(1, Ordering::Relaxed);
        task
    }

    fn newest(&self, list: &mut List<T>, is: impl Fn(&T) -> bool) -> Option<T> {
        let at = list.tasks.iter().rposition(is)?;
        let task = list.tasks.remove(at);
        self.open.store(list.tasks.len(), Ordering::Relaxed);
        Some(task)
    }

    /// Discards all tasks and ends every [`next`](TaskQueue::next), now and later.
    pub fn close(&self) {
        let mut list = self.lock();
        list.closed = true;
        let left = std::mem::take(&mut list.tasks);
        self.open.store(0, Ordering::Relaxed);
        self.changed.notify_all();
        // Dropping a task may take time.
        drop(list);
        drop(left);
    }
}
