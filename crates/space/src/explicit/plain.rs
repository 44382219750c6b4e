//! Whole vectors, one after the other: the store for narrow states, and for the nodes of products.
//!
//! A vector comes and goes as cells of 32 bits, of which as many bytes are kept as it has. Vectors lie in
//! chunks that never move. The last cell is special: it is almost always 0, and then takes no room; chunks of
//! vectors where it is not are held apart.
//!
//! The hash is made from Σ wᵢ·cᵢ over the cells, so that a step that adds to cells adds a constant to the sum. Vectors of
//! up to eight bytes are *words*, which are hashed, compared and kept by a few instructions; those
//! of products are such, and many states (`words.rs`).

use super::index::{Index, mix, weight};
use lariat_budget::{Budget, Lease, Stop};

/// Vectors in a chunk.
const CHUNK: usize = 1 << 12;
/// Two cells are read at a time: a chunk has room behind its last vector for that.
const BEHIND: usize = 7;

/// Vectors of at most so many bytes are words.
const WORD_BYTES: usize = 8;

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
    /// Are they hashed as words?
    is_word: bool,
    weights: Vec<u64>,
}

impl Vectors {
    /// The bytes of a vector, and a few behind them.
    #[inline]
    fn bytes(&self, id: u32) -> &[u8] {
        let start = id as usize % CHUNK * self.stride;
        &self.chunks[id as usize / CHUNK][start..start + self.stride + BEHIND]
    }

    /// The cells of a vector but the last: those of which everything is kept, and one more.
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

    /// Is this the vector? Compares two cells at a time: most vectors have no more.
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

    /// Turns `cells` into those of a vector, and tells which differ, with their old and their new values.
    #[inline]
    fn turn(&self, id: u32, cells: &mut [u32], mut changed: impl FnMut(u32, u32, u32)) {
        let mut turn = |i: u32, cell: &mut u32, new: u32| {
            if *cell != new {
                changed(i, std::mem::replace(cell, new), new);
            }
        };
        let (body, next) = self.body(id);
        let mut cells = (0..).zip(cells);
        // The body is asked first, so that no cell is lost when it ends.
        for (new, (i, cell)) in body.zip(cells.by_ref()) {
            turn(i, cell, new);
        }
        for (new, (i, cell)) in [next, self.last(id)].into_iter().zip(cells) {
            turn(i, cell, new);
        }
    }

    /// The vector, which is a word, without the last cell.
    #[inline]
    fn word(&self, id: u32) -> u64 {
        word(self.bytes(id)) & u64::MAX >> (64 - 8 * self.stride)
    }

    /// A vector as a word and the last cell.
    #[inline]
    fn split(&self, vector: &[u32]) -> (u64, u32) {
        match self.cells {
            1 => (vector[0].into(), at(vector, 1)),
            _ => (two(vector, 0), at(vector, 2)),
        }
    }

    /// The hash of a vector, as it was interned with.
    fn hash(&self, id: u32) -> u32 {
        if self.is_word {
            return hash_of_word(self.word(id), self.last(id));
        }
        let (body, next) = self.body(id);
        let sum = weighted(&self.weights, body);
        let behind = weighted(
            &self.weights[self.cells - 1..],
            [next, self.last(id)].into_iter(),
        );
        mix(sum.wrapping_add(behind))
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
                is_word: stride <= WORD_BYTES,
                weights: weights(cells + 1),
            },
            len: 0,
            index: Index::new(budget),
            lease: budget.lease(),
        }
    }

    /// The same for vectors whose Σ wᵢ·cᵢ is always known, however short they are.
    pub(super) fn of_sums(stride: usize, budget: &Budget) -> Interner {
        let mut interner = Interner::new(stride, budget);
        interner.vectors.is_word = false;
        interner
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
        let (body, next) = self.vectors.body(id);
        body.chain([next, self.vectors.last(id)])
    }

    /// Turns `cells` into those of the vector with this id, and tells which differ, with their old and their new values.
    #[inline]
    pub(super) fn turn(&self, id: u32, cells: &mut [u32], changed: impl FnMut(u32, u32, u32)) {
        self.vectors.turn(id, cells, changed);
    }

    /// The id of a vector, and whether it is new. It has all its cells but perhaps the rare one; bits
    /// behind its bytes are 0.
    #[inline]
    pub fn intern(&mut self, vector: &[u32]) -> Result<(u32, bool), Stop> {
        if self.vectors.is_word {
            let (word, last) = self.vectors.split(vector);
            return self.intern_word(word, last);
        }
        let sum = weighted(&self.vectors.weights, vector.iter().copied());
        self.intern_sum(vector, sum)
    }

    /// The same for an interner [of sums](Interner::of_sums).
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

    /// The same for vectors that are words.
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

    /// The word with this id, and its last cell.
    #[inline]
    pub(super) fn word(&self, id: u32) -> (u64, u32) {
        (self.vectors.word(id), self.vectors.last(id))
    }

    /// The id of a word that is known already.
    pub(super) fn find_word(&self, word: u64, last: u32) -> Option<u32> {
        let is = |id| self.vectors.word(id) == word && self.vectors.last(id) == last;
        self.index.look_up(hash_of_word(word, last), is)
    }

    /// The ids of words, each with what comes of its hash; left as they are where a word is unknown, or another is in its way.
    #[inline]
    pub(super) fn find_words(&self, words: &[u64], hashes: &[u32], ids: &mut [Option<u32>]) {
        self.index.candidates(hashes, |i, id| {
            if self.vectors.word(id) == words[i] && self.vectors.last(id) == 0 {
                ids[i] = Some(id);
            }
        });
    }

    /// The id of a vector that is known already.
    pub fn find(&self, vector: &[u32]) -> Option<u32> {
        if self.vectors.is_word {
            let (word, last) = self.vectors.split(vector);
            return self.find_word(word, last);
        }
        let sum = weighted(&self.vectors.weights, vector.iter().copied());
        self.find_sum(vector, sum)
    }

    /// The same for an interner [of sums](Interner::of_sums).
    pub(super) fn find_sum(&self, vector: &[u32], sum: u64) -> Option<u32> {
        let is = |id| self.vectors.is(id, vector);
        self.index.look_up(mix(sum), is)
    }

    /// Is there so much that lookups wait for memory?
    #[inline]
    pub(super) fn outgrows_cache(&self) -> bool {
        self.index.outgrows_cache()
    }

    /// Brings what lookups of these hashes read into the cache.
    #[inline]
    pub(super) fn touch(&self, hashes: &[u32]) {
        let first = |id| word(self.vectors.bytes(id));
        self.index.touch(hashes, first);
    }

    #[inline]
    fn push(&mut self, word: u64, last: u32) -> Result<u32, Stop> {
        let room = self.room(last)?;
        // What is behind the bytes of the word belongs to the next, which is not there yet.
        room[..8].copy_from_slice(&word.to_le_bytes());
        self.len += 1;
        Ok(self.len as u32 - 1)
    }

    fn push_vector(&mut self, vector: &[u32]) -> Result<u32, Stop> {
        let cells = self.vectors.cells;
        let room = self.room(at(vector, cells))?;
        // What is behind its bytes belongs to the next, which is not there yet.
        for (bytes, cell) in room.chunks_exact_mut(4).zip(&vector[..cells]) {
            bytes.copy_from_slice(&cell.to_le_bytes());
        }
        self.len += 1;
        Ok(self.len as u32 - 1)
    }

    /// Room for one more vector and a few bytes behind it; its last cell is taken care of.
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

/// Two cells, from number `i` on. The last cell may be the second: its bits are behind those that count.
#[inline]
fn two(vector: &[u32], i: usize) -> u64 {
    u64::from(vector[i]) | u64::from(at(vector, i + 1)) << 32
}

/// The first four of some bytes.
#[inline]
fn cell(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
}

/// The first eight of some bytes.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

/// The hash of a word with its last cell.
#[inline]
pub(super) fn hash_of_word(word: u64, last: u32) -> u32 {
    // The factor is as good as any other: odd, and as many ones as zeros.
    mix(word.wrapping_add(u64::from(last).wrapping_mul(0xD6E8_FEB8_6659_FD93)))
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
