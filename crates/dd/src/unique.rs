//! The unique table: equal nodes have equal ids.
//!
//! A [hash table of ids](Slots) that workers add to without a lock. So that it never overfills, whoever adds a node needs a
//! *permit*, the right to one slot; workers take some hundred at a time. The table grows by half, which keeps its
//! share of a node below 16 bytes.

use std::sync::atomic::{AtomicUsize, Ordering};

use lariat_parallel::Slots;

#[derive(Default)]
pub(crate) struct UniqueTable {
    pub slots: Slots,
    /// Nodes in the table, as far as workers have reported them.
    count: AtomicUsize,
    /// Permits that nobody has taken.
    left: AtomicUsize,
}

const SMALLEST: usize = if cfg!(feature = "collect-always") {
    4
} else {
    1 << 10
};

/// Permits that a worker takes at a time.
const PERMITS: usize = 256;

impl UniqueTable {
    pub fn new() -> UniqueTable {
        let mut table = UniqueTable {
            slots: Slots::new(SMALLEST),
            ..UniqueTable::default()
        };
        table.recall();
        table
    }

    /// Nodes in the table, as far as workers have reported them.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// A worker reports that it has made `nodes` nodes.
    pub fn report(&self, nodes: usize) {
        self.count.fetch_add(nodes, Ordering::Relaxed);
    }

    pub fn bytes(&self) -> usize {
        self.slots.capacity() * 8
    }

    /// Permits for a worker; none if the table must grow.
    pub fn permits(&self) -> usize {
        let take = |left: usize| (left > 0).then(|| left.saturating_sub(PERMITS));
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map_or(0, |before| before.min(PERMITS))
    }

    /// Are all permits taken?
    pub fn is_full(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Declares all permits void that workers have not used.
    pub fn recall(&mut self) {
        let room = Slots::room(self.slots.capacity());
        *self.left.get_mut() = room.saturating_sub(*self.count.get_mut());
    }

    /// The capacity to grow to.
    pub fn next_capacity(&self) -> usize {
        let capacity = self.slots.capacity();
        capacity + capacity / 2
    }

    /// Grows by the work of `hands`. The caller holds the lease for both tables; permits are void.
    pub fn grow(&mut self, hands: usize) {
        self.slots.grow(self.next_capacity(), hands);
        self.recall();
    }

    /// Keeps the nodes that are `alive`; permits are void.
    pub fn sweep(&mut self, hands: usize, alive: impl Fn(u32) -> bool + Sync) {
        *self.count.get_mut() = self.slots.sweep(hands, alive);
        self.recall();
    }
}
