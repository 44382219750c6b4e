//! Locks of shuttle, under the names that the files of the crate use. Its atomics are those of one order that all see; loom looks at the others.

pub(crate) use shuttle::hint::spin_loop;
pub(crate) use shuttle::sync::atomic::{AtomicUsize, Ordering};
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};

/// Whoever waits looks around once.
pub(crate) const LOOKS: usize = 1;
