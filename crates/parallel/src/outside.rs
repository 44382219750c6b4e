//! The permission to wait for other threads.
//!
//! A thread inside a [gate](crate::SharedHandle) blocks on nothing but the gate: a thread that waits
//! for exclusive access waits for all threads inside, so these must not wait for anything that it
//! may hold or have to do. Therefore each operation that waits requires an [`Outside`], which
//! borrows the handle of the thread while it lives: the thread cannot enter again before it gives
//! the permission up. It carries the budget whose deadline and cancellation end the wait.

use crate::sync::{Condvar, MutexGuard, pause, witness};
use lariat_budget::{Budget, Stop};
use std::marker::PhantomData;
use std::sync::PoisonError;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// Interval at which a waiting thread polls its budget.
const POLL: Duration = Duration::from_millis(50);

/// The permission of one thread to wait for others, until its budget is exhausted.
#[derive(Debug)]
pub struct Outside<'a> {
    budget: &'a Budget,
    /// The permission of one thread cannot be used by another.
    thread: PhantomData<*const ()>,
}

impl<'a> Outside<'a> {
    /// Returns the permission of a thread that is inside no gate, which debug builds check.
    pub fn of_thread(budget: &'a Budget) -> Outside<'a> {
        witness::before_wait();
        Outside {
            budget,
            thread: PhantomData,
        }
    }

    /// Waits for the end of a thread. It is not interrupted, since a scope outlives its threads
    /// anyway: these poll the same budget.
    pub fn join<T>(&self, thread: ScopedJoinHandle<'_, T>) -> std::thread::Result<T> {
        witness::before_wait();
        thread.join()
    }

    /// Waits on `condvar` for a notification, or for the next poll of the budget.
    pub(crate) fn wait<'m, T>(
        &self,
        condvar: &Condvar,
        guard: MutexGuard<'m, T>,
    ) -> Result<MutexGuard<'m, T>, Stop> {
        witness::before_wait();
        wait_polling(self.budget, condvar, guard)
    }
}

/// Waits on `condvar` for a notification, or for the next poll of `budget`.
pub(crate) fn wait_polling<'m, T>(
    budget: &Budget,
    condvar: &Condvar,
    guard: MutexGuard<'m, T>,
) -> Result<MutexGuard<'m, T>, Stop> {
    budget.check()?;
    pause();
    let woken = condvar.wait_timeout(guard, POLL);
    Ok(woken.unwrap_or_else(PoisonError::into_inner).0)
}
