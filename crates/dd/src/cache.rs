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

use crate::kernel::{
    Audit, Audits, CacheKey, CacheValue, NARROW_WORDS, NodeId, Operation, REGISTRY, Registry,
    ScopeId, WIDE_WORDS,
};
use lariat_budget::{Lease, Stop};

/// An entry: the tag and chain, the words of the key, the words of the result.
trait CacheEntry: Copy + Default {
    /// How many words of the key there are.
    const WORDS: usize;

    fn hash(&self) -> u64;
    fn all_words(&self) -> &[u32];

    #[inline]
    fn is_empty(&self) -> bool {
        self.all_words()[0] == 0
    }

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

/// `[tag and chain, two words, result]`
type Narrow = [u32; 4];

impl CacheEntry for Narrow {
    const WORDS: usize = NARROW_WORDS;

    #[inline]
    fn hash(&self) -> u64 {
        mix(mix(self[0] as u64, pair(self[1], self[2])), 0x51)
    }

    #[inline]
    fn all_words(&self) -> &[u32] {
        self
    }
}

/// `[tag and chain, five words, two words of the result]`
type Wide = [u32; 8];

impl CacheEntry for Wide {
    const WORDS: usize = WIDE_WORDS;

    #[inline]
    fn hash(&self) -> u64 {
        let low = mix(pair(self[0], self[1]), 0x51);
        mix(mix(low, pair(self[2], self[3])), pair(self[4], self[5]))
    }

    #[inline]
    fn all_words(&self) -> &[u32] {
        self
    }
}

/// Entries of a new table.
const SMALLEST: usize = 1 << 10;

/// Refusals, one for half a table of evictions each, that an operation puts up with.
const STARVED: usize = 64;

struct DirectMapped<E> {
    entries: Vec<E>,
    /// Entries overwritten since the table last grew, and at how many it asks to grow again.
    evictions: usize,
    ask_at: usize,
    /// Entries up to which the table grows readily, and those it may have at most.
    ready: usize,
    most: usize,
    /// How often the budget refused since the last operation began.
    refused: usize,
    lease: Lease,
}

impl<E: CacheEntry> DirectMapped<E> {
    fn new(mut lease: Lease) -> Result<DirectMapped<E>, Stop> {
        lease.resize(SMALLEST * size_of::<E>())?;
        Ok(DirectMapped {
            entries: vec![E::default(); SMALLEST],
            evictions: 0,
            ask_at: SMALLEST / 2,
            ready: usize::MAX,
            most: usize::MAX,
            refused: 0,
            lease,
        })
    }

    #[inline]
    fn slot(&self, entry: &E) -> usize {
        entry.hash() as usize & (self.entries.len() - 1)
    }

    #[inline]
    fn put(&mut self, entry: E) {
        if self.evictions > self.ask_at {
            self.grow();
        }
        let at = self.slot(&entry);
        self.evictions += !self.entries[at].is_empty() as usize;
        self.entries[at] = entry;
    }

    /// Doubles the table in place: what was in slot `i` goes to `i` or to `i + length`.
    #[cold]
    fn grow(&mut self) {
        let length = self.entries.len();
        if length * 2 > self.ready && self.evictions < length * 2 {
            self.ask_at += length / 2;
            return;
        }
        let bytes = length * 2 * size_of::<E>();
        if length * 2 > self.most || self.lease.resize(bytes).is_err() {
            self.ask_at += length / 2;
            self.refused += 1;
            return;
        }
        self.evictions = 0;
        self.ask_at = length;
        self.entries.reserve_exact(length);
        self.entries.resize(length * 2, E::default());
        for at in 0..length {
            let entry = self.entries[at];
            let to = self.slot(&entry);
            if to != at && !entry.is_empty() {
                self.entries[to] = entry;
                self.entries[at] = E::default();
            }
        }
    }

    fn retain(&mut self, keep: impl Fn(&E) -> bool) {
        for entry in &mut self.entries {
            if !entry.is_empty() && !keep(entry) {
                *entry = E::default();
            }
        }
    }
}

pub(crate) struct Cache {
    narrow: DirectMapped<Narrow>,
    wide: DirectMapped<Wide>,
    pub registry: Registry,
    pub lookups: u64,
    pub hits: u64,
}

impl Cache {
    pub fn new(narrow: Lease, wide: Lease) -> Result<Cache, Stop> {
        Ok(Cache {
            narrow: DirectMapped::new(narrow)?,
            wide: DirectMapped::new(wide)?,
            registry: REGISTRY,
            lookups: 0,
            hits: 0,
        })
    }

    pub fn bytes(&self) -> usize {
        self.narrow.entries.len() * size_of::<Narrow>()
            + self.wide.entries.len() * size_of::<Wide>()
    }

    /// From now on each table grows readily up to `ready` bytes, and up to `most` if it must.
    pub fn limit(&mut self, ready: usize, most: usize) {
        self.narrow.ready = ready / size_of::<Narrow>();
        self.wide.ready = ready / size_of::<Wide>();
        self.narrow.most = (most / size_of::<Narrow>()).max(SMALLEST);
        self.wide.most = (most / size_of::<Wide>()).max(SMALLEST);
    }

    /// Has a table that may not grow been overwritten dozens of times?
    pub fn starved(&self) -> bool {
        self.narrow.refused.max(self.wide.refused) > STARVED
    }

    /// Another operation begins.
    pub fn refresh(&mut self) {
        self.narrow.refused = 0;
        self.wide.refused = 0;
    }

    /// What `operation` returned for `key`, if that is remembered.
    #[inline]
    pub fn get<K: CacheKey, V: CacheValue>(
        &mut self,
        operation: Operation<K, V>,
        key: K,
    ) -> Option<V> {
        self.lookups += 1;
        if Operation::<K, V>::IS_NARROW {
            let probe = narrow(operation, key, [0; 2]);
            let entry = self.narrow.entries[self.narrow.slot(&probe)];
            if entry[1] == probe[1] && entry[2] == probe[2] && entry[0] == probe[0] {
                self.hits += 1;
                return Some(V::from_words([entry[3], 0]));
            }
        } else {
            let probe = wide(operation, key, [0; 2]);
            let entry = &self.wide.entries[self.wide.slot(&probe)];
            if entry[..6] == probe[..6] {
                self.hits += 1;
                return Some(V::from_words([entry[6], entry[7]]));
            }
        }
        None
    }

    /// Remembers what `operation` returned for `key`.
    #[inline]
    pub fn put<K: CacheKey, V: CacheValue>(
        &mut self,
        operation: Operation<K, V>,
        key: K,
        value: V,
    ) {
        if Operation::<K, V>::IS_NARROW {
            self.narrow.put(narrow(operation, key, value.to_words()));
        } else {
            self.wide.put(wide(operation, key, value.to_words()));
        }
    }

    /// Drops what mentions a dead node or a closed scope.
    pub fn sweep(&mut self, alive: impl Fn(NodeId) -> bool, open: impl Fn(ScopeId) -> bool) {
        let Registry { narrow, wide } = &self.registry;
        self.narrow
            .retain(|entry| entry.passes(narrow, &alive, &open));
        self.wide.retain(|entry| entry.passes(wide, &alive, &open));
    }
}

/// The entry of the narrow table; the second word of a result is 0.
#[inline(always)]
fn narrow<K: CacheKey, V>(operation: Operation<K, V>, key: K, value: [u32; 2]) -> Narrow {
    let key = key.to_words();
    let [a, b, ..] = key.words;
    [operation.tag | key.chain, a, b, value[0]]
}

/// The entry of the wide table.
#[inline(always)]
fn wide<K: CacheKey, V>(operation: Operation<K, V>, key: K, value: [u32; 2]) -> Wide {
    let key = key.to_words();
    let [a, b, c, d, e] = key.words;
    let [first, second] = value;
    [operation.tag | key.chain, a, b, c, d, e, first, second]
}
