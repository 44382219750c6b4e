//! Atomics and threads of shuttle, under the names that the search uses, and a short array in the place of one that grows.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
pub(crate) use shuttle::thread::scope;
use shuttle::thread::{Scope, ScopedJoinHandle};
use std::ops::Range;

/// Starts a worker.
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Some(scope.spawn(work))
}

/// Whoever waits lets the others go on.
pub(crate) fn pause(spins: &mut u32) {
    *spins += 1;
    shuttle::thread::yield_now();
}

/// Models have fewer nodes than this.
pub(crate) const ROOM: usize = 8;

/// Edges are kept in so few words that some are not.
pub(crate) const KEPT_BLOCK: u32 = 4;
pub(crate) const KEPT_ROOM: u32 = LENGTH as u32;

/// Nodes for which room is made at a time.
pub(crate) const NODES_AT_ONCE: u32 = 4;

/// Places that a worker takes at a time.
pub(crate) const PLACES: u32 = 2;

/// Room for so many items, from the beginning.
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
        ask: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let _ = ask;
        assert!(items.end <= LENGTH, "models are small");
        Ok(())
    }
}
