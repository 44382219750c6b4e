//! The states of a program, numbered in the order of discovery.
//!
//! A state is stored once; a hash table per shard maps its hash to its number. Several workers
//! intern states concurrently: a worker holds the lock of one shard while it compares and inserts.
//! States never move, so that readers take no lock: the `OnceLock` of a state is set under the lock
//! of its shard, before any other worker can learn its number.
//!
//! A panic of the model's `Eq` or `Hash` leaves the shard as it was before.

use hashbrown::HashTable;
use lariat_budget::Stop;
use lariat_parallel::Segments;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Shards for several workers, as a power of two.
const SHARD_BITS: u32 = 6;
/// Limit on the number of states: products number their nodes with 32 bits.
const MOST: u32 = u32::MAX - (1 << 20);

/// A hash and the number of a state.
type Entry = (u32, u32);

/// The states found so far.
pub(super) struct StateStore<S> {
    shards: Vec<Mutex<HashTable<Entry>>>,
    states: Segments<OnceLock<S>>,
    count: AtomicU32,
    /// Bytes of the segments and of the tables.
    bytes: AtomicUsize,
}

/// Spreads a hash over the bits that the table reads.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<S: Eq + Hash> StateStore<S> {
    /// An empty store for one worker or several.
    pub fn new(is_shared: bool) -> StateStore<S> {
        let shards = if is_shared { 1 << SHARD_BITS } else { 1 };
        StateStore {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            states: Segments::new(),
            count: AtomicU32::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// The number of a state, which is stored if it is new.
    pub fn intern(&self, state: S) -> Result<u32, Stop> {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        let hash = hasher.finish();
        let shard = (hash >> 32) as usize % self.shards.len();
        let hash = hash as u32 ^ (hash >> 32) as u32;
        let mut table = self.shards[shard]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let equal = |(other, number): &Entry| {
            *other == hash && self.get(*number).is_some_and(|known| *known == state)
        };
        if let Some((_, number)) = table.find(spread(hash), equal) {
            return Ok(*number);
        }
        let number = self.count.load(Relaxed);
        if number >= MOST {
            return Err(Stop::Bound("more than four billion states".to_owned()));
        }
        let before = table.capacity();
        table.reserve(1, |(hash, _)| spread(*hash));
        // Of a table of this capacity, one slot in eight stays empty; each has a control byte.
        let added = (table.capacity() - before) * 8 / 7 * (size_of::<Entry>() + 1);
        self.bytes.fetch_add(added, Relaxed);
        // Other workers draw numbers under the locks of other shards.
        let number = self.count.fetch_add(1, Relaxed);
        let lease = |bytes| {
            self.bytes.fetch_add(bytes, Relaxed);
            Ok::<(), Stop>(())
        };
        self.states.reserve(number as usize, lease)?;
        if self.states.at(number as usize).set(state).is_err() {
            return Err(Stop::Internal("a number was drawn twice".to_owned()));
        }
        table.insert_unique(spread(hash), (hash, number), |(hash, _)| spread(*hash));
        Ok(number)
    }

    /// The state with this number.
    pub fn get(&self, number: u32) -> Option<&S> {
        self.states.get(number as usize)?.get()
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.count.load(Relaxed) as usize
    }

    /// The bytes held, without what states own elsewhere.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_agree_about_numbers() {
        let store: StateStore<Vec<u32>> = StateStore::new(true);
        let found: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let intern = |i: u32| {
                let state = |k: u32| vec![(k * (2 * i + 3)) % 5_003];
                (0..20_000)
                    .map(|k| store.intern(state(k)).unwrap())
                    .collect()
            };
            let threads: Vec<_> = (0..4).map(|i| scope.spawn(move || intern(i))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(store.len(), 5_003);
        for (i, numbers) in (0..).zip(found) {
            for (k, number) in (0..).zip(numbers) {
                assert_eq!(store.get(number), Some(&vec![(k * (2 * i + 3)) % 5_003]));
            }
        }
        assert!(store.bytes() > 5_003 * size_of::<Vec<u32>>());
    }
}
