//! Creating nodes: equal edges give the existing node, others a new one.
//!
//! Only this module allocates memory for nodes. Hence only here collections start, and only here
//! workers [yield](super::meeting) to exclusive access.

use super::collect::Collected;
use super::{DdNode, Halt, Kernel};
use crate::pool::Stretches;
use crate::tables::StoreTables;
use lariat_budget::Stop;

/// Number of words of a node that counts as one further node of work.
const LONG: usize = 64;

/// Limit on collections due to refused memory in one operation that leave more than half alive;
/// those that leave more than three quarters count four times.
const SQUEEZES: u32 = 16;

/// Limit on forced collections per store in tests. Each walks all tables, so forcing more of them
/// would take hours once the tables are large.
const MANY: u64 = 1 << 12;

/// Memory of the tables reserved for one worker, and its use. Void after an exclusive section.
#[derive(Default)]
pub(super) struct Reserve {
    stretches: Stretches,
    permits: usize,
    /// Nodes and their words not yet reported to the tables.
    pub nodes: usize,
    pub words: usize,
}

impl Reserve {
    /// Reports new nodes to the tables.
    pub fn report(&mut self, tables: &StoreTables) {
        // The counters are shared, so needless writes are avoided.
        if self.nodes > 0 {
            tables.unique.report(std::mem::take(&mut self.nodes));
            tables.pool.report_words(std::mem::take(&mut self.words));
        }
    }
}

impl Kernel {
    /// Like `make`, but keeps the edges on the stack.
    pub(crate) fn make_kept(&mut self, base: usize) -> Result<DdNode, Halt> {
        if self.peers.several && (self.tables.is_wanted() || self.pressures.growth_wanted) {
            self.yield_to_writer();
        }
        let edges = &self.stack[base..];
        let Some(&(last, _)) = edges.last() else {
            return Ok(DdNode::EMPTY);
        };
        debug_assert!(edges.windows(2).all(|pair| pair[0].0 < pair[1].0));
        debug_assert!(edges.iter().all(|edge| !edge.1.is_empty()));
        let count = edges.len();
        let encoded = &mut self.encoded;
        encoded.clear();
        if (last as usize) < 2 * count {
            encoded.resize(last as usize + 2, 0);
            encoded[0] = (last + 1) << 1;
            for &(value, child) in edges {
                encoded[value as usize + 1] = child.0;
            }
        } else {
            encoded.push((count as u32) << 1 | 1);
            for &(value, child) in edges {
                encoded.extend([value, child.0]);
            }
        }
        let hash = hash_of(encoded);
        let (tables, encoded) = (&*self.tables, &self.encoded);
        let equal = |node| tables.pool.holds(DdNode(node), encoded);
        match tables.unique.slots.seek(hash, equal) {
            Ok(node) => Ok(DdNode(node)),
            Err(slot) => self.create(hash, slot),
        }
    }

    /// Creates a node with the edges in `encoded`, which were looked up as far as `slot`.
    fn create(&mut self, hash: u32, slot: usize) -> Result<DdNode, Halt> {
        let length = self.encoded.len();
        let mut from = Some(slot);
        let seen = self.tables.collections;
        let early = cfg!(feature = "collect-always") && seen < MANY;
        let always = self.options.collect_always || early;
        if always || self.is_full(length) {
            self.pacing.pause = self.longest_pause().min(2 * self.pacing.pause);
            let collected = self.collect_unless(|now| now != seen && !always);
            collected.map_err(|stop| self.halt(stop))?;
            from = None;
        }
        let at = match self.allocate(length) {
            Some(at) => at,
            None => {
                from = None;
                self.allocate_slowly(length)?
            }
        };
        self.tables.pool.write(at, &self.encoded);
        let (tables, encoded) = (&*self.tables, &self.encoded);
        let equal = |node| tables.pool.holds(DdNode(node), encoded);
        let (slots, id) = (&tables.unique.slots, at as u32);
        let faster = match from {
            Some(slot) if !self.peers.several => {
                slots.fill(slot, hash, id);
                None
            }
            Some(slot) => slots.claim_from(slot, hash, id, equal),
            // An exclusive section invalidates the slot.
            None => slots.claim(hash, id, equal),
        };
        if let Some(node) = faster {
            self.reserve.stretches.give_back(length);
            return Ok(DdNode(node));
        }
        self.reserve.permits -= 1;
        self.reserve.nodes += 1;
        self.reserve.words += length;
        self.counters.pending.created += 1;
        // A node with very many edges counts as several, since values may grow without bound.
        self.work.unspent += 1 + (length / LONG) as u64;
        self.tick()?;
        Ok(DdNode(at as u32))
    }

    /// Returns whether a collection is due before `length` more words.
    #[inline]
    fn is_full(&self, length: usize) -> bool {
        let occupied = self.tables.pool.occupied() + self.reserve.words;
        occupied + length > self.tables.collect_at
    }

    /// Takes a permit for the unique table and `length` words of the pool from the reserve.
    #[inline]
    fn allocate(&mut self, length: usize) -> Option<usize> {
        match self.reserve.permits {
            0 => None,
            _ => self.reserve.stretches.take(length),
        }
    }

    /// Like `allocate`, growing or collecting as necessary.
    #[cold]
    fn allocate_slowly(&mut self, length: usize) -> Result<usize, Halt> {
        let limit = self.work.budget.byte_limit();
        let mut collected = false;
        loop {
            let seen = self.tables.collections;
            self.reserve.report(&self.tables);
            if self.reserve.permits == 0 {
                self.reserve.permits = self.tables.unique.permits();
            }
            if self.reserve.permits == 0 {
                if !self.exclusively(|tables| tables.grow_unique(limit))?
                    && let Some(done) = self.collect_since(seen)?
                {
                    self.count_squeeze(done.nodes.0, done.nodes.1)?;
                }
                continue;
            }
            if let Some(at) = self.reserve.stretches.take(length) {
                return Ok(at);
            }
            let was = self.tables.pool.capacity();
            if self.tables.pool.refill(&mut self.reserve.stretches, length)
                || self.exclusively(|tables| tables.grow_pool(was, length, limit))?
            {
                continue;
            }
            if collected {
                return Err(self.halt(Stop::Memory));
            }
            if let Some(done) = self.collect_since(seen)? {
                collected = true;
                self.count_squeeze(was, done.words.1)?;
            }
        }
    }

    /// Runs `work` with exclusive access, or ends the operation.
    fn exclusively<R>(&mut self, work: impl FnOnce(&mut StoreTables) -> R) -> Result<R, Halt> {
        self.with_exclusive(work).map_err(|stop| self.halt(stop))
    }

    /// Collects garbage unless there was a collection since there were `seen`.
    fn collect_since(&mut self, seen: u64) -> Result<Option<Collected>, Halt> {
        let collected = self.collect_unless(|now| now != seen);
        collected.map_err(|stop| self.halt(stop))
    }

    /// Counts a collection due to refused memory that left `live` of `all`. Ends the operation if
    /// it freed next to nothing, or too little too often: a collection costs as much as creating
    /// all live nodes.
    fn count_squeeze(&mut self, all: usize, live: usize) -> Result<(), Halt> {
        self.pacing.squeezes += match live {
            _ if live > all - all / 4 => 4,
            _ if live > all / 2 => 1,
            _ => 0,
        };
        if live > all - all / 8 || self.pacing.squeezes > SQUEEZES {
            return Err(self.halt(Stop::Memory));
        }
        Ok(())
    }
}

#[inline]
fn hash_of(words: &[u32]) -> u32 {
    let mut hash = 0u64;
    let (pairs, rest) = words.as_chunks::<2>();
    for pair in pairs {
        hash = stir(hash, pair[0] as u64 | (pair[1] as u64) << 32);
    }
    if let [last] = rest {
        hash = stir(hash, *last as u64);
    }
    (hash >> 32) as u32
}

#[inline]
fn stir(hash: u64, word: u64) -> u64 {
    let product = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}
