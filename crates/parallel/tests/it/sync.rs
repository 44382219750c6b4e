//! Atomics and locks of loom, under the names that the files of the crate use.

pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Spins before sleeping.
pub(crate) const SPINS: usize = 1;

/// Returns an array of `length` zeros.
pub fn zeroed<T: Default>(length: usize) -> Vec<T> {
    (0..length).map(|_| T::default()).collect()
}
