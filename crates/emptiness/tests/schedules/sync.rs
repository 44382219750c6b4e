//! Atomics and threads of shuttle under the names that the search uses, and a fixed array in place
//! of a growing one.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
pub(crate) use shuttle::thread::scope;
use shuttle::thread::{Scope, ScopedJoinHandle};
use std::ops::Range;

/// Starts a worker thread.
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Some(scope.spawn(work))
}

/// Yields, since shuttle needs waiting threads to let others run.
pub(crate) fn pause(spins: &mut u32) {
    *spins += 1;
    shuttle::thread::yield_now();
}

/// Exclusive upper bound of the number of nodes in models.
pub(crate) const MAX_NODES: usize = 8;

/// Words for edge lists, too few for some lists.
pub(crate) const EDGE_BLOCK: u32 = 4;
pub(crate) const EDGE_WORDS: u32 = LENGTH as u32;

/// Nodes reserved at a time.
pub(crate) const NODE_BLOCK: u32 = 4;

/// Entries per block.
pub(crate) const ENTRY_BLOCK: u32 = 2;

/// Fixed capacity of an array.
const LENGTH: usize = 24;

#[derive(Debug)]
pub(crate) struct Segments<T>(Vec<T>);

impl<T: Default> Segments<T> {
    pub fn new() -> Segments<T> {
        Segments((0..LENGTH).map(|_| T::default()).collect())
    }

    pub fn at(&self, i: usize) -> &T {
        &self.0[i]
    }

    pub fn get(&self, i: usize) -> Option<&T> {
        self.0.get(i)
    }

    pub fn reserve_all<E>(
        &self,
        items: Range<usize>,
        lease: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let _ = lease;
        assert!(items.end <= LENGTH, "models are small");
        Ok(())
    }
}
