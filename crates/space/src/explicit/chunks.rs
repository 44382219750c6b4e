//! A growable array that never moves its items, with its bytes on a lease.
//!
//! A growing `Vec` holds the old and the new buffer at once and copies all items; here a growth
//! allocates one more chunk.

use lariat_budget::{Budget, Lease, Stop};

/// log₂ of the items per chunk.
const BITS: usize = 12;
const CHUNK: usize = 1 << BITS;

#[derive(Debug)]
pub(super) struct Chunks<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    len: usize,
    lease: Lease,
}

impl<T: Copy + Default> Chunks<T> {
    pub fn new(budget: &Budget) -> Chunks<T> {
        Chunks {
            chunks: Vec::new(),
            len: 0,
            lease: budget.lease(),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> u64 {
        self.lease.bytes()
    }

    #[inline]
    pub fn get(&self, i: u32) -> T {
        self.chunks[i as usize >> BITS][i as usize % CHUNK]
    }

    /// Ensures space for one more item.
    #[inline]
    pub fn reserve(&mut self) -> Result<(), Stop> {
        if self.len == self.chunks.len() * CHUNK {
            self.grow()
        } else {
            Ok(())
        }
    }

    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), Stop> {
        self.reserve()?;
        self.chunks[self.len >> BITS][self.len % CHUNK] = item;
        self.len += 1;
        Ok(())
    }

    #[cold]
    fn grow(&mut self) -> Result<(), Stop> {
        let chunks = self.chunks.len() + 1;
        self.lease.resize(chunks * CHUNK * size_of::<T>())?;
        let chunk = vec![T::default(); CHUNK].try_into();
        self.chunks.extend(chunk.ok());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_and_bytes_are_leased() {
        let budget = Budget::bytes(100_000);
        let mut chunks = Chunks::new(&budget);
        let mut pushed = 0u64;
        while chunks.push(pushed * 3).is_ok() {
            pushed += 1;
        }
        assert_eq!(pushed, 3 * CHUNK as u64);
        assert_eq!((chunks.len() as u64, chunks.bytes()), (pushed, pushed * 8));
        assert!((0..pushed).all(|i| chunks.get(i as u32) == i * 3));
        assert_eq!(chunks.push(0), Err(Stop::Memory));
    }
}
