//! The operation cache: what an operation returned for these operands.
//!
//! Two direct-mapped tables. The *narrow* one has entries of 16 bytes, for keys of two words and
//! results of one; the *wide* one has entries of 32 bytes, for keys of five words and results of
//! two: operations under a filter, which depend on scopes and residuals too. Which table an operation
//! uses follows from [the types of its key and result](crate::kernel::Operation). The first word of
//! an entry is the operation's tag together with an event chain.
//!
//! A table doubles when half of it was overwritten since it last grew: what decides is the number of
//! evictions, not the number of nodes. Beyond a size that is in proportion to the nodes it is
//! reluctant, because memory that is far away costs time too: it then doubles when it was overwritten
//! twice. A table that the budget does not let grow stays as it is; when it has been overwritten
//! dozens of times in one operation, nearly everything is computed again and again, and the operation
//! is *starved*: it gives up for want of memory instead of going on without end.
//!
//! Entries own nothing. A collection keeps those whose nodes and scopes all live.
//!
//! # Workers
//!
//! All workers use the same tables: with tables of their own they would do nearly all work twice. Where there are several, an
//! entry is guarded by a [version](Versions), one for some dozens of entries, in an array beside the table. So entries are no larger
//! than they must be, which is what counts where most look-ups hit, and a single worker, which needs no
//! versions, does not look at them: it reads and writes entries as if they were its own. The state of growth belongs to each worker
//! ([`Pressure`]); a put may not wait for the others, so a worker that wants a table to grow remembers that until
//! it makes the next node.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::kernel::{
    Audit, Audits, CacheKey, CacheValue, NARROW_WORDS, NodeId, Operation, REGISTRY, Registry,
    ScopeId, WIDE_WORDS,
};
use lariat_budget::{Lease, Stop};
use lariat_parallel::{Versions, divide, shares};

/// An entry: the tag and chain, the words of the key, the words of the result.
pub(crate) trait CacheEntry: Copy + Default {
    /// How many words of the key there are.
    const WORDS: usize;

    /// An entry as it lies in the table; no entry at first, whose first word is 0.
    type Cell: Default + Send + Sync;

    fn hash(&self) -> u64;
    fn all_words(&self) -> &[u32];

    /// The first word, as it lies in the table.
    fn first(cell: &Self::Cell) -> &AtomicU64;

    fn store(&self, cell: &Self::Cell);
    fn load(cell: &Self::Cell) -> Self;

    /// The result in `cell`, if its key is this one's: two words as one, the first of them lowest, which stays in a register.
    fn find(&self, cell: &Self::Cell) -> Option<u64>;

    /// Do all nodes and scopes in it live?
    #[inline]
    fn passes(
        &self,
        audits: &Audits,
        alive: impl Fn(NodeId) -> bool,
        open: impl Fn(ScopeId) -> bool,
    ) -> bool {
        let words = self.all_words();
        let Audit {
            nodes,
            scopes,
            result_is_node,
        } = audits.of(words[0]);
        let is_in = |bits: u8, at: usize| bits >> at & 1 == 1;
        let (key, result) = words[1..].split_at(Self::WORDS);
        (!result_is_node || alive(NodeId(result[0])))
            && key.iter().enumerate().all(|(at, &word)| {
                (!is_in(nodes, at) || alive(NodeId(word)))
                    && (!is_in(scopes, at) || open(ScopeId(word)))
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

impl CacheEntry for Narrow {
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

impl CacheEntry for Wide {
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

/// Refusals, one for half a table of evictions each, that an operation puts up with.
const STARVED: usize = 64;

/// Bytes of entries that one version guards: 64 to 16 KiB make sense. A version for every line of the processor's caches would be read from as far away as the line
/// itself, while a few hundred kilobytes of them stay near. With a second thread `sog` on sixteen philosophers is faster by 1.32 with
/// 64 bytes, 1.37 with 512 and 1.53 with these; what two workers write to one version at a time is too little to matter.
const GUARDED: usize = 2 << 10;

/// How much a worker misses a larger table.
#[derive(Clone, Copy)]
pub(crate) struct Pressure {
    /// Entries of the table that this is about.
    length: usize,
    /// Entries overwritten since the table last grew, and at how many to ask for a larger one.
    evictions: usize,
    ask_at: usize,
    /// How often the budget refused since the last operation began.
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

    /// Is it time to ask for a larger table?
    #[inline]
    pub fn is_high(&self) -> bool {
        self.evictions > self.ask_at
    }

    /// Counts an entry that was overwritten; other workers of as many as `weight` in all have overwritten others.
    #[inline]
    pub fn count(&mut self, evicted: bool, weight: usize) {
        self.evictions += weight * evicted as usize;
    }

    /// Asks again later.
    fn bear(&mut self) {
        self.ask_at += self.length / 2;
    }
}

/// The pressures of one worker on both tables.
#[derive(Clone, Copy)]
pub(crate) struct Pressures {
    pub narrow: Pressure,
    pub wide: Pressure,
}

impl Pressures {
    pub fn on(cache: &Cache) -> Pressures {
        Pressures {
            narrow: Pressure::on(cache.narrow.cells.len()),
            wide: Pressure::on(cache.wide.cells.len()),
        }
    }

    /// After a meeting: what was about a table that has grown is forgotten.
    pub fn review(&mut self, cache: &Cache) {
        let new = Pressures::on(cache);
        if new.narrow.length != self.narrow.length {
            self.narrow = new.narrow;
        }
        if new.wide.length != self.wide.length {
            self.wide = new.wide;
        }
    }

    /// Has a table that may not grow been overwritten dozens of times?
    pub fn starve(&self) -> bool {
        self.narrow.refused.max(self.wide.refused) > STARVED
    }

    /// Another operation begins.
    pub fn refresh(&mut self) {
        self.narrow.refused = 0;
        self.wide.refused = 0;
    }
}

/// Entries by hash.
pub(crate) struct DirectMapped<E: CacheEntry> {
    cells: Vec<E::Cell>,
    /// None while there is but one worker.
    versions: Versions,
    /// Entries up to which the table grows readily, and those it may have at most.
    ready: usize,
    most: usize,
    lease: Lease,
}

impl<E: CacheEntry> DirectMapped<E> {
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

    /// Which version guards the entry in `slot`.
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

    /// What was found may be mixed of two entries. That nothing was found does no harm, so that versions, which others write, are looked at
    /// where something was. Out of the way of a single worker, whose look-ups are short enough to be inlined.
    #[inline(never)]
    fn get_guarded(&self, probe: E, slot: usize) -> Option<u64> {
        let find = || probe.find(&self.cells[slot]);
        self.versions.read(Self::guard(slot), find).flatten()
    }

    /// Puts `entry` in its slot. True if there was another.
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

    /// Is the table large enough for now? If so, `pressure` asks again later.
    pub fn suffices(&self, pressure: &mut Pressure) -> bool {
        let length = self.cells.len();
        let suffices = length * 2 > self.ready && pressure.evictions < length * 2;
        if suffices {
            pressure.bear();
        }
        suffices
    }

    /// Doubles the table in place, unless it has grown already: what was in slot `i` goes to `i` or to `i + length`.
    /// As many threads as `hands` do it.
    pub fn grow(&mut self, pressure: &mut Pressure, hands: usize) {
        let length = self.cells.len();
        if length != pressure.length {
            *pressure = Pressure::on(length);
            return;
        }
        let versions = self.versions.count() * 2;
        let bytes = Self::bytes_for(length * 2) + versions * 4;
        if length * 2 > self.most || self.lease.resize(bytes).is_err() {
            pressure.bear();
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
        divide(shares(length, hands), hands, |part| {
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

    /// From now on there may be several workers.
    fn share(&mut self) -> Result<(), Stop> {
        let length = self.cells.len();
        let versions = Self::guard(length);
        if self.versions.count() < versions {
            self.lease.resize(Self::bytes_for(length) + versions * 4)?;
            self.versions = Versions::new(versions);
        }
        Ok(())
    }

    fn retain(&mut self, hands: usize, keep: impl Fn(&E) -> bool + Sync) {
        divide(shares(self.cells.len(), hands), hands, |part| {
            for cell in &self.cells[part] {
                if look(E::first(cell)) != 0 && !keep(&E::load(cell)) {
                    E::default().store(cell);
                }
            }
        });
    }
}

fn cells<E: CacheEntry>(length: usize) -> Vec<E::Cell> {
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

    /// No cache at all.
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

    /// From now on each table grows readily up to `ready` bytes, and up to `most` if it must.
    pub fn limit(&mut self, ready: usize, most: usize) {
        self.narrow.ready = ready / size_of::<Narrow>();
        self.wide.ready = ready / size_of::<Wide>();
        self.narrow.most = (most / size_of::<Narrow>()).max(SMALLEST);
        self.wide.most = (most / size_of::<Wide>()).max(SMALLEST);
    }

    /// From now on there may be several workers.
    pub fn share(&mut self) -> Result<(), Stop> {
        self.narrow.share()?;
        self.wide.share()
    }

    /// What `operation` returned for `key`, if that is remembered; `several` workers look for the versions of entries.
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

    /// Drops what mentions a dead node or a closed scope.
    pub fn sweep(
        &mut self,
        hands: usize,
        alive: impl Fn(NodeId) -> bool + Sync,
        open: impl Fn(ScopeId) -> bool + Sync,
    ) {
        let Registry { narrow, wide } = &self.registry;
        self.narrow
            .retain(hands, |entry| entry.passes(narrow, &alive, &open));
        self.wide
            .retain(hands, |entry| entry.passes(wide, &alive, &open));
    }
}

/// The entry of the narrow table; the second word of a result is 0.
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

/// The entry of the wide table.
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

    /// Refusals that nobody counts would let an operation compute everything again and again.
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
        assert!(!pressures.starve());
        let mut other = pressures;
        cache.narrow.grow(&mut pressures.narrow, 1);
        assert!(pressures.starve());
        cache.wide.grow(&mut other.wide, 1);
        assert!(other.starve());
        other.refresh();
        assert!(!other.starve());
    }

    /// Whoever goes through a table, alone or with others, leaves the same.
    #[test]
    #[cfg_attr(miri, ignore = "a table worth dividing takes too long")]
    fn several_hands_make_the_same_table() {
        const LENGTH: usize = 1 << 18;
        let after = |hands: usize| {
            let mut table = DirectMapped::<Narrow>::new(Budget::unlimited().lease()).unwrap();
            while table.cells.len() < LENGTH {
                let mut pressure = Pressure::on(table.cells.len());
                table.grow(&mut pressure, hands);
            }
            for i in 1..LENGTH as u32 {
                table.put([1, i, i / 2, 7], false);
            }
            let mut pressure = Pressure::on(LENGTH);
            table.grow(&mut pressure, hands);
            let is_there = |i: u32| table.get([1, i, i / 2, 0], false) == Some(7);
            let before = (1..LENGTH as u32).filter(|i| is_there(*i)).count();
            table.retain(hands, |entry| entry[1] % 3 == 0);
            let is_there = |i: &u32| table.get([1, *i, i / 2, 0], false) == Some(7);
            let found: Vec<u32> = (1..LENGTH as u32).filter(is_there).collect();
            assert!(found.iter().all(|i| i % 3 == 0));
            (before, found)
        };
        let alone = after(1);
        // Of as many entries as slots two of three meet nobody, or come last.
        assert!(alone.0 > LENGTH / 2 && alone.1.len() > LENGTH / 6);
        assert_eq!(after(2), alone);
        assert_eq!(after(5), alone);
    }
}
