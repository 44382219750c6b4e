//! Whole vectors, one after the other: the store for narrow states, and for the nodes of products.
//!
//! A vector comes and goes as cells of 32 bits, of which as many bytes are kept as it has. Vectors lie in
//! chunks that never move. The last cell is special: it is almost always 0, and then takes no room; chunks of
//! vectors where it is not are held apart.
//!
//! The hash is Σ wᵢ·cᵢ over the cells, so that a step that adds to cells adds a constant to the hash.

use super::index::{Index, mix, weight};
use lariat_budget::{Budget, Lease, Stop};

/// Vectors in a chunk.
const CHUNK: usize = 1 << 12;
/// Two cells are read at a time: a chunk has room behind its last vector for that.
const BEHIND: usize = 7;

/// Vectors of bytes, by their contents and by dense ids.
#[derive(Debug)]
pub struct Interner {
    vectors: Vectors,
    len: usize,
    index: Index,
    lease: Lease,
}

#[derive(Debug)]
struct Vectors {
    /// Bytes of a vector, without the last cell.
    stride: usize,
    /// Its cells, without the last.
    cells: usize,
    /// The bits that are kept of the cell before the last.
    kept: u32,
    chunks: Vec<Box<[u8]>>,
    /// The last cells, for chunks with one that is not 0, and whether there are any.
    last: Vec<Option<Box<[u32]>>>,
    has_last: bool,
    weights: Vec<u64>,
}

impl Vectors {
    /// The bytes of a vector, and a few behind them.
    #[inline]
    fn bytes(&self, id: u32) -> &[u8] {
        let start = id as usize % CHUNK * self.stride;
        &self.chunks[id as usize / CHUNK][start..start + self.stride + BEHIND]
    }

    /// The cells of a vector but the last.
    #[inline]
    fn body(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let cells = (self.bytes(id).chunks_exact(4).take(self.cells)).enumerate();
        cells.map(|(i, bytes)| {
            let cell = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            match i + 1 == self.cells {
                true => cell & self.kept,
                false => cell,
            }
        })
    }

    #[inline]
    fn last(&self, id: u32) -> u32 {
        if !self.has_last {
            return 0;
        }
        let last = self.last[id as usize / CHUNK].as_ref();
        last.map_or(0, |cells| cells[id as usize % CHUNK])
    }

    /// Is this the vector? Compares two cells at a time: most vectors have no more.
    #[inline]
    fn is(&self, id: u32, vector: &[u32]) -> bool {
        let bytes = self.bytes(id);
        let whole = self.stride / 8;
        for i in 0..whole {
            if word(&bytes[8 * i..]) != two(vector, 2 * i) {
                return false;
            }
        }
        let rest = self.stride % 8;
        let different = match rest {
            0 => 0,
            _ => (word(&bytes[8 * whole..]) ^ two(vector, 2 * whole)) << (64 - 8 * rest),
        };
        different == 0 && self.last(id) == at(vector, self.cells)
    }

    /// The hash of a vector, as it was interned with.
    fn hash(&self, id: u32) -> u32 {
        let last = std::iter::once(self.last(id));
        mix(weighted(&self.weights, self.body(id).chain(last)))
    }
}

impl Interner {
    /// An interner for vectors of `stride` bytes, at least one, and one more cell that is rarely used.
    pub fn new(stride: usize, budget: &Budget) -> Interner {
        assert!(stride > 0);
        let cells = stride.div_ceil(4);
        Interner {
            vectors: Vectors {
                stride,
                cells,
                kept: u32::MAX >> (32 - 8 * ((stride - 1) % 4 + 1)),
                chunks: Vec::new(),
                last: Vec::new(),
                has_last: false,
                weights: weights(cells + 1),
            },
            len: 0,
            index: Index::new(budget),
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
        self.lease.bytes() + self.index.bytes()
    }

    /// The cells of the vector with this id, the rare one last.
    #[inline]
    pub fn get(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let last = std::iter::once_with(move || self.vectors.last(id));
        self.vectors.body(id).chain(last)
    }

    /// The id of a vector, and whether it is new. It has all its cells but perhaps the rare one; bits
    /// behind its bytes are 0.
    #[inline]
    pub fn intern(&mut self, vector: &[u32]) -> Result<(u32, bool), Stop> {
        let sum = weighted(&self.vectors.weights, vector.iter().copied());
        self.intern_sum(vector, sum)
    }

    /// The same for callers that already know Σ wᵢ·cᵢ.
    #[inline]
    pub(super) fn intern_sum(&mut self, vector: &[u32], sum: u64) -> Result<(u32, bool), Stop> {
        let vectors = &self.vectors;
        self.index.reserve(self.len, |id| vectors.hash(id))?;
        let hash = mix(sum);
        match self.index.find(hash, |id| vectors.is(id, vector)) {
            Ok(id) => Ok((id, false)),
            Err(slot) => {
                let id = self.push(vector)?;
                self.index.put(slot, hash, id);
                Ok((id, true))
            }
        }
    }

    /// Brings what lookups of these hashes read into the cache.
    #[inline]
    pub(super) fn touch(&self, hashes: &[u32]) {
        let first = |id| word(self.vectors.bytes(id));
        self.index.touch(hashes, first);
    }

    fn push(&mut self, vector: &[u32]) -> Result<u32, Stop> {
        let vectors = &mut self.vectors;
        let (chunk, place) = (self.len / CHUNK, self.len % CHUNK);
        let held = self.lease.bytes() as usize;
        if chunk == vectors.chunks.len() {
            let bytes = CHUNK * vectors.stride + BEHIND;
            self.lease.resize(held + bytes)?;
            vectors.chunks.push(vec![0; bytes].into());
            vectors.last.push(None);
        }
        let last = at(vector, vectors.cells);
        if last != 0 {
            vectors.has_last = true;
            if vectors.last[chunk].is_none() {
                self.lease.resize(held + CHUNK * 4)?;
            }
            vectors.last[chunk].get_or_insert_with(|| vec![0; CHUNK].into())[place] = last;
        }
        let start = place * vectors.stride;
        let room = &mut vectors.chunks[chunk][start..start + vectors.stride];
        for (bytes, cell) in room.chunks_mut(4).zip(vector) {
            bytes.copy_from_slice(&cell.to_le_bytes()[..bytes.len()]);
        }
        self.len += 1;
        Ok(self.len as u32 - 1)
    }
}

#[inline]
fn at(vector: &[u32], i: usize) -> u32 {
    vector.get(i).copied().unwrap_or(0)
}

/// Two cells, from number `i` on. The last cell may be the second: its bits are behind those that count.
#[inline]
fn two(vector: &[u32], i: usize) -> u64 {
    u64::from(vector[i]) | u64::from(at(vector, i + 1)) << 32
}

/// The first eight of some bytes.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

/// One weight for each cell.
pub(super) fn weights(cells: usize) -> Vec<u64> {
    (0..cells as u64).map(weight).collect()
}

#[inline]
fn weighted(weights: &[u64], cells: impl Iterator<Item = u32>) -> u64 {
    let terms = weights.iter().zip(cells);
    terms.fold(0, |sum, (w, c)| sum.wrapping_add(w.wrapping_mul(c.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_dense_and_contents_come_back() {
        let mut store = Interner::new(3, &Budget::unlimited());
        for i in 0..100_000 {
            assert_eq!(store.intern(&[i]).unwrap(), (i, true));
        }
        for i in (0..100_000).rev() {
            assert_eq!(store.intern(&[i]).unwrap(), (i, false));
            assert!(store.get(i).eq([i, 0]));
        }
    }

    #[test]
    fn every_length_works() {
        for stride in 1..=25 {
            let mut store = Interner::new(stride, &Budget::unlimited());
            let vector = |i: u32| -> Vec<u32> {
                let mut cells = vec![i.wrapping_mul(0x0101_0101); store.vectors.cells];
                *cells.last_mut().unwrap() &= store.vectors.kept;
                if i.is_multiple_of(3) {
                    cells.push(i);
                }
                cells
            };
            let vectors: Vec<_> = (0..200).map(vector).collect();
            for _ in 0..2 {
                for (i, vector) in vectors.iter().enumerate() {
                    assert_eq!(store.intern(vector).unwrap().0, i as u32);
                    let expected = (0..=store.vectors.cells).map(|c| at(vector, c));
                    assert!(store.get(i as u32).eq(expected));
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
            match store.intern(&[i]) {
                Ok(_) => i += 1,
                Err(stop) => break stop,
            }
        };
        assert_eq!(stop, Stop::Memory);
        assert!(i > 1024, "more than the smallest table holds");
        // Asked again before there is room: refused again.
        assert_eq!(store.intern(&[i]), Err(Stop::Memory));
        drop(other);
        for j in 0..=i {
            assert_eq!(store.intern(&[j]).unwrap(), (j, j == i));
        }
    }
}
