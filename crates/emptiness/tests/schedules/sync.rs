//! Atomics and threads of shuttle, under the names that the search uses, and a short array in the place of one that grows.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64};
pub(crate) use shuttle::thread::scope;
use shuttle::thread::{Scope, ScopedJoinHandle};

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

/// Room for so many items, from the beginning.
pub(crate) const ROOM: usize = 8;

#[derive(Debug)]
pub(crate) struct Segments<T>([T; ROOM]);

impl<T: Default> Segments<T> {
    pub fn new() -> Segments<T> {
        Segments(std::array::from_fn(|_| T::default()))
    }

    pub fn at(&self, i: usize) -> &T {
        &self.0[i]
    }

    pub fn get(&self, i: usize) -> Option<&T> {
        self.0.get(i)
    }

    pub fn reserve<E>(&self, i: usize, ask: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        let _ = ask;
        assert!(i < ROOM, "models are small");
        Ok(())
    }
}
