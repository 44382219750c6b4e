//! A concurrent hash table of ids of objects that lie elsewhere.
//!
//! Open addressing with linear probing over words of hash and id, 32 bits each. The word 0 is an
//! empty slot, so ids begin with 1. The home slot of a hash is `hash · capacity / 2³²`: the table
//! can have any capacity, its entries lie nearly in the order of their hashes, and growing and
//! sweeping access memory sequentially.
//!
//! Entries are only removed with exclusive access (`&mut`), so probing is exact:
//!
//! ```text
//! claim(hash, id):  i := home(hash)
//!   loop  e := slot[i]                      acquire: the object of e was written before
//!         if e = 0: exchange 0 for hash·id  release; done, or e is the word of a faster thread
//!         if hash and object of e are equal: return the id of e
//!         i := next(i)
//! ```
//!
//! A thread writes its object before it claims a slot, and discards it if an equal one is found.
//! The table must never be full: callers hand out at most [`Slots::room`] permits to insert.

use crate::ranges::{divide, shares};
use crate::sync::{AtomicU64, Ordering, zeroed};

/// A concurrent hash table of ids; see the [crate documentation](crate).
#[derive(Default)]
pub struct Slots {
    words: Vec<AtomicU64>,
}

/// The word of a slot.
#[inline]
fn entry(hash: u32, id: u32) -> u64 {
    (hash as u64) << 32 | id as u64
}

/// The slot where a search for a hash begins.
#[inline]
pub(crate) fn home(hash: u32, capacity: usize) -> usize {
    ((hash as u64 * capacity as u64) >> 32) as usize
}

/// The slot after `at`, cyclically.
#[inline]
pub(crate) fn next(at: usize, capacity: usize) -> usize {
    match at + 1 {
        end if end == capacity => 0,
        next => next,
    }
}

/// Returns empty slots whose pages have all been written. A lazily zeroed page that is read before
/// it is written faults twice, and the second fault interrupts every processor that runs a thread
/// of this process, while all threads wait for the one that grows the table.
pub(crate) fn prefaulted(capacity: usize, threads: usize) -> Vec<AtomicU64> {
    /// Slots per page.
    const PAGE: usize = 4096 / 8;
    let words: Vec<AtomicU64> = zeroed(capacity);
    divide(shares(capacity, threads), threads, |part| {
        for word in words[part].iter().step_by(PAGE) {
            word.store(0, Ordering::Relaxed);
        }
    });
    words
}

impl Slots {
    /// Returns a table with `capacity` empty slots.
    pub fn new(capacity: usize) -> Slots {
        Slots {
            words: zeroed(capacity),
        }
    }

    /// Returns the number of slots.
    pub fn capacity(&self) -> usize {
        self.words.len()
    }

    /// Returns the maximal number of ids in `capacity` slots: three quarters.
    pub fn room(capacity: usize) -> usize {
        capacity - capacity / 4
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        home(hash, self.words.len())
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        next(at, self.words.len())
    }

    /// Returns the id with this hash that is `equal`, if there is one.
    #[inline]
    pub fn find(&self, hash: u32, equal: impl FnMut(u32) -> bool) -> Option<u32> {
        self.seek(hash, equal).ok()
    }

    /// Like [`find`](Slots::find); if there is none, returns the empty slot where the search ended.
    /// Until the next exclusive access an equal id can only appear there or behind it.
    #[inline]
    pub fn seek(&self, hash: u32, mut equal: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let mut at = self.home(hash);
        loop {
            let word = self.words[at].load(Ordering::Acquire);
            if word == 0 {
                return Err(at);
            }
            if (word >> 32) as u32 == hash && equal(word as u32) {
                return Ok(word as u32);
            }
            at = self.next(at);
        }
    }

    /// Returns the id in the home slot of `hash` if it has this hash, and prefetches the slot.
    #[inline]
    pub fn first(&self, hash: u32) -> Option<u32> {
        let word = self.words[self.home(hash)].load(Ordering::Acquire);
        (word != 0 && (word >> 32) as u32 == hash).then_some(word as u32)
    }

    /// Inserts `id`, which is not 0, unless an id is `equal`, which is returned then.
    #[inline]
    pub fn claim(&self, hash: u32, id: u32, equal: impl FnMut(u32) -> bool) -> Option<u32> {
        self.claim_from(self.home(hash), hash, id, equal)
    }

    /// Like `claim`, from the slot where `seek` ended since the last exclusive access.
    #[inline]
    pub fn claim_from(
        &self,
        from: usize,
        hash: u32,
        id: u32,
        mut equal: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        let entry = entry(hash, id);
        let mut at = from;
        loop {
            let slot = &self.words[at];
            let mut word = slot.load(Ordering::Acquire);
            if word == 0 {
                match slot.compare_exchange(0, entry, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return None,
                    Err(other) => word = other,
                }
            }
            if (word >> 32) as u32 == hash && equal(word as u32) {
                return Some(word as u32);
            }
            at = self.next(at);
        }
    }

    /// Fills a slot that `seek` has found empty, for a store with a single thread.
    #[inline]
    pub fn fill(&self, slot: usize, hash: u32, id: u32) {
        self.words[slot].store(entry(hash, id), Ordering::Release);
    }

    /// Inserts an entry that has no equal one, while other threads insert but none searches.
    #[inline]
    fn put(&self, entry: u64) {
        let mut at = self.home((entry >> 32) as u32);
        let (set, failed) = (Ordering::Relaxed, Ordering::Relaxed);
        while self.words[at].load(Ordering::Relaxed) != 0
            || self.words[at]
                .compare_exchange(0, entry, set, failed)
                .is_err()
        {
            at = self.next(at);
        }
    }

    /// Grows to `capacity` slots with `threads` threads; both tables exist for a moment.
    pub fn grow(&mut self, capacity: usize, threads: usize) {
        let old = std::mem::replace(&mut self.words, prefaulted(capacity, threads));
        divide(shares(old.len(), threads), threads, |part| {
            for word in &old[part] {
                match word.load(Ordering::Relaxed) {
                    0 => {}
                    entry => self.put(entry),
                }
            }
        });
    }

    /// Keeps the ids that are `alive` and returns their number, with `threads` threads.
    ///
    /// Starting behind an empty slot, each entry is removed and reinserted at or before its place,
    /// so no second table is needed. No slot between the home of an entry and the entry is empty,
    /// so the stretches between empty slots are swept independently.
    pub fn sweep(&mut self, threads: usize, alive: impl Fn(u32) -> bool + Sync) -> usize {
        let capacity = self.words.len();
        let is_empty = |word: &AtomicU64| word.load(Ordering::Relaxed) == 0;
        let empty_from = |at: usize| Some(at + self.words[at..].iter().position(is_empty)?);
        let shares = shares(capacity, threads).into_iter();
        let mut cuts: Vec<usize> = shares.filter_map(|part| empty_from(part.start)).collect();
        cuts.dedup();
        let Some(&first) = cuts.first() else {
            return capacity;
        };
        cuts.push(first + capacity);
        let parts = cuts.windows(2).map(|cut| cut[0] + 1..cut[1] + 1).collect();
        let counts = divide(parts, threads, |part| {
            let mut count = 0;
            for step in part {
                let at = if step < capacity {
                    step
                } else {
                    step - capacity
                };
                let entry = self.words[at].swap(0, Ordering::Relaxed);
                if entry != 0 && alive(entry as u32) {
                    self.put(entry);
                    count += 1;
                }
            }
            count
        });
        counts.into_iter().sum()
    }
}
