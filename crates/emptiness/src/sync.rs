//! Where atomics and threads come from: the standard library, or loom and shuttle in the models of the tests.

use crate::union_find::MOST_KEPT;
pub(crate) use lariat_parallel::Segments;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
pub(crate) use std::thread::scope;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Words that a worker takes at a time to keep edges in.
pub(crate) const KEPT_BLOCK: u32 = 4096;
/// Words that there can be, in all.
pub(crate) const KEPT_ROOM: u32 = MOST_KEPT;
/// Nodes for which room is made at a time, a power of two.
pub(crate) const NODES_AT_ONCE: u32 = 1024;
/// Places that a worker takes at a time for nodes that it may be the first to see.
pub(crate) const PLACES: u32 = 256;

/// Starts a worker on a thread of its own, if there is one to be had.
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
    let thread = Builder::new().name("ufscc".to_owned());
    thread.spawn_scoped(scope, work)
}

/// Looks at a lock before the others are let at the processor: a lock is held for some hundred instructions.
const SPINS: u32 = 100;

/// Waits a moment; for longer if it was for long already, as there may be more workers than processors.
pub(crate) fn pause(spins: &mut u32) {
    *spins += 1;
    if *spins > SPINS {
        std::thread::yield_now()
    } else {
        std::hint::spin_loop()
    }
}
