//! An array that several threads share, and that grows without moving what it holds.
//!
//! Its items lie in segments, each made once, by whoever first needs it ([`OnceLock`]): reading takes
//! no lock, and a growing array keeps nobody waiting but those who want the segment that is being made. The
//! first two segments have [`LEAST`] items; from there on each doubling is done in [`STEPS`] equal steps, so that at most a
//! quarter of the room is empty.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Items in the first segment, as a power of two.
const LEAST_BITS: u32 = 10;
const LEAST: usize = 1 << LEAST_BITS;
/// Segments from one power of two to the next, as a power of two.
const STEP_BITS: u32 = 2;
const STEPS: usize = 1 << STEP_BITS;
/// The most items, as a power of two.
const MOST_BITS: u32 = 40;
const SEGMENTS: usize = 1 + (MOST_BITS - LEAST_BITS) as usize * STEPS;

/// A shared, growing array; see the [crate documentation](crate).
#[derive(Debug)]
pub struct Segments<T> {
    segments: Vec<OnceLock<Box<[T]>>>,
    /// Held while a segment is made.
    growing: Mutex<()>,
}

/// The segment of an item, and where it is there.
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

/// How many items a segment has.
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
    /// An array without room for anything.
    pub fn new() -> Segments<T> {
        Segments {
            segments: (0..SEGMENTS).map(|_| OnceLock::new()).collect(),
            growing: Mutex::new(()),
        }
    }

    /// Item `i`.
    ///
    /// # Panics
    ///
    /// If no room was [made](Segments::reserve) for it.
    #[inline]
    pub fn at(&self, i: usize) -> &T {
        match self.get(i) {
            Some(item) => item,
            None => unreachable!("room is made before an item is used"),
        }
    }

    /// Item `i`, if there is room for it.
    #[inline]
    pub fn get(&self, i: usize) -> Option<&T> {
        let (segment, place) = place(i);
        Some(&self.segments[segment].get()?[place])
    }

    /// Makes room for item `i`, below 2⁴⁰; if there is none yet, `ask` is told before how many bytes this takes, and may refuse.
    #[inline]
    pub fn reserve<E>(&self, i: usize, ask: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        self.reserve_all(i..i + 1, ask)
    }

    /// The same for some items, at least one.
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
        let _alone = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.segments[segment].get().is_none() {
            ask(length(segment) * size_of::<T>())?;
            self.segments[segment]
                .get_or_init(|| (0..length(segment)).map(|_| T::default()).collect());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn every_item_has_one_place() {
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
    fn room_is_asked_for_once() {
        let array = Segments::<AtomicU32>::new();
        let asked = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for i in 0..10_000usize {
                        let ask = |bytes: usize| {
                            asked.fetch_add(bytes as u32 / 4, Ordering::Relaxed);
                            Ok::<(), ()>(())
                        };
                        array.reserve(i, ask).unwrap();
                        array.at(i).fetch_add(i as u32, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!((0..10_000).all(|i| array.at(i).load(Ordering::Relaxed) == 4 * i as u32));
        assert_eq!(asked.into_inner(), 10_240);
        assert_eq!(array.reserve(1 << 20, |_| Err("no")), Err("no"));
        assert!(array.get(1 << 20).is_none());
        array
            .reserve_all(100_000..300_000, |_| Ok::<(), ()>(()))
            .unwrap();
        assert!((100_000..300_000).all(|i| array.get(i).is_some()));
    }
}
