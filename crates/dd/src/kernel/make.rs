//! Making nodes: equal edges give the node that exists, others a new one.
//!
//! This is the only place where memory is asked for on behalf of nodes, and hence the only one
//! where a collection may begin.

use super::{Halt, Kernel, NodeId};
use crate::pool::NodePool;
use lariat_budget::Stop;

/// Words of a node that count as much work as a new node.
const LONG: usize = 64;

/// Collections for want of memory that one operation may ask for when they leave more than half;
/// those that leave more than three quarters count four times.
const SQUEEZES: u32 = 16;

impl Kernel {
    /// Like `make`, but leaves the edges on the stack.
    pub(crate) fn make_kept(&mut self, base: usize) -> Result<NodeId, Halt> {
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
        let (pool, encoded) = (&self.pool, &self.encoded);
        match self.unique.find(hash, |node| pool.holds(node, encoded)) {
            Some(node) => Ok(node),
            None => self.create(hash),
        }
    }

    /// A new node with the edges in `encoded`.
    fn create(&mut self, hash: u32) -> Result<NodeId, Halt> {
        let length = self.encoded.len();
        if self.collect_always || self.pool.occupied() + length > self.collect_at {
            self.pause = self.longest_pause().min(2 * self.pause);
            self.collect();
        }
        if let Some(capacity) = self.unique.wants() {
            let old = self.unique.bytes();
            let new = capacity * 8;
            if self.unique_lease.resize(old + new).is_err() {
                let most = self.unique.count();
                self.collect();
                self.squeezed(self.unique.count(), most)?;
            }
            if self.unique.wants().is_some() {
                self.unique.grow(capacity);
                self.limit_cache();
            }
            // Shrinking never fails.
            let _ = self.unique_lease.resize(self.unique.bytes());
        }
        let at = match self.pool.take(length) {
            Some(at) => at,
            None => self.take_more(length)?,
        };
        let node = NodeId(at as u32);
        self.pool.write(at, &self.encoded);
        self.unique.insert(hash, node);
        self.created += 1;
        // A node with very many edges is more work than one: values may grow without end.
        self.unspent += 1 + (length / LONG) as u64;
        if self.unique.count() > self.peak {
            self.peak = self.unique.count();
            self.peak_words = self.pool.occupied();
        }
        self.tick()?;
        Ok(node)
    }

    /// Grows the pool, or collects if it may not grow.
    #[cold]
    fn take_more(&mut self, length: usize) -> Result<usize, Halt> {
        let old = self.pool.capacity();
        let most = u32::MAX as usize;
        for wish in [old / 4 + (1 << 14), 1 << 14, 0] {
            // One more word than asked, so that offsets stay below the capacity.
            let capacity = (old + length + wish).min(most);
            if capacity < old + length {
                break;
            }
            if self
                .nodes_lease
                .resize(NodePool::bytes_for(capacity))
                .is_ok()
            {
                self.pool.grow(capacity);
                self.limit_cache();
                if let Some(at) = self.pool.take(length) {
                    return Ok(at);
                }
            }
        }
        self.collect();
        self.squeezed(self.pool.occupied(), old)?;
        match self.pool.take(length) {
            Some(at) => Ok(at),
            None => Err(self.halt(Stop::Memory)),
        }
    }

    /// After a collection that had to be: `live` of `all` are left. Ends the operation if that
    /// frees next to nothing, or little again and again; each collection costs as much as
    /// making everything that lives.
    fn squeezed(&mut self, live: usize, all: usize) -> Result<(), Halt> {
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
