//! An interner for bit vectors of one length: contents to dense ids and back.
//!
//! A vector comes and goes as 64-bit words, of which as many bytes are kept as it has. Vectors lie
//! one after the other in chunks that never move. A table with linear probing finds
//! them: each slot is 32 bits, the id (plus one) in as many low bits as the table has
//! address bits, and a tag from the hash in the rest, so that almost every probe that reads a
//! vector reads the right one. The table is rebuilt from the vectors when it grows; the old
//! one is given back first, so growing needs no second copy.
//!
//! Cost per vector: its bytes, plus 5 to 10 bytes of table.

use lariat_budget::{Budget, Lease, Stop};
use std::hint::black_box;

/// A state of one explicit space: dense, from 0, in the order of discovery.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// The position of this state in an array over all states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Vectors in a chunk.
const CHUNK: usize = 1 << 12;

/// The interner.
#[derive(Debug)]
pub struct Interner {
    stride: usize,
    /// The bits of the last word that are kept.
    last: u64,
    chunks: Vec<Box<[u8]>>,
    len: usize,
    table: Vec<u32>,
    lease: Lease,
}

impl Interner {
    /// An interner for vectors of `stride` bytes, at least one. All bits behind those are 0.
    pub fn new(stride: usize, budget: &Budget) -> Interner {
        assert!(stride > 0);
        Interner {
            stride,
            last: u64::MAX >> (64 - 8 * ((stride - 1) % 8 + 1)),
            chunks: Vec::new(),
            len: 0,
            table: Vec::new(),
            lease: budget.lease(),
        }
    }

    /// How many different vectors there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.lease.bytes()
    }

    /// How many words a vector has.
    pub fn words(&self) -> usize {
        self.stride.div_ceil(8)
    }

    /// The words of the vector with this id.
    #[inline]
    pub fn get(&self, id: u32) -> impl Iterator<Item = u64> + '_ {
        let at = (id as usize % CHUNK) * self.stride;
        let chunk = &self.chunks[id as usize / CHUNK];
        let words = self.words();
        // Every word is read whole; a chunk has room behind its last vector for that.
        (0..words).map(move |i| {
            let bytes = &chunk[at + 8 * i..at + 8 * i + 8];
            let word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            if i + 1 == words {
                word & self.last
            } else {
                word
            }
        })
    }

    /// The id of `vector`, and whether it is new.
    #[inline]
    pub fn intern(&mut self, vector: &[u64]) -> Result<(u32, bool), Stop> {
        debug_assert_eq!(vector.len(), self.words());
        // Grows at four fifths, and before the first vector.
        if (self.len + 1) * 5 > self.table.len() * 4 {
            self.grow()?;
        }
        let hash = hash(vector.iter().copied());
        let (mut slot, tag) = self.address(hash);
        let mask = self.table.len() - 1;
        let id_mask = mask as u32;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if entry & !id_mask == tag {
                let id = (entry & id_mask) - 1;
                if self.get(id).zip(vector).all(|(a, b)| a == *b) {
                    return Ok((id, false));
                }
            }
            slot = (slot + 1) & mask;
        }
        let id = self.push(vector)?;
        self.table[slot] = tag | (id + 1);
        Ok((id, true))
    }

    /// Brings the table slots of `vectors` and the vectors they name into the cache, so that a
    /// following [`intern`](Interner::intern) of each does not wait. The reads of a pass
    /// do not depend on each other: the processor has many of them under way at once.
    pub fn touch<'v>(&self, vectors: impl Iterator<Item = &'v [u64]> + Clone) {
        if self.table.is_empty() {
            return;
        }
        let home = |vector: &[u64]| self.address(hash(vector.iter().copied()));
        let slots = vectors.clone().map(|v| self.table[home(v).0]);
        black_box(slots.fold(0, |sum, entry| sum ^ entry));
        let id_mask = (self.table.len() - 1) as u32;
        let named = vectors.filter_map(|v| {
            let (slot, tag) = home(v);
            let entry = self.table[slot];
            (entry != 0 && entry & !id_mask == tag).then(|| self.get((entry & id_mask) - 1))
        });
        black_box(named.fold(0, |sum, mut words| sum ^ words.next().unwrap_or(0)));
    }

    /// The first slot of a hash, and its tag in place above the id bits.
    #[inline]
    fn address(&self, hash: u64) -> (usize, u32) {
        let slot = hash as usize & (self.table.len() - 1);
        let tag = (hash >> 32) as u32 & !(self.table.len() - 1) as u32;
        (slot, tag)
    }

    fn push(&mut self, vector: &[u64]) -> Result<u32, Stop> {
        let (chunk, at) = (self.len / CHUNK, self.len % CHUNK * self.stride);
        if chunk == self.chunks.len() {
            self.account(self.chunks.len() + 1, self.table.len())?;
            self.chunks.push(vec![0; CHUNK * self.stride + 7].into());
        }
        let room = &mut self.chunks[chunk][at..at + self.stride];
        for (bytes, word) in room.chunks_mut(8).zip(vector) {
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
        self.len += 1;
        Ok(self.len as u32 - 1)
    }

    #[cold]
    fn grow(&mut self) -> Result<(), Stop> {
        // Room for one more by the size, not by the old table: after a refusal there is none.
        let slots = ((self.len + 1) * 5).div_ceil(4).next_power_of_two();
        let bits = slots.trailing_zeros().max(10);
        if bits > 32 {
            return Err(Stop::Bound("more than three billion states".to_owned()));
        }
        // The old table is never needed: the vectors are all there is to know.
        self.table = Vec::new();
        self.account(self.chunks.len(), 1 << bits)?;
        self.table = vec![0; 1 << bits];
        let mask = self.table.len() - 1;
        for id in 0..self.len as u32 {
            let (mut slot, tag) = self.address(hash(self.get(id)));
            while self.table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = tag | (id + 1);
        }
        Ok(())
    }

    fn account(&mut self, chunks: usize, slots: usize) -> Result<(), Stop> {
        self.lease
            .resize(chunks * (CHUNK * self.stride + 7) + slots * 4)
    }
}

#[inline]
fn hash(words: impl Iterator<Item = u64>) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    words.fold(K, |hash, word| {
        let product = u128::from(hash ^ word) * u128::from(K);
        (product as u64) ^ (product >> 64) as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_dense_and_contents_come_back() {
        let mut store = Interner::new(3, &Budget::unlimited());
        let vector = |i: u32| [u64::from(i)];
        for i in 0..100_000 {
            assert_eq!(store.intern(&vector(i)).unwrap(), (i, true));
        }
        for i in (0..100_000).rev() {
            assert_eq!(store.intern(&vector(i)).unwrap(), (i, false));
            assert!(store.get(i).eq(vector(i)));
        }
    }

    #[test]
    fn every_length_works() {
        for stride in 1..=25 {
            let mut store = Interner::new(stride, &Budget::unlimited());
            let vector = |i: u64| -> Vec<u64> {
                let mut words = vec![i.wrapping_mul(0x0101_0101_0101_0101); store.words()];
                *words.last_mut().unwrap() &= store.last;
                words
            };
            let vectors: Vec<_> = (0..200).map(vector).collect();
            for _ in 0..2 {
                for (i, vector) in vectors.iter().enumerate() {
                    assert_eq!(store.intern(vector).unwrap().0, i as u32);
                    assert!(store.get(i as u32).eq(vector.iter().copied()));
                }
            }
        }
    }

    #[test]
    fn a_refused_growth_can_be_tried_again() {
        let budget = Budget::bytes(2_000_000);
        let mut other = budget.lease();
        other.resize(1_700_000).unwrap();
        let mut store = Interner::new(4, &budget);
        let mut i = 0u32;
        let stop = loop {
            match store.intern(&[u64::from(i)]) {
                Ok(_) => i += 1,
                Err(stop) => break stop,
            }
        };
        assert_eq!(stop, Stop::Memory);
        assert!(i > 1024, "more than the smallest table holds");
        // Asked again before there is room: refused again.
        assert_eq!(store.intern(&[u64::from(i)]), Err(Stop::Memory));
        drop(other);
        for j in 0..=i {
            assert_eq!(store.intern(&[u64::from(j)]).unwrap(), (j, j == i));
        }
    }
}
