//! Atomics and locks: those of the standard library, or those of loom and shuttle in the tests.

pub(crate) use crate::witness;
pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Spins of a thread before it sleeps, which take about as long as falling asleep and waking up.
pub(crate) const SPINS: usize = 1 << 9;

/// A point where threads synchronize. With the feature `stress` the thread pauses there at random,
/// so that schedules occur that are rare otherwise.
#[inline]
pub(crate) fn pause() {
    #[cfg(feature = "stress")]
    crate::stress::pause();
}

/// Returns an array of `length` zeros. The operating system commits the pages of large ones lazily.
pub fn zeroed<T: bytemuck::Zeroable>(length: usize) -> Vec<T> {
    bytemuck::zeroed_vec(length)
}
