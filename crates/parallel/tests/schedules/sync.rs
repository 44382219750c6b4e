//! Locks of shuttle, under the names that the files of the crate use. Its atomics are sequentially
//! consistent; weaker orders are the task of loom.

pub(crate) use shuttle::hint::spin_loop;
pub(crate) use shuttle::sync::atomic::{AtomicUsize, Ordering};
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};

/// Spins before sleeping.
pub(crate) const SPINS: usize = 1;

/// Checks of the lock order, which need real threads.
pub(crate) mod witness {
    pub(crate) fn before_wait() {}
}

/// Shuttle chooses the schedule.
pub(crate) fn pause() {}
