//! From hashes to ids: the table with which every store finds what it holds.
//!
//! Linear probing over slots of 32 bits: the id, plus one, in as many low bits as the table has address bits,
//! and the rest of a 32-bit hash above, so that almost every probe that looks at an item
//! looks at the right one. The table knows nothing of the items: their owner compares them, and gives their
//! hashes again when the table grows. The old table is given back first, so growing needs no second copy.
//!
//! Cost: 5⅓ to 10⅔ bytes an item.

use lariat_budget::{Budget, Lease, Stop};
use std::hint::black_box;

/// The least number of slots, as a power of two.
const LEAST_BITS: u32 = 10;
/// Items that are put into a grown table between two looks at the clock: about a millisecond.
const ITEMS_PER_CHECK: usize = 1 << 15;
/// Items whose slots are asked for at once when a table grows: more than the processor has requests to memory under way.
const AT_ONCE: usize = 32;

/// Slots on a page of memory.
const PAGE: usize = 4096 / size_of::<u32>();

/// A table of fewer slots is in the cache anyway.
const LEAST_TOUCHED: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct Index {
    slots: Vec<u32>,
    budget: Budget,
    lease: Lease,
}

impl Index {
    pub fn new(budget: &Budget) -> Index {
        Index {
            slots: Vec::new(),
            budget: budget.clone(),
            lease: budget.lease(),
        }
    }

    pub fn bytes(&self) -> u64 {
        self.lease.bytes()
    }

    /// Makes room for one item more than `len`; `hash` tells the hashes of those there are.
    #[inline]
    pub fn reserve(&mut self, len: usize, hash: impl FnMut(u32) -> u32) -> Result<(), Stop> {
        if (len + 1) * 4 > self.slots.len() * 3 {
            return self.grow(len, hash);
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, len: usize, mut hash: impl FnMut(u32) -> u32) -> Result<(), Stop> {
        // Room by the number of items, not by the old table: after a refusal there is none.
        let slots = ((len + 1) * 4).div_ceil(3).next_power_of_two();
        let bits = slots.trailing_zeros().max(LEAST_BITS);
        if bits > u32::BITS {
            return Err(Stop::Bound("more than three billion states".to_owned()));
        }
        self.slots = Vec::new();
        self.lease.resize(4 << bits)?;
        let mut slots = vec![0; 1 << bits];
        // A page that is read first is handed out twice, and for the second time all other processors at work here are interrupted.
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
            // Slots are far apart: all of them are asked for before any is needed.
            let slot_of = |hash: &u32| *hash as usize & mask;
            black_box(
                hashes
                    .iter()
                    .fold(0, |sum, hash| sum ^ slots[slot_of(hash)]),
            );
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

    /// The item with this hash for which `is` holds, or else the slot where it belongs. There must
    /// be room for one more.
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

    /// The same for those who add nothing: there need not be room, or any table at all.
    pub fn look_up(&self, hash: u32, is: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            None
        } else {
            self.find(hash, is).ok()
        }
    }

    /// Puts a new item into the slot that [`find`](Index::find) told.
    #[inline]
    pub fn put(&mut self, slot: usize, hash: u32, id: u32) {
        let mask = (self.slots.len() - 1) as u32;
        self.slots[slot] = hash & !mask | (id + 1);
    }

    /// For each of these hashes the first item in its chain that may have it, if there is one. Reads that do not depend on each other are under
    /// way at once, so that lookups do not wait for memory one after the other.
    #[inline]
    pub fn candidates(&self, hashes: &[u32], mut tell: impl FnMut(usize, u32)) {
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
                tell(i, (entry & mask as u32) - 1);
            }
        }
    }

    /// Is it so large that lookups wait for memory?
    #[inline]
    pub fn outgrows_cache(&self) -> bool {
        self.slots.len() >= LEAST_TOUCHED
    }

    /// Brings the slots of these hashes into the cache, and what `read` reads of the items they name, so
    /// that lookups do not wait for memory one after the other: reads that do not
    /// depend on each other are under way at once.
    #[inline]
    pub fn touch(&self, hashes: &[u32], mut read: impl FnMut(u32) -> u64) {
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

/// Spreads a 64-bit sum, whose low bits know little, over 32 bits.
#[inline]
pub(super) fn mix(sum: u64) -> u32 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let product = u128::from(sum ^ sum >> 32) * u128::from(K);
    ((product >> 64) as u64 ^ product as u64) as u32
}

/// The `i`-th of a fixed sequence of odd numbers that look random.
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
    fn growing_asks_the_clock() {
        let mut index = Index::new(&Budget::unlimited().with_deadline(Duration::ZERO));
        assert_eq!(index.reserve(1_000_000, mix_id), Err(Stop::Time));
    }

    fn mix_id(id: u32) -> u32 {
        mix(u64::from(id))
    }

    #[test]
    fn what_was_put_is_found() {
        let mut index = Index::new(&Budget::unlimited());
        for id in 0..50_000 {
            index.reserve(id as usize, mix_id).unwrap();
            let slot = index.find(mix_id(id), |other| other == id).unwrap_err();
            index.put(slot, mix_id(id), id);
        }
        assert!((0..50_000).all(|id| index.find(mix_id(id), |other| other == id) == Ok(id)));
    }
}
