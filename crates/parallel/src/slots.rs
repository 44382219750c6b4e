//! A hash table of ids: which of the things that lie elsewhere is equal to this one?
//!
//! Open addressing with linear probing over words of hash and id, 32 bits each; the word 0 is an empty slot, so ids
//! begin with 1. The home of a hash is `hash · capacity / 2³²`, so the table can have any capacity and its entries lie
//! nearly in the order of their hashes: growing and sweeping read and write memory in order.
//!
//! Nothing disappears between two meetings, so probing is exact while others add:
//!
//! ```text
//! claim(hash, id):  i := home(hash)
//!   loop  e := slot[i]                        acquire: what the thing consists of was written before
//!         if e = 0: exchange 0 for hash·id    release; if somebody was faster, e is what it put there
//!                   done
//!         if hash and thing at e are equal: that is it
//!         i := next(i)
//! ```
//!
//! Who claims has written its thing already, and takes it back if an equal one is found. The table must never be full:
//! callers hand out the right to a slot before ([`Slots::room`] is how many there may be).

use crate::hands::{divide, shares};
use crate::sync::{AtomicU64, Ordering, zeroed};

/// A hash table of ids; see the [crate documentation](crate).
#[derive(Default)]
pub struct Slots {
    words: Vec<AtomicU64>,
}

/// What a slot holds.
#[inline]
fn entry(hash: u32, id: u32) -> u64 {
    (hash as u64) << 32 | id as u64
}

/// The slot where a search for a hash begins.
#[inline]
pub(crate) fn home(hash: u32, capacity: usize) -> usize {
    ((hash as u64 * capacity as u64) >> 32) as usize
}

/// The slot behind another.
#[inline]
pub(crate) fn next(at: usize, capacity: usize) -> usize {
    match at + 1 {
        end if end == capacity => 0,
        next => next,
    }
}

/// Empty slots that are about to be filled, page by page written already. Memory that is read before it is written is handed out twice, as zeros that all
/// share and once more, and the second time every processor that runs one of our threads is interrupted, while all wait for whoever lets a table grow.
pub(crate) fn touched(capacity: usize, hands: usize) -> Vec<AtomicU64> {
    /// Slots on a page of memory.
    const PAGE: usize = 4096 / 8;
    let words: Vec<AtomicU64> = zeroed(capacity);
    divide(shares(capacity, hands), hands, |part| {
        for word in words[part].iter().step_by(PAGE) {
            word.store(0, Ordering::Relaxed);
        }
    });
    words
}

impl Slots {
    /// A table with `capacity` empty slots.
    pub fn new(capacity: usize) -> Slots {
        Slots {
            words: zeroed(capacity),
        }
    }

    /// The number of slots.
    pub fn capacity(&self) -> usize {
        self.words.len()
    }

    /// The number of ids that should be in `capacity` slots at most: three quarters.
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

    /// The id with this hash that is `equal`, if there is one.
    #[inline]
    pub fn find(&self, hash: u32, equal: impl FnMut(u32) -> bool) -> Option<u32> {
        self.seek(hash, equal).ok()
    }

    /// The same; if there is none, the empty slot where the search has ended. Until the next meeting an equal one can appear there and behind it only.
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

    /// The id at the home of this hash, if it has the hash: one look, for those who will [find](Slots::find) it in a moment and
    /// would wait for memory then.
    #[inline]
    pub fn first(&self, hash: u32) -> Option<u32> {
        let word = self.words[self.home(hash)].load(Ordering::Acquire);
        (word != 0 && (word >> 32) as u32 == hash).then_some(word as u32)
    }

    /// Adds `id`, which is not 0, unless there is one that is `equal`: that is returned then.
    #[inline]
    pub fn claim(&self, hash: u32, id: u32, equal: impl FnMut(u32) -> bool) -> Option<u32> {
        self.claim_from(self.home(hash), hash, id, equal)
    }

    /// The same from the slot on where [seeking](Slots::seek) it has ended since the last meeting.
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

    /// The same for one worker alone: the slot is still empty, and nobody can be faster.
    #[inline]
    pub fn fill(&self, slot: usize, hash: u32, id: u32) {
        self.words[slot].store(entry(hash, id), Ordering::Release);
    }

    /// Adds an entry of which there is no equal one, while others do the same and nobody looks.
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

    /// Grows to `capacity` slots, by as many threads as `hands`; old and new exist together for a moment.
    pub fn grow(&mut self, capacity: usize, hands: usize) {
        let old = std::mem::replace(&mut self.words, touched(capacity, hands));
        divide(shares(old.len(), hands), hands, |part| {
            for word in &old[part] {
                match word.load(Ordering::Relaxed) {
                    0 => {}
                    entry => self.put(entry),
                }
            }
        });
    }

    /// Keeps the ids that are `alive`, and says how many these are; as many threads as `hands` do it.
    ///
    /// Starting behind an empty slot, every entry is taken out and put back at or before the place it had, so no
    /// second table is needed. Between its home and an entry no slot is empty: what lies between two that are is swept without a look at the rest.
    pub fn sweep(&mut self, hands: usize, alive: impl Fn(u32) -> bool + Sync) -> usize {
        let capacity = self.words.len();
        let is_empty = |word: &AtomicU64| word.load(Ordering::Relaxed) == 0;
        let empty_from = |at: usize| Some(at + self.words[at..].iter().position(is_empty)?);
        let shares = shares(capacity, hands).into_iter();
        let mut cuts: Vec<usize> = shares.filter_map(|part| empty_from(part.start)).collect();
        cuts.dedup();
        let Some(&first) = cuts.first() else {
            return capacity;
        };
        cuts.push(first + capacity);
        let parts = cuts.windows(2).map(|cut| cut[0] + 1..cut[1] + 1).collect();
        let counts = divide(parts, hands, |part| {
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
