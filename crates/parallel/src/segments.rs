//! A shared array that grows without moving its items.
//!
//! Items lie in segments, each allocated once by the first thread that needs it ([`OnceLock`]):
//! reading takes no lock, and growing delays only the threads that need the new segment. The first
//! two segments have [`LEAST`] items; from there on each doubling is done in [`STEPS`] equal steps,
//! so at most a quarter of the memory is unused.

use crate::leaf::Leaf;
use std::ops::Range;
use std::sync::OnceLock;

/// Binary logarithm of the number of items in the first segment.
const LEAST_BITS: u32 = 10;
const LEAST: usize = 1 << LEAST_BITS;
/// Binary logarithm of the number of segments between two powers of two.
const STEP_BITS: u32 = 2;
const STEPS: usize = 1 << STEP_BITS;
/// Binary logarithm of the maximal number of items.
const MOST_BITS: u32 = 40;
const SEGMENTS: usize = 1 + (MOST_BITS - LEAST_BITS) as usize * STEPS;

/// A shared growing array; see the [crate documentation](crate).
#[derive(Debug)]
pub struct Segments<T> {
    segments: Vec<OnceLock<Box<[T]>>>,
    /// Held while a segment is allocated.
    growing: Leaf<()>,
}

/// The segment of item `i`, and its index there.
#[inline]
fn place(i: usize) -> (usize, usize) {
    if i < LEAST {
        return (0, i);
    }
    let top = i.ilog2();
    let bits = top - STEP_BITS;
    let step = (i >> bits) & (STEPS - 1);
    let segment = 1 + (top - LEAST_BITS) as usize * STEPS + step;
    (segment, i & ((1 << bits) - 1))
}

/// The number of items in a segment.
fn length(segment: usize) -> usize {
    match segment.checked_sub(1) {
        None => LEAST,
        Some(s) => LEAST << (s / STEPS) >> STEP_BITS,
    }
}

impl<T: Default> Default for Segments<T> {
    fn default() -> Segments<T> {
        Segments::new()
    }
}

impl<T: Default> Segments<T> {
    /// Returns an array without segments.
    pub fn new() -> Segments<T> {
        Segments {
            segments: (0..SEGMENTS).map(|_| OnceLock::new()).collect(),
            growing: Leaf::new(()),
        }
    }

    /// Returns item `i`.
    ///
    /// # Panics
    ///
    /// If item `i` was not [reserved](Segments::reserve).
    #[inline]
    pub fn at(&self, i: usize) -> &T {
        match self.get(i) {
            Some(item) => item,
            None => unreachable!("an item is reserved before it is used"),
        }
    }

    /// Returns item `i`, if its segment exists.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        let (segment, place) = place(i);
        Some(&self.segments[segment].get()?[place])
    }

    /// Allocates the segment of item `i`, below 2⁴⁰, if it does not exist. Calls `ask` with the
    /// number of bytes before; an error is returned and nothing allocated. `ask` is called under a
    /// [leaf lock](Leaf), for which threads inside a [gate](crate::SharedHandle) block: it must not
    /// wait for another thread or use a gate, which debug builds check.
    #[inline]
    pub fn reserve<E>(&self, i: usize, ask: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        self.reserve_all(i..i + 1, ask)
    }

    /// Like [`reserve`](Segments::reserve), for a non-empty range of items.
    #[inline]
    pub fn reserve_all<E>(
        &self,
        items: Range<usize>,
        mut ask: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        for segment in place(items.start).0..=place(items.end - 1).0 {
            if self.segments[segment].get().is_none() {
                self.make(segment, &mut ask)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn make<E>(
        &self,
        segment: usize,
        mut ask: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        self.growing.with(|()| {
            if self.segments[segment].get().is_none() {
                ask(length(segment) * size_of::<T>())?;
                self.segments[segment]
                    .get_or_init(|| (0..length(segment)).map(|_| T::default()).collect());
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_budget::{Budget, Stop};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn items_have_consecutive_places() {
        let mut next = (0, 0);
        for i in 0..200_000 {
            assert_eq!(place(i), next, "{i}");
            next.1 += 1;
            if next.1 == length(next.0) {
                next = (next.0 + 1, 0);
            }
        }
        let (segment, last) = place((1 << MOST_BITS) - 1);
        assert_eq!((segment, last), (SEGMENTS - 1, length(SEGMENTS - 1) - 1));
    }

    #[test]
    fn segments_are_leased_once() {
        let array = Segments::<AtomicU32>::new();
        let budget = Budget::bytes(2_000_000);
        let lease = budget.shared_lease();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for i in 0..10_000usize {
                        array.reserve(i, |bytes| lease.take(bytes)).unwrap();
                        array.at(i).fetch_add(i as u32, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!((0..10_000).all(|i| array.at(i).load(Ordering::Relaxed) == 4 * i as u32));
        assert_eq!(lease.bytes(), 4 * 10_240);
        assert_eq!(
            array.reserve(1 << 24, |bytes| lease.take(bytes)),
            Err(Stop::Memory)
        );
        assert!(array.get(1 << 24).is_none());
        let take = |bytes| lease.take(bytes);
        array.reserve_all(100_000..300_000, take).unwrap();
        assert!((100_000..300_000).all(|i| array.get(i).is_some()));
        drop(lease);
        assert_eq!(budget.bytes_used(), 0);
    }
}
