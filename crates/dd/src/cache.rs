//! The operation cache: what an operation returned for these arguments.
//!
//! Two direct-mapped tables. The *narrow* one has entries of 16 bytes for operations on two
//! words (two nodes; a node and a scope), whose operation word also carries the event chain. The
//! *wide* one has entries of 32 bytes for operations under a filter, whose results depend on
//! scopes and residuals too, and for operations of other crates. A table doubles when half of
//! it was overwritten since it last grew: what decides is the number of evictions, not the
//! number of nodes. Beyond a size that is in proportion to the nodes it is reluctant, because memory
//! that is far away costs time too: it then doubles when it was overwritten twice. A table that
//! the budget does not let grow stays as it is; when it has been overwritten dozens of times
//! in one operation, nearly everything is computed again and again, and the operation is
//! *starved*: it gives up for want of memory instead of going on without end.
//!
//! Entries own nothing. A collection keeps those whose nodes and scopes all live.

use crate::kernel::NodeId;
use lariat_budget::{Lease, Stop};

/// Bits of an operation word that are left for an event chain.
pub(crate) const CHAIN_BITS: u32 = 26;

/// Which operation a cache entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Op {
    Union = 1,
    Intersection,
    Difference,
    Subset,
    Project,
    Saturate,
    Fire,
    Image,
    ImageAll,
    Enabled,
    Dead,
}

impl Op {
    #[inline]
    pub fn word(self, chain: u32) -> u32 {
        (self as u32) << CHAIN_BITS | chain
    }
}

/// What the second key word of a narrow entry is.
fn second_is_node(word: u32) -> bool {
    word >> CHAIN_BITS <= Op::Subset as u32
}

/// The key of a wide entry: an operation word and five arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WideKey {
    pub op: u32,
    pub words: [u32; 5],
}

/// What the words of a wide key mean to a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Bit `i` is set if word `i` is a node.
    pub nodes: u8,
    /// Bit `i` is set if word `i` is a scope.
    pub scopes: u8,
    /// Bit `i` is set if result `i` is a node.
    pub results: u8,
}

trait Entry: Copy + Default {
    fn is_empty(&self) -> bool;
    fn hash(&self) -> u64;
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

/// `[first, second, operation, result]`
type Narrow = [u32; 4];

impl Entry for Narrow {
    #[inline]
    fn is_empty(&self) -> bool {
        self[2] == 0
    }
    #[inline]
    fn hash(&self) -> u64 {
        mix(mix(self[2] as u64, pair(self[0], self[1])), 0x51)
    }
}

/// `[operation, five words, two results]`
type Wide = [u32; 8];

impl Entry for Wide {
    #[inline]
    fn is_empty(&self) -> bool {
        self[0] == 0
    }
    #[inline]
    fn hash(&self) -> u64 {
        let low = mix(pair(self[0], self[1]), 0x51);
        mix(mix(low, pair(self[2], self[3])), pair(self[4], self[5]))
    }
}

/// Entries of a new table.
const SMALLEST: usize = 1 << 10;

/// Refusals, one for half a table of evictions each, that an operation puts up with.
const STARVED: usize = 64;

struct Table<E> {
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

impl<E: Entry> Table<E> {
    fn new(mut lease: Lease) -> Result<Table<E>, Stop> {
        lease.resize(SMALLEST * size_of::<E>())?;
        Ok(Table {
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
    narrow: Table<Narrow>,
    wide: Table<Wide>,
    shapes: Vec<Shape>,
    pub lookups: u64,
    pub hits: u64,
}

impl Cache {
    pub fn new(narrow: Lease, wide: Lease) -> Result<Cache, Stop> {
        Ok(Cache {
            narrow: Table::new(narrow)?,
            wide: Table::new(wide)?,
            shapes: Vec::new(),
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

    /// A new wide operation; its word still has room for a chain.
    pub fn operation(&mut self, shape: Shape) -> u32 {
        self.shapes.push(shape);
        assert!(
            self.shapes.len() < 1 << (32 - CHAIN_BITS),
            "operations are declared once per store"
        );
        (self.shapes.len() as u32) << CHAIN_BITS
    }

    #[inline]
    pub fn get(&mut self, op: u32, a: u32, b: u32) -> Option<NodeId> {
        self.lookups += 1;
        let entry = self.narrow.entries[self.narrow.slot(&[a, b, op, 0])];
        if entry[0] == a && entry[1] == b && entry[2] == op {
            self.hits += 1;
            Some(NodeId(entry[3]))
        } else {
            None
        }
    }

    #[inline]
    pub fn put(&mut self, op: u32, a: u32, b: u32, result: NodeId) {
        self.narrow.put([a, b, op, result.0]);
    }

    #[inline]
    pub fn get_wide(&mut self, key: &WideKey) -> Option<[u32; 2]> {
        self.lookups += 1;
        let [a, b, c, d, e] = key.words;
        let probe = [key.op, a, b, c, d, e, 0, 0];
        let entry = &self.wide.entries[self.wide.slot(&probe)];
        if entry[..6] == probe[..6] {
            self.hits += 1;
            Some([entry[6], entry[7]])
        } else {
            None
        }
    }

    #[inline]
    pub fn put_wide(&mut self, key: &WideKey, result: [u32; 2]) {
        let [a, b, c, d, e] = key.words;
        self.wide.put([key.op, a, b, c, d, e, result[0], result[1]]);
    }

    /// Drops what mentions a dead node or a closed scope.
    pub fn sweep(&mut self, alive: impl Fn(NodeId) -> bool, open: impl Fn(u32) -> bool) {
        self.narrow.retain(|&[a, b, op, result]| {
            alive(NodeId(a))
                && alive(NodeId(result))
                && if second_is_node(op) {
                    alive(NodeId(b))
                } else {
                    open(b)
                }
        });
        let shapes = &self.shapes;
        self.wide.retain(|entry| {
            let shape = shapes[(entry[0] >> CHAIN_BITS) as usize - 1];
            let fits = |bits: u8, words: &[u32], good: &dyn Fn(u32) -> bool| {
                words
                    .iter()
                    .enumerate()
                    .all(|(i, &word)| bits >> i & 1 == 0 || good(word))
            };
            fits(shape.nodes, &entry[1..6], &|word| alive(NodeId(word)))
                && fits(shape.scopes, &entry[1..6], &open)
                && fits(shape.results, &entry[6..8], &|word| alive(NodeId(word)))
        });
    }
}
