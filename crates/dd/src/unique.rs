//! The unique table: equal nodes have equal ids.
//!
//! Open addressing with linear probing over `(hash, id)` pairs of 32 bits each. The home of a
//! hash is `hash · capacity / 2³²`, so the table can have any capacity (it grows by half, which
//! keeps its share of a node below 16 bytes) and its entries lie nearly in the order of their
//! hashes: growing and sweeping read and write memory in order.

use crate::kernel::NodeId;

pub(crate) struct UniqueTable {
    entries: Vec<u64>,
    count: usize,
}

const SMALLEST: usize = 1 << 10;

impl UniqueTable {
    pub fn new() -> UniqueTable {
        UniqueTable {
            entries: vec![0; SMALLEST],
            count: 0,
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn bytes(&self) -> usize {
        self.entries.len() * 8
    }

    /// The capacity to grow to before one more entry goes in, if it must.
    pub fn wants(&self) -> Option<usize> {
        let capacity = self.entries.len();
        (self.count * 4 >= capacity * 3).then(|| capacity + capacity / 2)
    }

    /// Grows to `capacity` entries. The caller holds the lease for both tables.
    pub fn grow(&mut self, capacity: usize) {
        let old = std::mem::replace(&mut self.entries, vec![0; capacity]);
        for entry in old {
            if entry != 0 {
                self.put(entry);
            }
        }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((hash as u64 * self.entries.len() as u64) >> 32) as usize
    }

    #[inline]
    fn put(&mut self, entry: u64) {
        let mut at = self.home((entry >> 32) as u32);
        while self.entries[at] != 0 {
            at += 1;
            if at == self.entries.len() {
                at = 0;
            }
        }
        self.entries[at] = entry;
    }

    #[inline]
    pub fn find(&self, hash: u32, equal: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        let mut at = self.home(hash);
        loop {
            let entry = self.entries[at];
            if entry == 0 {
                return None;
            }
            if (entry >> 32) as u32 == hash && equal(NodeId(entry as u32)) {
                return Some(NodeId(entry as u32));
            }
            at += 1;
            if at == self.entries.len() {
                at = 0;
            }
        }
    }

    #[inline]
    pub fn insert(&mut self, hash: u32, node: NodeId) {
        self.put((hash as u64) << 32 | node.0 as u64);
        self.count += 1;
    }

    /// Keeps the entries whose node is `alive`.
    ///
    /// Starting behind an empty slot, every entry is taken out and put back at or before the
    /// place it had, so no second table is needed.
    pub fn sweep(&mut self, alive: impl Fn(NodeId) -> bool) {
        let capacity = self.entries.len();
        let Some(start) = self.entries.iter().position(|&entry| entry == 0) else {
            return;
        };
        self.count = 0;
        for step in 1..=capacity {
            let at = (start + step) % capacity;
            let entry = self.entries[at];
            if entry != 0 {
                self.entries[at] = 0;
                if alive(NodeId(entry as u32)) {
                    self.put(entry);
                    self.count += 1;
                }
            }
        }
    }
}
