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

/// Checks of the lock order, which need real threads.
pub(crate) mod witness {
    pub(crate) fn before_wait() {}
    pub(crate) fn at_gate() {}

    #[derive(Debug)]
    pub(crate) struct HandleWitness;

    impl HandleWitness {
        pub(crate) fn of_new_gate() -> HandleWitness {
            HandleWitness
        }

        pub(crate) fn another(&self) -> HandleWitness {
            HandleWitness
        }

        pub(crate) fn enter(&self) {}

        pub(crate) fn leave(&self) {}
    }
}

/// Model checkers choose the schedule.
pub(crate) fn pause() {}
