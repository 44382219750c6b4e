//! The operation cache: results of operations by operands.
//!
//! Two direct-mapped tables. The *narrow* one has entries of 16 bytes, for keys of two words and
//! results of one; the *wide* one has entries of 32 bytes, for keys of five words and results of
//! two: operations under a filter, which depend on scopes and residuals too. The table of an
//! operation follows from [the types of its key and result](crate::kernel::Operation). The first
//! word of an entry is the operation's tag together with an event chain.
//!
//! A table doubles when half of it was overwritten since it last grew: the criterion is the number
//! of evictions, not the number of nodes. Beyond a size proportional to the nodes it doubles only
//! when it was overwritten twice, since distant memory is slow. If the budget refuses, the table
//! stays as it is; an operation that overwrites such a table dozens of times recomputes nearly
//! everything, is *starved*, and stops with [`Stop::Memory`].
//!
//! Entries root nothing. A collection keeps those whose nodes and scopes all live.
//!
//! # Workers
//!
//! All workers share the tables; with private tables they would repeat nearly all work. With
//! several workers, entries are guarded by sequence locks ([`Versions`]), one per some dozens of
//! entries, in a separate array. So entries stay small, which matters since most lookups hit, and a
//! single worker ignores the locks. Each worker keeps its own state of growth ([`Pressure`]).
//! Storing an entry must not wait, so growth is deferred to the creation of the next node.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::kernel::{
    Audit, Audits, CacheKey, CacheScopeId, CacheValue, DdNode, NARROW_WORDS, Operation, REGISTRY,
    Registry, WIDE_WORDS,
};
use lariat_budget::{Lease, Stop};
use lariat_parallel::{Versions, divide, shares};

/// An entry: the tag and chain, the words of the key, the words of the result.
pub(crate) trait OperationEntry: Copy + Default {
    /// Number of words of the key.
    const WORDS: usize;

    /// The atomic form of an entry in the table; empty if its first word is 0.
    type Cell: Default + Send + Sync;

    fn hash(&self) -> u64;
    fn all_words(&self) -> &[u32];

    /// The first word of the cell.
    fn first(cell: &Self::Cell) -> &AtomicU64;

    fn store(&self, cell: &Self::Cell);
    fn load(cell: &Self::Cell) -> Self;

    /// Returns the result in `cell` if the keys are equal: two words as one `u64`, the first in the
    /// lower half, which stays in a register.
    fn find(&self, cell: &Self::Cell) -> Option<u64>;

    /// Returns whether all nodes and scopes of the entry live.
    #[inline]
    fn passes(
        &self,
        audits: &Audits,
        alive: impl Fn(DdNode) -> bool,
        open: impl Fn(CacheScopeId) -> bool,
    ) -> bool {
        let words = self.all_words();
        let Audit {
            nodes,
            scopes,
            result_is_node,
        } = audits.by_word(words[0]);
        let is_in = |bits: u8, at: usize| bits >> at & 1 == 1;
        let (key, result) = words[1..].split_at(Self::WORDS);
        (!result_is_node || alive(DdNode(result[0])))
            && key.iter().enumerate().all(|(at, &word)| {
                (!is_in(nodes, at) || alive(DdNode(word)))
                    && (!is_in(scopes, at) || open(CacheScopeId(word)))
            })
    }
}

#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}

#[inline]
fn pair(a: u32, b: u32) -> u64 {
    (a as u64) << 32 | b as u64
}

#[inline]
fn unpair(word: u64) -> [u32; 2] {
    [(word >> 32) as u32, word as u32]
}

#[inline]
fn look(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}

/// `[tag and chain, two words, result]`
pub(crate) type Narrow = [u32; 4];

impl OperationEntry for Narrow {
    const WORDS: usize = NARROW_WORDS;

    type Cell = [AtomicU64; 2];

    #[inline]
    fn hash(&self) -> u64 {
        mix(mix(self[0] as u64, pair(self[1], self[2])), 0x51)
    }

    #[inline]
    fn all_words(&self) -> &[u32] {
        self
    }

    #[inline]
    fn first(cell: &Self::Cell) -> &AtomicU64 {
        &cell[0]
    }

    #[inline]
    fn store(&self, cell: &Self::Cell) {
        let [a, b, c, d] = *self;
        cell[0].store(pair(a, b), Ordering::Relaxed);
        cell[1].store(pair(c, d), Ordering::Relaxed);
    }

    #[inline]
    fn load(cell: &Self::Cell) -> Narrow {
        let ([a, b], [c, d]) = (unpair(look(&cell[0])), unpair(look(&cell[1])));
        [a, b, c, d]
    }

    #[inline]
    fn find(&self, cell: &Self::Cell) -> Option<u64> {
        if look(&cell[0]) != pair(self[0], self[1]) {
            return None;
        }
        let [last, result] = unpair(look(&cell[1]));
        (last == self[2]).then_some(result as u64)
    }
}

/// `[tag and chain, five words, two words of the result]`
pub(crate) type Wide = [u32; 8];

impl OperationEntry for Wide {
    const WORDS: usize = WIDE_WORDS;

    type Cell = [AtomicU64; 4];

    #[inline]
    fn hash(&self) -> u64 {
        let low = mix(pair(self[0], self[1]), 0x51);
        mix(mix(low, pair(self[2], self[3])), pair(self[4], self[5]))
    }

    #[inline]
    fn all_words(&self) -> &[u32] {
        self
    }

    #[inline]
    fn first(cell: &Self::Cell) -> &AtomicU64 {
        &cell[0]
    }

    #[inline]
    fn store(&self, cell: &Self::Cell) {
        for (to, words) in cell.iter().zip(self.as_chunks::<2>().0) {
            to.store(pair(words[0], words[1]), Ordering::Relaxed);
        }
    }

    #[inline]
    fn load(cell: &Self::Cell) -> Wide {
        let mut words = [0; 8];
        for (from, words) in cell.iter().zip(words.as_chunks_mut::<2>().0) {
            *words = unpair(look(from));
        }
        words
    }

    #[inline]
    fn find(&self, cell: &Self::Cell) -> Option<u64> {
        let known = look(&cell[0]) == pair(self[0], self[1])
            && look(&cell[1]) == pair(self[2], self[3])
            && look(&cell[2]) == pair(self[4], self[5]);
        known.then(|| look(&cell[3]).rotate_left(32))
    }
}

/// Entries of a new table: at least as many as one version guards.
const SMALLEST: usize = if cfg!(feature = "collect-always") {
    GUARDED / size_of::<Narrow>()
} else {
    1 << 10
};

/// Refusals after which an operation is starved, one per half a table of evictions.
const STARVED: usize = 64;

/// Bytes of entries per version. A version per cache line would be as far away as the line itself,
/// while coarser versions stay in nearer caches; concurrent writes are rare.
const GUARDED: usize = 2 << 10;

/// The need of a worker for a larger table.
#[derive(Clone, Copy)]
pub(crate) struct Pressure {
    /// Number of entries of the table that the counts refer to.
    length: usize,
    /// Entries overwritten since the table last grew, and the number at which to request growth.
    evictions: usize,
    ask_at: usize,
    /// Refusals of the budget in the present operation.
    refused: usize,
}

impl Pressure {
    fn on(length: usize) -> Pressure {
        Pressure {
            length,
            evictions: 0,
            ask_at: length / 2,
            refused: 0,
        }
    }

    /// Returns whether a larger table should be requested.
    #[inline]
    pub fn is_high(&self) -> bool {
        self.evictions > self.ask_at
    }

    /// Counts an overwritten entry, with the number of workers as weight.
    #[inline]
    pub fn count(&mut self, evicted: bool, weight: usize) {
        self.evictions += weight * evicted as usize;
    }

    /// Postpones the next request.
    fn postpone(&mut self) {
        self.ask_at += self.length / 2;
    }
}

/// The pressures of one worker on both tables.
#[derive(Clone, Copy)]
pub(crate) struct Pressures {
    pub narrow: Pressure,
    pub wide: Pressure,
    /// A table should grow before the next node is made.
    pub growth_wanted: bool,
}

impl Pressures {
    pub fn on(cache: &Cache) -> Pressures {
        Pressures {
            narrow: Pressure::on(cache.narrow.cells.len()),
            wide: Pressure::on(cache.wide.cells.len()),
            growth_wanted: false,
        }
    }

    /// Resets the counts for tables that another worker has grown.
    pub fn update_lengths(&mut self, cache: &Cache) {
        let new = Pressures::on(cache);
        if new.narrow.length != self.narrow.length {
            self.narrow = new.narrow;
        }
        if new.wide.length != self.wide.length {
            self.wide = new.wide;
        }
    }

    /// Returns whether a table that may not grow has been overwritten dozens of times.
    pub fn is_starved(&self) -> bool {
        self.narrow.refused.max(self.wide.refused) > STARVED
    }

    /// Starts another operation.
    pub fn reset_refusals(&mut self) {
        self.narrow.refused = 0;
        self.wide.refused = 0;
    }
}

/// A direct-mapped hash table.
pub(crate) struct DirectMapped<E: OperationEntry> {
    cells: Vec<E::Cell>,
    /// Empty while there is a single worker.
    versions: Versions,
    /// Number of entries up to which the table grows readily, and the maximal number.
    ready: usize,
    most: usize,
    lease: Lease,
}

impl<E: OperationEntry> DirectMapped<E> {
    fn new(mut lease: Lease) -> Result<DirectMapped<E>, Stop> {
        lease.resize(Self::bytes_for(SMALLEST))?;
        Ok(DirectMapped {
            cells: cells::<E>(SMALLEST),
            ..DirectMapped::empty(lease)
        })
    }

    fn empty(lease: Lease) -> DirectMapped<E> {
        DirectMapped {
            cells: Vec::new(),
            versions: Versions::default(),
            ready: usize::MAX,
            most: usize::MAX,
            lease,
        }
    }

    fn bytes_for(length: usize) -> usize {
        length * size_of::<E::Cell>()
    }

    #[inline]
    fn slot(&self, entry: &E) -> usize {
        entry.hash() as usize & (self.cells.len() - 1)
    }

    /// The version that guards the entry in `slot`.
    #[inline]
    fn guard(slot: usize) -> usize {
        slot / (GUARDED / size_of::<E::Cell>())
    }

    #[inline]
    pub fn get(&self, probe: E, several: bool) -> Option<u64> {
        let slot = self.slot(&probe);
        let found = probe.find(&self.cells[slot])?;
        if several {
            self.get_guarded(probe, slot)
        } else {
            Some(found)
        }
    }

    /// Reads an entry again under its version, since the first read may have mixed two entries; a
    /// miss needs no such check. Not inlined, to keep the lookups of a single worker short.
    #[inline(never)]
    fn get_guarded(&self, probe: E, slot: usize) -> Option<u64> {
        let find = || probe.find(&self.cells[slot]);
        self.versions.read(Self::guard(slot), find).flatten()
    }

    /// Stores `entry` in its slot. Returns whether another entry was overwritten.
    #[inline]
    pub fn put(&self, entry: E, several: bool) -> bool {
        let slot = self.slot(&entry);
        let cell = &self.cells[slot];
        let evicted = look(E::first(cell)) != 0;
        if several {
            self.put_guarded(entry, slot)
        } else {
            entry.store(cell)
        }
        evicted
    }

    #[inline(never)]
    fn put_guarded(&self, entry: E, slot: usize) {
        let store = || entry.store(&self.cells[slot]);
        self.versions.write(Self::guard(slot), store);
    }

    /// Returns whether the table is large enough for now, and if so postpones `pressure`.
    pub fn suffices(&self, pressure: &mut Pressure) -> bool {
        let length = self.cells.len();
        let suffices = length * 2 > self.ready && pressure.evictions < length * 2;
        if suffices {
            pressure.postpone();
        }
        suffices
    }

    /// Doubles the table in place, unless it has grown: slot `i` moves to `i` or `i + length`.
    pub fn grow(&mut self, pressure: &mut Pressure, threads: usize) {
        let length = self.cells.len();
        if length != pressure.length {
            *pressure = Pressure::on(length);
            return;
        }
        let versions = self.versions.count() * 2;
        let bytes = Self::bytes_for(length * 2) + versions * 4;
        if length * 2 > self.most || self.lease.resize(bytes).is_err() {
            pressure.postpone();
            pressure.refused += 1;
            return;
        }
        let refused = pressure.refused;
        *pressure = Pressure {
            refused,
            ..Pressure::on(length * 2)
        };
        self.versions = Versions::new(versions);
        self.cells.reserve_exact(length);
        self.cells.resize_with(length * 2, E::Cell::default);
        divide(shares(length, threads), threads, |part| {
            for at in part {
                let entry = E::load(&self.cells[at]);
                let to = self.slot(&entry);
                if to != at && entry.all_words()[0] != 0 {
                    entry.store(&self.cells[to]);
                    E::default().store(&self.cells[at]);
                }
            }
        });
    }

    /// Allocates versions for several workers.
    fn share(&mut self) -> Result<(), Stop> {
        let length = self.cells.len();
        let versions = Self::guard(length);
        if self.versions.count() < versions {
            self.lease.resize(Self::bytes_for(length) + versions * 4)?;
            self.versions = Versions::new(versions);
        }
        Ok(())
    }

    fn retain(&mut self, threads: usize, keep: impl Fn(&E) -> bool + Sync) {
        divide(shares(self.cells.len(), threads), threads, |part| {
            for cell in &self.cells[part] {
                if look(E::first(cell)) != 0 && !keep(&E::load(cell)) {
                    E::default().store(cell);
                }
            }
        });
    }
}

fn cells<E: OperationEntry>(length: usize) -> Vec<E::Cell> {
    (0..length).map(|_| E::Cell::default()).collect()
}

pub(crate) struct Cache {
    pub narrow: DirectMapped<Narrow>,
    pub wide: DirectMapped<Wide>,
    pub registry: Registry,
}

impl Cache {
    pub fn new(narrow: Lease, wide: Lease) -> Result<Cache, Stop> {
        Ok(Cache {
            narrow: DirectMapped::new(narrow)?,
            wide: DirectMapped::new(wide)?,
            registry: REGISTRY,
        })
    }

    /// Returns a cache without entries.
    pub fn empty(narrow: Lease, wide: Lease) -> Cache {
        Cache {
            narrow: DirectMapped::empty(narrow),
            wide: DirectMapped::empty(wide),
            registry: REGISTRY,
        }
    }

    pub fn bytes(&self) -> usize {
        self.narrow.cells.len() * size_of::<Narrow>() + self.wide.cells.len() * size_of::<Wide>()
    }

    /// Sets the size up to which each table grows readily, and the maximal size, in bytes.
    pub fn limit(&mut self, ready: usize, most: usize) {
        self.narrow.ready = ready / size_of::<Narrow>();
        self.wide.ready = ready / size_of::<Wide>();
        self.narrow.most = (most / size_of::<Narrow>()).max(SMALLEST);
        self.wide.most = (most / size_of::<Wide>()).max(SMALLEST);
    }

    /// Prepares the cache for several workers.
    pub fn share(&mut self) -> Result<(), Stop> {
        self.narrow.share()?;
        self.wide.share()
    }

    /// Returns the cached result of `operation` for `key`; `several` workers need versions.
    #[inline]
    pub fn get<K: CacheKey, V: CacheValue>(
        &self,
        operation: Operation<K, V>,
        key: K,
        several: bool,
    ) -> Option<V> {
        let found = if Operation::<K, V>::IS_NARROW {
            self.narrow.get(narrow(operation, key, [0; 2]), several)
        } else {
            self.wide.get(wide(operation, key, [0; 2]), several)
        };
        found.map(|words| V::from_words([words as u32, (words >> 32) as u32]))
    }

    /// Drops all entries with a dead node or a closed scope.
    pub fn sweep(
        &mut self,
        threads: usize,
        alive: impl Fn(DdNode) -> bool + Sync,
        open: impl Fn(CacheScopeId) -> bool + Sync,
    ) {
        let Registry { narrow, wide } = &self.registry;
        self.narrow
            .retain(threads, |entry| entry.passes(narrow, &alive, &open));
        self.wide
            .retain(threads, |entry| entry.passes(wide, &alive, &open));
    }
}

/// Returns the entry of the narrow table; the second word of the result is 0.
#[inline(always)]
pub(crate) fn narrow<K: CacheKey, V>(
    operation: Operation<K, V>,
    key: K,
    value: [u32; 2],
) -> Narrow {
    let key = key.to_words();
    let [a, b, ..] = key.words;
    [operation.tag | key.chain, a, b, value[0]]
}

/// Returns the entry of the wide table.
#[inline(always)]
pub(crate) fn wide<K: CacheKey, V>(operation: Operation<K, V>, key: K, value: [u32; 2]) -> Wide {
    let key = key.to_words();
    let [a, b, c, d, e] = key.words;
    let [first, second] = value;
    [operation.tag | key.chain, a, b, c, d, e, first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_budget::Budget;

    /// Without counting refusals an operation would recompute everything again and again.
    #[test]
    fn an_operation_starves_when_a_table_may_not_grow() {
        let budget = Budget::unlimited();
        let mut cache = Cache::new(budget.lease(), budget.lease()).unwrap();
        cache.limit(0, 0);
        let mut pressures = Pressures::on(&cache);
        for _ in 0..STARVED {
            cache.narrow.grow(&mut pressures.narrow, 1);
            cache.wide.grow(&mut pressures.wide, 1);
        }
        assert!(!pressures.is_starved());
        let mut other = pressures;
        cache.narrow.grow(&mut pressures.narrow, 1);
        assert!(pressures.is_starved());
        cache.wide.grow(&mut other.wide, 1);
        assert!(other.is_starved());
        other.reset_refusals();
        assert!(!other.is_starved());
    }

    /// Growing and sweeping give the same table on any number of threads.
    #[test]
    #[cfg_attr(miri, ignore = "a table worth dividing takes too long")]
    fn several_threads_make_the_same_table() {
        const LENGTH: usize = 1 << 18;
        let after = |threads: usize| {
            let mut table = DirectMapped::<Narrow>::new(Budget::unlimited().lease()).unwrap();
            while table.cells.len() < LENGTH {
                let mut pressure = Pressure::on(table.cells.len());
                table.grow(&mut pressure, threads);
            }
            for i in 1..LENGTH as u32 {
                table.put([1, i, i / 2, 7], false);
            }
            let mut pressure = Pressure::on(LENGTH);
            table.grow(&mut pressure, threads);
            let is_there = |i: u32| table.get([1, i, i / 2, 0], false) == Some(7);
            let before = (1..LENGTH as u32).filter(|i| is_there(*i)).count();
            table.retain(threads, |entry| entry[1] % 3 == 0);
            let is_there = |i: &u32| table.get([1, *i, i / 2, 0], false) == Some(7);
            let found: Vec<u32> = (1..LENGTH as u32).filter(is_there).collect();
            assert!(found.iter().all(|i| i % 3 == 0));
            (before, found)
        };
        let alone = after(1);
        // With as many insertions as slots, about two thirds of the entries are overwritten.
        assert!(alone.0 > LENGTH / 2 && alone.1.len() > LENGTH / 6);
        assert_eq!(after(2), alone);
        assert_eq!(after(5), alone);
    }
}
