//! The states of a program, numbered in the order of discovery.
//!
//! A state is stored once, whole or packed into bytes. A hash table has the id of each state, by
//! which its contents are found:
//!
//! ```text
//! find(hash):    shared access to the table; any number of threads
//! insert(hash):  locks the hashes of one shard, looks again, draws a number,
//!                writes the state, then its id into the table
//! grow:          exclusive access to the table, when three quarters of it are in use
//! ```
//!
//! Stored states never move, so that readers of states take no lock. The id of a state is published
//! with release ordering after its contents.
//!
//! `Eq` and `Hash` of the model are called without exclusive access; a panic there changes nothing.

use lariat_budget::Stop;
use lariat_parallel::{Segments, Slots};
use rustc_hash::FxHasher;
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// Shards of hashes; a thread that inserts a state locks one.
const SHARDS: usize = 1 << 6;
/// Slots of the first table.
const LEAST: usize = 1 << 10;
/// Limit on the number of states: products number their nodes with 32 bits.
const MOST: u32 = u32::MAX - (1 << 20);

/// The hash of a state.
#[derive(Clone, Copy)]
pub(super) struct StateHash(u32);

impl StateHash {
    fn of(hasher: &FxHasher) -> StateHash {
        let spread = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        StateHash((spread >> 32) as u32)
    }
}

/// A hash table of ids, which are not 0.
struct Index {
    slots: RwLock<Slots>,
    inserting: Vec<Mutex<()>>,
    count: AtomicU32,
    /// Bytes of the table, and of the segments that hold the states.
    bytes: AtomicUsize,
}

impl Index {
    fn new() -> Index {
        Index {
            slots: RwLock::new(Slots::new(LEAST)),
            inserting: (0..SHARDS).map(|_| Mutex::default()).collect(),
            count: AtomicU32::new(0),
            bytes: AtomicUsize::new(LEAST * size_of::<u64>()),
        }
    }

    fn slots(&self) -> RwLockReadGuard<'_, Slots> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Requests the slots of these hashes from memory together, and the contents of their ids.
    fn prefetch(&self, hashes: impl Iterator<Item = StateHash>, contents: impl Fn(u32) -> u64) {
        let slots = self.slots();
        let ids = hashes.filter_map(|hash| slots.first(hash.0));
        black_box(ids.fold(0, |sum, id| sum ^ contents(id)));
    }

    /// The id with this hash for which `equal` holds.
    fn find(&self, hash: StateHash, equal: impl Fn(u32) -> bool) -> Option<u32> {
        self.slots().find(hash.0, equal)
    }

    /// The id with this hash for which `equal` holds; if there is none, that of `store`, which
    /// stores the state under a new number.
    fn insert<S>(
        &self,
        hash: StateHash,
        state: S,
        equal: impl Fn(u32, &S) -> bool,
        store: impl FnOnce(u32, S) -> Result<u32, Stop>,
    ) -> Result<u32, Stop> {
        let shard = self.inserting[hash.0 as usize % SHARDS].lock();
        let _shard = shard.unwrap_or_else(PoisonError::into_inner);
        self.grow_if_full();
        let slots = self.slots();
        let slot = match slots.seek(hash.0, |id| equal(id, &state)) {
            Ok(id) => return Ok(id),
            Err(slot) => slot,
        };
        if self.count.load(Ordering::Relaxed) >= MOST {
            return Err(Stop::Bound("more than four billion states".to_owned()));
        }
        let id = store(self.count.fetch_add(1, Ordering::Relaxed), state)?;
        // Threads with the locks of other shards may take the slot, but insert no equal state.
        match slots.claim_from(slot, hash.0, id, |_| false) {
            None => Ok(id),
            Some(_) => Err(Stop::Internal("a state was stored twice".to_owned())),
        }
    }

    /// Grows the table while there may be no slot for each thread that inserts.
    fn grow_if_full(&self) {
        let is_full = |capacity| {
            let count = self.count.load(Ordering::Relaxed) as usize;
            count + SHARDS >= Slots::room(capacity)
        };
        let capacity = self.slots().capacity();
        if is_full(capacity) {
            let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
            let capacity = slots.capacity();
            if is_full(capacity) {
                slots.grow(2 * capacity, 1);
                let added = capacity * size_of::<u64>();
                self.bytes.fetch_add(added, Ordering::Relaxed);
            }
        }
    }

    /// Counts the bytes of a segment.
    fn lease(&self, bytes: usize) -> Result<(), Stop> {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
}

/// States stored whole, compared by `Eq`. The id of a state is its number plus one.
pub(super) struct StateStore<S> {
    index: Index,
    states: Segments<OnceLock<S>>,
}

impl<S: Clone + Eq + Hash> StateStore<S> {
    pub fn new() -> StateStore<S> {
        StateStore {
            index: Index::new(),
            states: Segments::new(),
        }
    }

    pub fn hash(state: &S) -> StateHash {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        StateHash::of(&hasher)
    }

    /// Prefetches states with these hashes.
    pub fn prefetch(&self, hashes: impl Iterator<Item = StateHash>) {
        let is_known = |id: u32| self.get(id - 1).is_some();
        self.index.prefetch(hashes, |id| u64::from(is_known(id)));
    }

    /// The number of a state with this hash, which is stored if it is new.
    pub fn intern(&self, hash: StateHash, state: Cow<'_, S>) -> Result<u32, Stop> {
        let is = |id: u32, state: &S| self.get(id - 1).is_some_and(|known| known == state);
        if let Some(id) = self.index.find(hash, |id| is(id, &state)) {
            return Ok(id - 1);
        }
        let store = |number: u32, state: S| {
            let at = number as usize;
            self.states.reserve(at, |bytes| self.index.lease(bytes))?;
            let is_set = self.states.at(at).set(state);
            is_set.map_err(|_| Stop::Internal("a number was drawn twice".to_owned()))?;
            Ok(number + 1)
        };
        let id = self.index.insert(hash, state.into_owned(), is, store)?;
        Ok(id - 1)
    }

    /// The state with this number.
    pub fn get(&self, number: u32) -> Option<&S> {
        self.states.get(number as usize)?.get()
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.index.count.load(Ordering::Relaxed) as usize
    }

    /// The bytes held, without what states own elsewhere.
    pub fn bytes(&self) -> usize {
        self.index.bytes.load(Ordering::Relaxed)
    }
}

/// States as bytes, each with 16 bits of facts that are functions of the state.
///
/// A state is a header word and its bytes, filled up with zeros, in further words. Its id is the
/// position after the header.
///
/// ```text
/// header = number (32 bits), bytes (16 bits), facts (16 bits)
/// ```
pub(super) struct PackedStore {
    index: Index,
    /// Ids by number, 0 if the state is not stored yet.
    ids: Segments<AtomicU32>,
    words: Segments<AtomicU64>,
    /// The number of words in use.
    top: AtomicU32,
}

/// The words of a sequence of bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| match chunk.try_into() {
        Ok(word) => u64::from_le_bytes(word),
        Err(_) => {
            let bytes = chunk.iter().rev();
            bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
        }
    })
}

impl PackedStore {
    /// Limit on the number of facts.
    pub const FACTS: usize = 16;

    pub fn new() -> PackedStore {
        PackedStore {
            index: Index::new(),
            ids: Segments::new(),
            words: Segments::new(),
            top: AtomicU32::new(0),
        }
    }

    pub fn hash(bytes: &[u8]) -> StateHash {
        let mut hasher = FxHasher::default();
        words(bytes).for_each(|word| hasher.write_u64(word));
        StateHash::of(&hasher)
    }

    fn word(&self, at: usize) -> u64 {
        self.words.at(at).load(Ordering::Relaxed)
    }

    fn header(&self, id: u32) -> u64 {
        self.word(id as usize - 1)
    }

    fn is(&self, id: u32, bytes: &[u8]) -> bool {
        let known = (id as usize..).map(|at| self.word(at));
        (self.header(id) >> 32) as u16 as usize == bytes.len()
            && words(bytes).zip(known).all(|(a, b)| a == b)
    }

    fn id(&self, number: u32) -> Option<u32> {
        // Written after the words of the state.
        let id = self.ids.get(number as usize)?.load(Ordering::Acquire);
        Some(id).filter(|id| *id != 0)
    }

    /// Prefetches states with these hashes.
    pub fn prefetch(&self, hashes: impl Iterator<Item = StateHash>) {
        self.index.prefetch(hashes, |id| self.header(id));
    }

    /// The number of a state, if it is stored.
    pub fn find(&self, hash: StateHash, bytes: &[u8]) -> Option<u32> {
        let id = self.index.find(hash, |id| self.is(id, bytes))?;
        Some(self.header(id) as u32)
    }

    /// The number of a state, which is stored if it is new.
    pub fn intern(&self, hash: StateHash, bytes: &[u8], facts: u16) -> Result<u32, Stop> {
        let length = u16::try_from(bytes.len());
        let length = length.map_err(|_| Stop::Bound("a packed state of 64 KiB".to_owned()))?;
        let store = |number: u32, bytes: &[u8]| {
            let count = 1 + bytes.len().div_ceil(8);
            let more = |top: u32| top.checked_add(count as u32);
            let start = self
                .top
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
            let full = |_| Stop::Bound("packed states of more than 32 GiB".to_owned());
            let start = start.map_err(full)? as usize;
            let lease = |bytes| self.index.lease(bytes);
            self.words.reserve_all(start..start + count, lease)?;
            self.ids.reserve(number as usize, lease)?;
            let header = u64::from(number) | u64::from(length) << 32 | u64::from(facts) << 48;
            for (at, word) in (start..).zip(std::iter::once(header).chain(words(bytes))) {
                self.words.at(at).store(word, Ordering::Relaxed);
            }
            let id = start as u32 + 1;
            self.ids.at(number as usize).store(id, Ordering::Release);
            Ok(id)
        };
        let id = self
            .index
            .insert(hash, bytes, |id, bytes| self.is(id, bytes), store)?;
        Ok(self.header(id) as u32)
    }

    /// Replaces `bytes` by those of a state.
    pub fn read(&self, number: u32, bytes: &mut Vec<u8>) -> Option<()> {
        let id = self.id(number)?;
        let length = (self.header(id) >> 32) as u16 as usize;
        bytes.clear();
        for at in (id as usize..).take(length.div_ceil(8)) {
            bytes.extend_from_slice(&self.word(at).to_le_bytes());
        }
        bytes.truncate(length);
        Some(())
    }

    /// The facts of a state.
    pub fn facts(&self, number: u32) -> Option<u16> {
        self.id(number).map(|id| (self.header(id) >> 48) as u16)
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.index.count.load(Ordering::Relaxed) as usize
    }

    /// The bytes held.
    pub fn bytes(&self) -> usize {
        self.index.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state `k` of thread `i`, from a sequence that depends on the thread.
    fn nth(i: u32, k: u32) -> Vec<u32> {
        vec![(k * (2 * i + 3)) % 5_003]
    }

    /// Interns states with several threads: the numbers that each thread got.
    fn interned(intern: impl Fn(u32, u32) -> u32 + Sync) -> Vec<Vec<u32>> {
        std::thread::scope(|scope| {
            let intern = &intern;
            let work = |i| move || (0..20_000).map(|k| intern(i, k)).collect();
            let threads: Vec<_> = (0..4).map(|i| scope.spawn(work(i))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        })
    }

    #[test]
    fn threads_agree_about_numbers() {
        let store: StateStore<Vec<u32>> = StateStore::new();
        let found = interned(|i, k| {
            let state = nth(i, k);
            let hash = StateStore::hash(&state);
            store.intern(hash, Cow::Owned(state)).unwrap()
        });
        assert_eq!(store.len(), 5_003);
        for (i, numbers) in (0..).zip(found) {
            for (k, number) in (0..).zip(numbers) {
                assert_eq!(store.get(number), Some(&nth(i, k)));
            }
        }
        assert!(store.bytes() > 5_003 * size_of::<Vec<u32>>());
    }

    /// States of 0 to 12 bytes, some of which differ in trailing zeros only.
    #[test]
    fn threads_agree_about_packed_states() {
        let store = PackedStore::new();
        let bytes = |i, k| {
            let [value] = nth(i, k)[..] else {
                unreachable!()
            };
            let text = value.to_le_bytes().repeat(3);
            (text[..value as usize % 13].to_vec(), value as u16 % 13)
        };
        let found = interned(|i, k| {
            let (bytes, facts) = bytes(i, k);
            let hash = PackedStore::hash(&bytes);
            let known = store.find(hash, &bytes);
            let number = store.intern(hash, &bytes, facts).unwrap();
            assert!(known.is_none_or(|known| known == number));
            number
        });
        let mut read = Vec::new();
        for (i, numbers) in (0..).zip(found) {
            for (k, number) in (0..).zip(numbers) {
                let (bytes, facts) = bytes(i, k);
                store.read(number, &mut read).unwrap();
                assert_eq!((&read, store.facts(number)), (&bytes, Some(facts)));
            }
        }
        assert!(store.len() > 1_000 && store.read(6_000, &mut read).is_none());
    }
}
