//! The board: tasks for whoever has nothing to do.
//!
//! The newest task is taken first, since its data is what was touched last. Whoever could make tasks asks before whether
//! anybody [is idle](Board::is_hungry), which is two relaxed looks. Taking and offering lock: a task is worth
//! microseconds at least. A worker waits for tasks outside of every gate.

use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};

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
        let mut list = self.lock();
        if !list.closed {
            list.tasks.push(task);
            self.open.store(list.tasks.len(), Ordering::Relaxed);
            self.changed.notify_one();
        }
    }

    /// The newest task, if there is one.
    pub fn take(&self) -> Option<T> {
        let mut list = self.lock();
        let task = list.tasks.pop();
        self.open.store(list.tasks.len(), Ordering::Relaxed);
        task
    }

    /// The newest task, as soon as there is one; `None` when the board is closed.
    pub fn next(&self) -> Option<T> {
        let mut list = self.lock();
        if list.tasks.is_empty() && !list.closed {
            self.idle.fetch_add(1, Ordering::Relaxed);
            while list.tasks.is_empty() && !list.closed {
                list = match self.changed.wait(list) {
                    Ok(list) => list,
                    Err(poisoned) => poisoned.into_inner(),
                };
            }
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
        let task = list.tasks.pop();
        self.open.store(list.tasks.len(), Ordering::Relaxed);
        task
    }

    /// Takes all tasks off the board and sends everybody home who waits for one, now and later.
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
