//! Interned byte vectors: the store for narrow states, and for the nodes of products.
//!
//! A vector is passed as 32-bit cells, of which only its bytes are stored. Vectors lie in chunks
//! that never move. The last cell is special: it is almost always 0, and then takes no space; the
//! last cells of a chunk are stored separately if one of them is not 0.
//!
//! The hash is computed from Σ wᵢ·cᵢ over the cells, so that a step that adds to cells adds a
//! constant to the sum. Vectors of up to eight bytes are *words*, which are hashed, compared and
//! stored by a few instructions: nodes of products, and many states (`words.rs`).

use super::index::{HashIndex, mix, weight};
use lariat_budget::{Budget, Lease, Stop};

const CHUNK: usize = 1 << 12;
/// Padding behind the last vector of a chunk, since cells are read two at a time.
const BEHIND: usize = 7;

/// Maximal bytes of a word.
const WORD_BYTES: usize = 8;

/// Interned byte vectors with dense ids.
#[derive(Debug)]
pub struct VectorInterner {
    vectors: Vectors,
    len: usize,
    index: HashIndex,
    lease: Lease,
}

#[derive(Debug)]
struct Vectors {
    /// Bytes of a vector, without the last cell.
    stride: usize,
    /// Cells of a vector, without the last.
    cells: usize,
    kept: u32,
    chunks: Vec<Box<[u8]>>,
    /// The last cells of chunks in which one is not 0; `has_last` if there are any.
    last: Vec<Option<Box<[u32]>>>,
    has_last: bool,
    /// True if vectors are hashed as words.
    is_word: bool,
    weights: Vec<u64>,
}

impl Vectors {
    /// The bytes of a vector and the padding behind them.
    #[inline]
    fn bytes(&self, id: u32) -> &[u8] {
        let start = id as usize % CHUNK * self.stride;
        &self.chunks[id as usize / CHUNK][start..start + self.stride + BEHIND]
    }

    /// The cells of a vector but the last: the full ones, and the partial one.
    #[inline]
    fn body(&self, id: u32) -> (impl Iterator<Item = u32> + '_, u32) {
        let (whole, rest) = self.bytes(id).split_at(4 * (self.cells - 1));
        (whole.chunks_exact(4).map(cell), cell(rest) & self.kept)
    }

    #[inline]
    fn last(&self, id: u32) -> u32 {
        if !self.has_last {
            return 0;
        }
        let last = self.last[id as usize / CHUNK].as_ref();
        last.map_or(0, |cells| cells[id as usize % CHUNK])
    }

    /// Returns whether this is the vector. Compares two cells at a time: most vectors have no more.
    #[inline]
    fn is(&self, id: u32, vector: &[u32]) -> bool {
        let (whole, rest) = self.bytes(id).split_at(self.stride / 8 * 8);
        let (cells, behind) = vector.split_at(whole.len() / 4);
        let mut words = whole.chunks_exact(8).zip(cells.chunks_exact(2));
        if words.any(|(bytes, cells)| word(bytes) != two(cells, 0)) {
            return false;
        }
        let different = match self.stride % 8 {
            0 => 0,
            odd => (word(rest) ^ two(behind, 0)) << (64 - 8 * odd),
        };
        different == 0 && self.last(id) == at(vector, self.cells)
    }

    /// The word of a vector, without the last cell.
    #[inline]
    fn word(&self, id: u32) -> u64 {
        word(self.bytes(id)) & u64::MAX >> (64 - 8 * self.stride)
    }

    #[inline]
    fn split(&self, vector: &[u32]) -> (u64, u32) {
        match self.cells {
            1 => (vector[0].into(), at(vector, 1)),
            _ => (two(vector, 0), at(vector, 2)),
        }
    }

    /// The hash with which a vector was interned.
    fn hash(&self, id: u32) -> u32 {
        if self.is_word {
            return hash_of_word(self.word(id), self.last(id));
        }
        let (body, next) = self.body(id);
        let sum = weighted(&self.weights, body);
        let ends = [next, self.last(id)].into_iter();
        let behind = weighted(&self.weights[self.cells - 1..], ends);
        mix(sum.wrapping_add(behind))
    }
}

impl VectorInterner {
    /// Creates an interner for vectors of `stride` bytes, at least one, and one more cell that is
    /// rarely nonzero.
    pub fn new(stride: usize, budget: &Budget) -> VectorInterner {
        assert!(stride > 0);
        let cells = stride.div_ceil(4);
        VectorInterner {
            vectors: Vectors {
                stride,
                cells,
                kept: u32::MAX >> (32 - 8 * ((stride - 1) % 4 + 1)),
                chunks: Vec::new(),
                last: Vec::new(),
                has_last: false,
                is_word: stride <= WORD_BYTES,
                weights: weights(cells + 1),
            },
            len: 0,
            index: HashIndex::new(budget),
            lease: budget.lease(),
        }
    }

    /// Creates an interner of vectors of any length whose callers pass Σ wᵢ·cᵢ.
    pub(super) fn of_sums(stride: usize, budget: &Budget) -> VectorInterner {
        let mut interner = VectorInterner::new(stride, budget);
        interner.vectors.is_word = false;
        interner
    }

    /// Number of distinct vectors.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.lease.bytes() + self.index.bytes()
    }

    /// The cells of a vector, the rare one last.
    #[inline]
    pub fn get(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let (body, next) = self.vectors.body(id);
        body.chain([next, self.vectors.last(id)])
    }

    /// Sets `cells` to those of a vector; calls `changed` with each that differs, its old and its
    /// new value.
    #[inline]
    pub(super) fn turn(&self, id: u32, cells: &mut [u32], mut changed: impl FnMut(u32, u32, u32)) {
        let mut turn = |i: u32, cell: &mut u32, new: u32| {
            if *cell != new {
                changed(i, std::mem::replace(cell, new), new);
            }
        };
        let (body, next) = self.vectors.body(id);
        let mut cells = (0..).zip(cells);
        // `body` is advanced before `cells`, so that no cell is lost at its end.
        for (new, (i, cell)) in body.zip(cells.by_ref()) {
            turn(i, cell, new);
        }
        for (new, (i, cell)) in [next, self.vectors.last(id)].into_iter().zip(cells) {
            turn(i, cell, new);
        }
    }

    /// Interns a vector; returns its id and whether it is new. The rare cell may be omitted if it
    /// is 0; bits beyond the stride must be 0.
    #[inline]
    pub fn intern(&mut self, vector: &[u32]) -> Result<(u32, bool), Stop> {
        if self.vectors.is_word {
            let (word, last) = self.vectors.split(vector);
            return self.intern_word(word, last);
        }
        let sum = weighted(&self.vectors.weights, vector.iter().copied());
        self.intern_sum(vector, sum)
    }

    /// [`intern`](VectorInterner::intern) for an interner [of sums](VectorInterner::of_sums).
    #[inline]
    pub(super) fn intern_sum(&mut self, vector: &[u32], sum: u64) -> Result<(u32, bool), Stop> {
        let vectors = &self.vectors;
        self.index.reserve(self.len, |id| vectors.hash(id))?;
        let hash = mix(sum);
        match self.index.find(hash, |id| vectors.is(id, vector)) {
            Ok(id) => Ok((id, false)),
            Err(slot) => {
                let id = self.push_vector(vector)?;
                self.index.put(slot, hash, id);
                Ok((id, true))
            }
        }
    }

    /// [`intern`](VectorInterner::intern) for words.
    #[inline]
    pub(super) fn intern_word(&mut self, word: u64, last: u32) -> Result<(u32, bool), Stop> {
        let vectors = &self.vectors;
        self.index.reserve(self.len, |id| vectors.hash(id))?;
        let hash = hash_of_word(word, last);
        let is = |id| vectors.word(id) == word && vectors.last(id) == last;
        match self.index.find(hash, is) {
            Ok(id) => Ok((id, false)),
            Err(slot) => {
                let id = self.push(word, last)?;
                self.index.put(slot, hash, id);
                Ok((id, true))
            }
        }
    }

    /// A word and its last cell.
    #[inline]
    pub(super) fn word(&self, id: u32) -> (u64, u32) {
        (self.vectors.word(id), self.vectors.last(id))
    }

    /// Id of a word that has been interned.
    pub(super) fn find_word(&self, word: u64, last: u32) -> Option<u32> {
        let is = |id| self.vectors.word(id) == word && self.vectors.last(id) == last;
        self.index.look_up(hash_of_word(word, last), is)
    }

    /// Looks up words with their hashes; an id is unchanged if its word is unknown, or hidden by
    /// another item with equal hash bits.
    #[inline]
    pub(super) fn find_words(&self, words: &[u64], hashes: &[u32], ids: &mut [Option<u32>]) {
        self.index.candidates(hashes, |i, id| {
            if self.vectors.word(id) == words[i] && self.vectors.last(id) == 0 {
                ids[i] = Some(id);
            }
        });
    }

    /// Id of a vector that has been interned.
    pub fn find(&self, vector: &[u32]) -> Option<u32> {
        if self.vectors.is_word {
            let (word, last) = self.vectors.split(vector);
            return self.find_word(word, last);
        }
        let sum = weighted(&self.vectors.weights, vector.iter().copied());
        self.find_sum(vector, sum)
    }

    pub(super) fn find_sum(&self, vector: &[u32], sum: u64) -> Option<u32> {
        let is = |id| self.vectors.is(id, vector);
        self.index.look_up(mix(sum), is)
    }

    #[inline]
    pub(super) fn outgrows_cache(&self) -> bool {
        self.index.outgrows_cache()
    }

    #[inline]
    pub(super) fn prefetch(&self, hashes: &[u32]) {
        let first = |id| word(self.vectors.bytes(id));
        self.index.prefetch(hashes, first);
    }

    #[inline]
    fn push(&mut self, word: u64, last: u32) -> Result<u32, Stop> {
        let room = self.room(last)?;
        // The bytes behind the word belong to the next vector, which is not written yet.
        room[..8].copy_from_slice(&word.to_le_bytes());
        self.len += 1;
        Ok(self.len as u32 - 1)
    }

    fn push_vector(&mut self, vector: &[u32]) -> Result<u32, Stop> {
        let cells = self.vectors.cells;
        let room = self.room(at(vector, cells))?;
        // The bytes behind the vector belong to the next one, which is not written yet.
        for (bytes, cell) in room.chunks_exact_mut(4).zip(&vector[..cells]) {
            bytes.copy_from_slice(&cell.to_le_bytes());
        }
        self.len += 1;
        Ok(self.len as u32 - 1)
    }

    /// Space for one more vector and its padding; stores its last cell.
    #[inline]
    fn room(&mut self, last: u32) -> Result<&mut [u8], Stop> {
        let (chunk, place) = (self.len / CHUNK, self.len % CHUNK);
        if chunk == self.vectors.chunks.len() {
            self.grow()?;
        }
        if last != 0 {
            self.keep_last(chunk, place, last)?;
        }
        let start = place * self.vectors.stride;
        Ok(&mut self.vectors.chunks[chunk][start..start + self.vectors.stride + BEHIND])
    }

    #[cold]
    fn grow(&mut self) -> Result<(), Stop> {
        let bytes = CHUNK * self.vectors.stride + BEHIND;
        self.lease.resize(self.lease.bytes() as usize + bytes)?;
        self.vectors.chunks.push(vec![0; bytes].into());
        self.vectors.last.push(None);
        Ok(())
    }

    #[cold]
    fn keep_last(&mut self, chunk: usize, place: usize, last: u32) -> Result<(), Stop> {
        if self.vectors.last[chunk].is_none() {
            self.lease.resize(self.lease.bytes() as usize + CHUNK * 4)?;
        }
        self.vectors.has_last = true;
        self.vectors.last[chunk].get_or_insert_with(|| vec![0; CHUNK].into())[place] = last;
        Ok(())
    }
}

#[inline]
fn at(vector: &[u32], i: usize) -> u32 {
    vector.get(i).copied().unwrap_or(0)
}

/// Two cells, from number `i` on. The second may be the last cell, whose bits are not compared.
#[inline]
fn two(vector: &[u32], i: usize) -> u64 {
    u64::from(vector[i]) | u64::from(at(vector, i + 1)) << 32
}

#[inline]
fn cell(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

/// Hash of a word with its last cell.
#[inline]
pub(super) fn hash_of_word(word: u64, last: u32) -> u32 {
    // Any odd factor with as many ones as zeros would do.
    mix(word.wrapping_add(u64::from(last).wrapping_mul(0xD6E8_FEB8_6659_FD93)))
}

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
        let mut store = VectorInterner::new(3, &Budget::unlimited());
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
            let mut store = VectorInterner::new(stride, &Budget::unlimited());
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
        let mut store = VectorInterner::new(4, &budget);
        let mut i = 0u32;
        let stop = loop {
            match store.intern(&[i]) {
                Ok(_) => i += 1,
                Err(stop) => break stop,
            }
        };
        assert_eq!(stop, Stop::Memory);
        assert!(i > 1024, "more than the smallest table holds");
        // Refused again while memory is short.
        assert_eq!(store.intern(&[i]), Err(Stop::Memory));
        drop(other);
        for j in 0..=i {
            assert_eq!(store.intern(&[j]).unwrap(), (j, j == i));
        }
    }
}
