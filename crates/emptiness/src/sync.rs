//! Atomics and threads of the standard library; the model tests substitute those of loom and
//! shuttle.

use crate::union_find::MAX_EDGE_WORDS;
pub(crate) use lariat_parallel::Segments;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
pub(crate) use std::thread::scope;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Words per block of edge lists.
pub(crate) const EDGE_BLOCK: u32 = 4096;
/// Total number of words for edge lists.
pub(crate) const EDGE_WORDS: u32 = MAX_EDGE_WORDS;
/// Nodes reserved at a time, a power of two.
pub(crate) const NODE_BLOCK: u32 = 1024;
/// Entries that a worker allocates at a time for nodes that it discovers.
pub(crate) const ENTRY_BLOCK: u32 = 256;

/// Starts a worker thread, if the system can create one.
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> std::io::Result<ScopedJoinHandle<'scope, T>> {
    let thread = Builder::new().name("ufscc".to_owned());
    thread.spawn_scoped(scope, work)
}

/// Spins before a waiting thread yields the processor: locks are held for some hundred
/// instructions.
const SPINS: u32 = 100;

/// Spins, or yields after [`SPINS`] attempts, since there may be more workers than processors.
pub(crate) fn pause(spins: &mut u32) {
    *spins += 1;
    if *spins > SPINS {
        std::thread::yield_now()
    } else {
        std::hint::spin_loop()
    }
}
