//! The board: tasks for whoever has nothing to do.
//!
//! The newest task is taken first, since its data is what was touched last. Whoever could make tasks asks before whether
//! anybody [is idle](Board::is_hungry), which is two relaxed looks. Taking and offering lock: a task is worth
//! microseconds at least. A worker waits for tasks outside of every gate.
//!
//! Whoever has offered a task and comes to need its result [withdraws](Board::withdraw) it if nobody has begun it, and else waits for the result and
//! [helps meanwhile](Board::meanwhile). Those who wait look around for a moment before they fall asleep: waking somebody takes longer than many a task.

use crate::sync::{AtomicUsize, Condvar, LOOKS, Mutex, MutexGuard, Ordering, spin_loop};

/// Tasks for workers that have nothing to do; see the [crate documentation](crate).
pub struct Board<T> {
    list: Mutex<List<T>>,
    changed: Condvar,
    /// Tasks on the board, and workers that wait for one.
    open: AtomicUsize,
    idle: AtomicUsize,
}

struct List<T> {
    tasks: Vec<T>,
    /// Those who wait and no longer look around.
    asleep: usize,
    closed: bool,
}

impl<T> Default for Board<T> {
    fn default() -> Board<T> {
        Board::new()
    }
}

impl<T> Board<T> {
    /// An empty board.
    pub fn new() -> Board<T> {
        let list = List {
            tasks: Vec::new(),
            asleep: 0,
            closed: false,
        };
        Board {
            list: Mutex::new(list),
            changed: Condvar::new(),
            open: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, List<T>> {
        match self.list.lock() {
            Ok(list) => list,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    /// Are there more idle workers than tasks?
    #[inline]
    pub fn is_hungry(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > self.open.load(Ordering::Relaxed)
    }

    /// Puts `task` on the board, unless the board is closed.
    pub fn offer(&self, task: T) {
        self.put(task, Vec::push);
    }

    /// The same under all others, so that it is taken when there is nothing else.
    pub fn offer_last(&self, task: T) {
        self.put(task, |tasks, task| tasks.insert(0, task));
    }

    fn put(&self, task: T, into: impl FnOnce(&mut Vec<T>, T)) {
        let mut list = self.lock();
        if !list.closed {
            into(&mut list.tasks, task);
            self.open.store(list.tasks.len(), Ordering::Relaxed);
            // All of them: a thread whose result has come takes no task.
            if list.asleep > 0 {
                self.changed.notify_all();
            }
        }
    }

    /// The newest task, if there is one.
    pub fn take(&self) -> Option<T> {
        self.newest(&mut self.lock(), |_| true)
    }

    /// Takes the newest task back that `is` the one in question, if nobody has begun it.
    pub fn withdraw(&self, is: impl Fn(&T) -> bool) -> Option<T> {
        self.newest(&mut self.lock(), is)
    }

    /// The newest task, as soon as there is one; `None` when the board is closed.
    pub fn next(&self) -> Option<T> {
        self.wait(|list| list.closed, || false)
    }

    /// The newest task, as soon as there is one; `None` when what the caller waits for has `come`.
    pub fn meanwhile(&self, come: impl Fn() -> bool) -> Option<T> {
        self.wait(|_| false, come)
    }

    fn wait(&self, is_over: impl Fn(&List<T>) -> bool, come: impl Fn() -> bool) -> Option<T> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        for _ in 0..LOOKS {
            if self.open.load(Ordering::Relaxed) > 0 || come() {
                break;
            }
            spin_loop();
        }
        let mut list = self.lock();
        let task = loop {
            if come() {
                break None;
            }
            let task = self.newest(&mut list, |_| true);
            if task.is_some() || is_over(&list) {
                break task;
            }
            list.asleep += 1;
            list = match self.changed.wait(list) {
                Ok(list) => list,
                Err(poisoned) => poisoned.into_inner(),
            };
            list.asleep -= 1;
        };
        self.idle.fetch_sub(1, Ordering::Relaxed);
        task
    }

    /// Those who wait for something else than a task look whether it has come.
    pub fn tell(&self) {
        if self.lock().asleep > 0 {
            self.changed.notify_all();
        }
    }

    fn newest(&self, list: &mut List<T>, is: impl Fn(&T) -> bool) -> Option<T> {
        let at = list.tasks.iter().rposition(is)?;
        let task = list.tasks.remove(at);
        self.open.store(list.tasks.len(), Ordering::Relaxed);
        Some(task)
    }

    /// Takes all tasks off the board and ends every [`next`](Board::next), now and later. A thread that waits for a
    /// result goes on waiting.
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
