//! Where atomics and locks come from: the standard library, or loom in the models of the tests.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// How often those look around who wait at a board before they fall asleep: for some ten microseconds, about what falling asleep and waking up cost.
pub(crate) const LOOKS: usize = 1 << 9;

/// An array of `length` zeros. The system hands large ones out lazily, so that memory is taken page by page
/// when it is first used.
pub fn zeroed<T: bytemuck::Zeroable>(length: usize) -> Vec<T> {
    bytemuck::zeroed_vec(length)
}
