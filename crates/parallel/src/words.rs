//! A concurrent set of words: the table holds the members themselves, so a lookup reads only slots.
//!
//! Open addressing as in [`Slots`](crate::Slots), and exact for the same reason: nothing is removed
//! while threads share the set. The word 0 is an empty slot and no member. Relaxed ordering
//! suffices: a word refers to no other memory, and a failed exchange returns the word stored first.
//!
//! The table must never be full; [`Slots::room`](crate::Slots::room) is the maximal number of
//! words.

use crate::slots::{home, next, prefaulted};
use crate::sync::{AtomicU64, Ordering, zeroed};

/// A concurrent set of words; see the [crate documentation](crate).
#[derive(Default)]
pub struct WordSet {
    words: Vec<AtomicU64>,
}

impl WordSet {
    /// Returns an empty set with `capacity` slots.
    pub fn new(capacity: usize) -> WordSet {
        WordSet {
            words: zeroed(capacity),
        }
    }

    /// Returns the number of slots.
    pub fn capacity(&self) -> usize {
        self.words.len()
    }

    /// Adds a word that is not 0. Returns whether it is new.
    #[inline]
    pub fn add(&self, hash: u32, word: u64) -> bool {
        let mut at = home(hash, self.words.len());
        loop {
            let slot = &self.words[at];
            let mut there = slot.load(Ordering::Relaxed);
            if there == 0 {
                match slot.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return true,
                    Err(other) => there = other,
                }
            }
            if there == word {
                return false;
            }
            at = next(at, self.words.len());
        }
    }

    /// Returns the word in the home slot of `hash`, and prefetches the slot.
    #[inline]
    pub fn first(&self, hash: u32) -> u64 {
        self.words[home(hash, self.words.len())].load(Ordering::Relaxed)
    }

    /// Grows to `capacity` slots; both tables exist for a moment.
    pub fn grow(&mut self, capacity: usize, hash: impl Fn(u64) -> u32) {
        let old = std::mem::replace(&mut self.words, prefaulted(capacity, 1));
        for word in old {
            let word = word.load(Ordering::Relaxed);
            if word == 0 {
                continue;
            }
            let mut at = home(hash(word), capacity);
            while self.words[at].load(Ordering::Relaxed) != 0 {
                at = next(at, capacity);
            }
            self.words[at].store(word, Ordering::Relaxed);
        }
    }
}
