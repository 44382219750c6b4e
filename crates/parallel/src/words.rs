//! A set of words: the table holds the members themselves, so that a look at a slot is all that a lookup takes.
//!
//! Open addressing as in [`Slots`](crate::Slots), and exact for the same reason: nothing disappears between two meetings. The word 0 is an empty
//! slot and no member. A word is written whole or not at all, and tells of nothing else, so that no order between accesses is asked for:
//! whoever fails to exchange 0 for its word has been told what is there instead.
//!
//! The table must never be full: callers hand out the right to a slot before ([`Slots::room`](crate::Slots::room) is how many there may be).

use crate::slots::{home, next, touched};
use crate::sync::{AtomicU64, Ordering, zeroed};

/// A set of words; see the [crate documentation](crate).
#[derive(Default)]
pub struct WordSet {
    words: Vec<AtomicU64>,
}

impl WordSet {
    /// A set with room in `capacity` slots, and without members.
    pub fn new(capacity: usize) -> WordSet {
        WordSet {
            words: zeroed(capacity),
        }
    }

    /// The number of slots.
    pub fn capacity(&self) -> usize {
        self.words.len()
    }

    /// Adds a word that is not 0; false if it was there.
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

    /// What is at the home of this hash: one look, for those who will [add](WordSet::add) something there in a moment and would wait for memory then.
    #[inline]
    pub fn first(&self, hash: u32) -> u64 {
        self.words[home(hash, self.words.len())].load(Ordering::Relaxed)
    }

    /// Grows to `capacity` slots; old and new exist together for a moment.
    pub fn grow(&mut self, capacity: usize, hash: impl Fn(u64) -> u32) {
        let old = std::mem::replace(&mut self.words, touched(capacity, 1));
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
