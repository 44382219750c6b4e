//! The unique table: equal nodes have equal ids.
//!
//! A concurrent [hash table of ids](Slots). A worker needs a *permit* to insert a node, the right
//! to one slot, so the table never overfills; workers take some hundred permits at a time. The
//! table grows by half, which keeps its share per node below 16 bytes.

use std::sync::atomic::{AtomicUsize, Ordering};

use lariat_parallel::Slots;

#[derive(Default)]
pub(crate) struct UniqueTable {
    pub slots: Slots,
    /// Number of nodes, as reported by workers.
    count: AtomicUsize,
    /// Permits not yet taken.
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
        table.revoke_permits();
        table
    }

    /// Returns the number of nodes, as reported by workers.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Adds `nodes` new nodes of a worker to the count.
    pub fn report(&self, nodes: usize) {
        self.count.fetch_add(nodes, Ordering::Relaxed);
    }

    pub fn bytes(&self) -> usize {
        self.slots.capacity() * 8
    }

    /// Takes permits for a worker; none if the table must grow.
    pub fn permits(&self) -> usize {
        let take = |left: usize| (left > 0).then(|| left.saturating_sub(PERMITS));
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map_or(0, |before| before.min(PERMITS))
    }

    /// Returns whether all permits are taken.
    pub fn is_full(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Revokes the permits that workers have not used.
    pub fn revoke_permits(&mut self) {
        let room = Slots::room(self.slots.capacity());
        *self.left.get_mut() = room.saturating_sub(*self.count.get_mut());
    }

    /// Returns the capacity after the next growth.
    pub fn next_capacity(&self) -> usize {
        let capacity = self.slots.capacity();
        capacity + capacity / 2
    }

    /// Grows and revokes permits. The caller holds the lease for both tables.
    pub fn grow(&mut self, threads: usize) {
        self.slots.grow(self.next_capacity(), threads);
        self.revoke_permits();
    }

    /// Keeps the nodes that are `alive` and revokes permits.
    pub fn sweep(&mut self, threads: usize, alive: impl Fn(u32) -> bool + Sync) {
        *self.count.get_mut() = self.slots.sweep(threads, alive);
        self.revoke_permits();
    }
}
