//! Atomics of loom under the names that `union_find.rs` uses, and a fixed array in place of a
//! growing one.

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::ops::Range;

/// Yields, since loom needs waiting threads to let others run.
pub(crate) fn pause(spins: &mut u32) {
    *spins += 1;
    loom::thread::yield_now();
}

/// Entries per block; the models assign entries themselves.
pub(crate) const ENTRY_BLOCK: u32 = 2;

/// Capacity for four items, allocated at the start.
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
        mut lease: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if items.end <= self.0.len() {
            Ok(())
        } else {
            lease(items.end * size_of::<T>())
        }
    }
}
