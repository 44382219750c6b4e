//! Atomics of loom, under the names that `union_find.rs` uses, and a short array in the place of one that grows.

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::ops::Range;

/// Whoever waits lets the others go on.
pub(crate) fn pause(spins: &mut u32) {
    *spins += 1;
    loom::thread::yield_now();
}

/// Places that a worker takes at a time; models give them out themselves.
pub(crate) const PLACES: u32 = 2;

/// Room for four items, from the beginning.
#[derive(Debug)]
pub(crate) struct Segments<T>([T; 4]);

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

    pub fn reserve_all<E>(
        &self,
        items: Range<usize>,
        mut ask: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if items.end <= self.0.len() {
            Ok(())
        } else {
            ask(items.end * size_of::<T>())
        }
    }
}
