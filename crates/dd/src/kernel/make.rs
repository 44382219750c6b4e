//! Making nodes: equal edges give the node that exists, others a new one.
//!
//! This is the only place where memory is asked for on behalf of nodes, and hence the only one
//! where a collection may begin and workers [meet](super::meeting).

use super::{Halt, Kernel, NodeId};
use crate::pool::Stretches;
use crate::tables::Tables;
use lariat_budget::Stop;

/// Words of a node that count as much work as a new node.
const LONG: usize = 64;

/// Collections for want of memory that one operation may ask for when they leave more than half;
/// those that leave more than three quarters count four times.
const SQUEEZES: u32 = 16;

/// Where tests ask for it, collections of every store that take place before a node whether they are needed or not. They go through all tables, so that to go on
/// like this would take hours where tables have grown.
const MANY: u64 = 1 << 12;

/// What of the tables is set aside for one worker, and what it has made of it. Worth nothing after a meeting.
#[derive(Default)]
pub(super) struct Reserve {
    stretches: Stretches,
    permits: usize,
    /// Nodes and their words that the tables have not been told of.
    nodes: usize,
    words: usize,
}

impl Reserve {
    /// Tells the tables what was made.
    pub fn report(&mut self, tables: &Tables) {
        // Others count there, too: nothing is said if there is nothing to say.
        if self.nodes > 0 {
            tables.unique.report(std::mem::take(&mut self.nodes));
            tables.pool.occupy(std::mem::take(&mut self.words));
        }
    }

    /// Nodes and their words that the tables have not been told of.
    pub fn unreported(&self) -> (usize, usize) {
        (self.nodes, self.words)
    }
}

impl Kernel {
    /// Like `make`, but leaves the edges on the stack.
    pub(crate) fn make_kept(&mut self, base: usize) -> Result<NodeId, Halt> {
        if self.several && (self.tables.is_wanted() || self.cramped) {
            self.make_way();
        }
        let edges = &self.stack[base..];
        let Some(&(last, _)) = edges.last() else {
            return Ok(NodeId::EMPTY);
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
        let equal = |node| tables.pool.holds(NodeId(node), encoded);
        match tables.unique.slots.seek(hash, equal) {
            Ok(node) => Ok(NodeId(node)),
            Err(slot) => self.create(hash, slot),
        }
    }

    /// A new node with the edges in `encoded`, which was looked for as far as `slot`.
    fn create(&mut self, hash: u32, slot: usize) -> Result<NodeId, Halt> {
        let length = self.encoded.len();
        let mut from = Some(slot);
        let seen = self.tables.collections;
        let early = cfg!(feature = "collect-always") && seen < MANY;
        let always = self.collect_always || early;
        if always || self.is_full(length) {
            self.pause = self.longest_pause().min(2 * self.pause);
            self.collect_unless(|now| now != seen && !always);
            from = None;
        }
        let at = match self.room(length) {
            Some(at) => at,
            None => {
                from = None;
                self.more_room(length)?
            }
        };
        self.tables.pool.write(at, &self.encoded);
        let (tables, encoded) = (&*self.tables, &self.encoded);
        let equal = |node| tables.pool.holds(NodeId(node), encoded);
        let (slots, id) = (&tables.unique.slots, at as u32);
        let faster = match from {
            Some(slot) if !self.several => {
                slots.fill(slot, hash, id);
                None
            }
            Some(slot) => slots.claim_from(slot, hash, id, equal),
            // There was a meeting: nothing need be where it was.
            None => slots.claim(hash, id, equal),
        };
        if let Some(node) = faster {
            self.reserve.stretches.untake(length);
            return Ok(NodeId(node));
        }
        self.reserve.permits -= 1;
        self.reserve.nodes += 1;
        self.reserve.words += length;
        self.counted.created += 1;
        // A node with very many edges is more work than one: values may grow without end.
        self.unspent += 1 + (length / LONG) as u64;
        self.tick()?;
        Ok(NodeId(at as u32))
    }

    /// Is it time for a collection before `length` more words?
    #[inline]
    fn is_full(&self, length: usize) -> bool {
        let occupied = self.tables.pool.occupied() + self.reserve.words;
        occupied + length > self.tables.collect_at
    }

    /// A slot in the unique table and `length` words in the pool, if they are set aside.
    #[inline]
    fn room(&mut self, length: usize) -> Option<usize> {
        match self.reserve.permits {
            0 => None,
            _ => self.reserve.stretches.take(length),
        }
    }

    /// The same, whatever has to grow or to be collected for that.
    #[cold]
    fn more_room(&mut self, length: usize) -> Result<usize, Halt> {
        let limit = self.budget.byte_limit();
        let mut collected = false;
        loop {
            let seen = self.tables.collections;
            self.reserve.report(&self.tables);
            if self.reserve.permits == 0 {
                self.reserve.permits = self.tables.unique.permits();
            }
            if self.reserve.permits == 0 {
                if !self.alone(|tables| tables.grow_unique(limit))
                    && let Some(done) = self.collect_unless(|now| now != seen)
                {
                    self.squeezed(done.nodes)?;
                }
                continue;
            }
            if let Some(at) = self.reserve.stretches.take(length) {
                return Ok(at);
            }
            let was = self.tables.pool.capacity();
            if self.tables.pool.refill(&mut self.reserve.stretches, length)
                || self.alone(|tables| tables.grow_pool(was, length, limit))
            {
                continue;
            }
            if collected {
                return Err(self.halt(Stop::Memory));
            }
            if let Some(done) = self.collect_unless(|now| now != seen) {
                collected = true;
                self.squeezed((was, done.words.1))?;
            }
        }
    }

    /// After a collection that had to be: of `all`, `live` are left. Ends the operation if that
    /// frees next to nothing, or little again and again; each collection costs as much as
    /// making everything that lives.
    fn squeezed(&mut self, (all, live): (usize, usize)) -> Result<(), Halt> {
        self.squeezes += match live {
            _ if live > all - all / 4 => 4,
            _ if live > all / 2 => 1,
            _ => 0,
        };
        if live > all - all / 8 || self.squeezes > SQUEEZES {
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
