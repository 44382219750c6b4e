//! The hash index from contents to ids that every store uses.
//!
//! Open addressing with linear probing over 32-bit slots. A slot holds the id plus one in its low
//! bits, as many as the table has address bits, and the upper bits of a 32-bit hash above them, so
//! that almost every item that is compared is a match. The index does not hold the items: their
//! owner compares them, and recomputes their hashes when the table grows. The old table is freed
//! first, so that the two never coexist.
//!
//! Cost: 5⅓ to 10⅔ bytes per item.

use lariat_budget::{Budget, Lease, Stop};
use std::hint::black_box;

const LEAST_BITS: u32 = 10;
/// Items inserted into a grown table between two polls of the budget: about a millisecond.
const ITEMS_PER_CHECK: usize = 1 << 15;
/// Items whose slots are requested together while a table grows; more than the outstanding memory
/// requests of a processor.
const AT_ONCE: usize = 32;

const PAGE: usize = 4096 / size_of::<u32>();

/// A table with fewer slots fits into the cache and is not prefetched.
const LEAST_TOUCHED: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct HashIndex {
    slots: Vec<u32>,
    budget: Budget,
    lease: Lease,
}

impl HashIndex {
    pub fn new(budget: &Budget) -> HashIndex {
        HashIndex {
            slots: Vec::new(),
            budget: budget.clone(),
            lease: budget.lease(),
        }
    }

    pub fn bytes(&self) -> u64 {
        self.lease.bytes()
    }

    /// Ensures a slot for one item more than `len`; `hash` returns the hash of a stored item.
    #[inline]
    pub fn reserve(&mut self, len: usize, hash: impl FnMut(u32) -> u32) -> Result<(), Stop> {
        if (len + 1) * 4 > self.slots.len() * 3 {
            return self.grow(len, hash);
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, len: usize, mut hash: impl FnMut(u32) -> u32) -> Result<(), Stop> {
        // Sized by the number of items: after a refused lease there is no old table.
        let slots = ((len + 1) * 4).div_ceil(3).next_power_of_two();
        let bits = slots.trailing_zeros().max(LEAST_BITS);
        if bits > u32::BITS {
            return Err(Stop::Bound("more than three billion states".to_owned()));
        }
        self.slots = Vec::new();
        self.lease.resize(4 << bits)?;
        let mut slots = vec![0; 1 << bits];
        // Pages are written before they are read: a page that is read first is mapped twice, and
        // the second mapping interrupts all processors that run this process.
        for page in slots.chunks_mut(PAGE) {
            page[0] = black_box(0);
        }
        let mask = slots.len() - 1;
        let mut hashes = [0; AT_ONCE];
        for first in (0..len).step_by(AT_ONCE) {
            if first % ITEMS_PER_CHECK == ITEMS_PER_CHECK - AT_ONCE {
                self.budget.check()?;
            }
            let ids = first as u32..len.min(first + AT_ONCE) as u32;
            let hashes = &mut hashes[..ids.len()];
            for (known, id) in hashes.iter_mut().zip(ids.clone()) {
                *known = hash(id);
            }
            // Slots are scattered: all are requested before the first is used.
            let slot_of = |hash: &u32| *hash as usize & mask;
            let requested = hashes.iter().map(|hash| slots[slot_of(hash)]);
            black_box(requested.fold(0, |sum, slot| sum ^ slot));
            for (hash, id) in hashes.iter().zip(ids) {
                let mut slot = slot_of(hash);
                while slots[slot] != 0 {
                    slot = (slot + 1) & mask;
                }
                slots[slot] = hash & !mask as u32 | (id + 1);
            }
        }
        self.slots = slots;
        Ok(())
    }

    /// The item with this hash that satisfies `is`, or else the slot in which it belongs. Requires
    /// a [reserved](HashIndex::reserve) slot.
    #[inline]
    pub fn find(&self, hash: u32, mut is: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let id_mask = mask as u32;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            if (entry ^ hash) & !id_mask == 0 {
                let id = (entry & id_mask) - 1;
                if is(id) {
                    return Ok(id);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// [`find`](HashIndex::find) without a reserved slot; the table may be full or absent.
    pub fn look_up(&self, hash: u32, is: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            None
        } else {
            self.find(hash, is).ok()
        }
    }

    /// Puts a new item into the slot that [`find`](HashIndex::find) returned.
    #[inline]
    pub fn put(&mut self, slot: usize, hash: u32, id: u32) {
        let mask = (self.slots.len() - 1) as u32;
        self.slots[slot] = hash & !mask | (id + 1);
    }

    /// Calls `visit` with the index of each hash for which a probe finds an item with equal upper
    /// hash bits, and with the first such item. The reads are independent, so that their latencies
    /// overlap.
    #[inline]
    pub fn candidates(&self, hashes: &[u32], mut visit: impl FnMut(usize, u32)) {
        if self.slots.is_empty() {
            return;
        }
        let mask = self.slots.len() - 1;
        let first = |hash: &u32| self.slots[*hash as usize & mask];
        black_box(hashes.iter().fold(0, |sum, hash| sum ^ first(hash)));
        for (i, hash) in hashes.iter().enumerate() {
            let mut slot = *hash as usize & mask;
            let entry = loop {
                let entry = self.slots[slot];
                if entry == 0 || (entry ^ hash) & !mask as u32 == 0 {
                    break entry;
                }
                slot = (slot + 1) & mask;
            };
            if entry != 0 {
                visit(i, (entry & mask as u32) - 1);
            }
        }
    }

    /// Returns whether the table exceeds the cache, so that lookups wait for memory.
    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        self.slots.len() >= LEAST_TOUCHED
    }

    /// Prefetches the slots of these hashes, and what `read` reads of the items in them. The reads
    /// are independent, so that their latencies overlap.
    #[inline]
    pub fn prefetch(&self, hashes: &[u32], mut read: impl FnMut(u32) -> u64) {
        if !self.outgrows_cache() {
            return;
        }
        let mask = self.slots.len() - 1;
        let entry = |hash: &u32| self.slots[*hash as usize & mask];
        black_box(hashes.iter().fold(0, |sum, hash| sum ^ entry(hash)));
        let mut sum = 0;
        for hash in hashes {
            let entry = entry(hash);
            if entry != 0 && (entry ^ hash) & !mask as u32 == 0 {
                sum ^= read((entry & mask as u32) - 1);
            }
        }
        black_box(sum);
    }
}

/// Hashes a 64-bit sum, whose low bits carry little entropy, to 32 bits.
#[inline]
pub(super) fn mix(sum: u64) -> u32 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let product = u128::from(sum ^ sum >> 32) * u128::from(K);
    ((product >> 64) as u64 ^ product as u64) as u32
}

/// The `i`-th term of a fixed pseudorandom sequence of odd numbers.
pub(super) fn weight(i: u64) -> u64 {
    let mut x = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (x ^ x >> 31) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn growing_polls_the_budget() {
        let mut index = HashIndex::new(&Budget::unlimited().with_deadline(Duration::ZERO));
        assert_eq!(index.reserve(1_000_000, mix_id), Err(Stop::Time));
    }

    fn mix_id(id: u32) -> u32 {
        mix(u64::from(id))
    }

    #[test]
    fn items_are_found_after_growth() {
        let mut index = HashIndex::new(&Budget::unlimited());
        for id in 0..50_000 {
            index.reserve(id as usize, mix_id).unwrap();
            let slot = index.find(mix_id(id), |other| other == id).unwrap_err();
            index.put(slot, mix_id(id), id);
        }
        assert!((0..50_000).all(|id| index.find(mix_id(id), |other| other == id) == Ok(id)));
    }
}
