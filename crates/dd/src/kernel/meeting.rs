//! Safepoints: the workers of a store yield to one with exclusive access to the tables.
//!
//! A worker is inside the shared section of the [gate](lariat_parallel::SharedHandle) during an
//! operation and outside between operations, so idle workers cause no delay. A single worker stays
//! inside.
//!
//! The only safepoint is the creation of a node, where a collection may start with a single worker
//! too. So the rule for operations is [the same](super): nodes that are needed afterwards are
//! rooted. A yielding worker deposits its roots in the tables, under a mutex.

use std::ops::Deref;

use super::make::Reserve;
use super::{DdNode, Kernel, KernelOptions};
use crate::tables::StoreTables;
use lariat_budget::{Budget, Stop};
use lariat_parallel::SharedHandle;

/// Lookups after which a worker reports its counters: shared counters are slow.
const MANY: u64 = 1 << 12;

impl Drop for Kernel {
    /// Reports the remaining counts.
    fn drop(&mut self) {
        self.report_counters();
    }
}

impl Kernel {
    /// Returns another worker on the same tables, for another thread.
    pub(crate) fn worker(&mut self) -> Result<Kernel, Stop> {
        let registered =
            self.with_exclusive(|tables| (tables.register_worker(), tables.cache.share()));
        let ((id, handles), shared) = match registered {
            Ok(registered) => registered,
            Err(stop) => {
                self.end();
                return Err(stop);
            }
        };
        if let Err(stop) = shared {
            self.end();
            return Err(stop);
        }
        let mut pass = self.tables.another();
        // The new worker may have to wait for a writer, which waits for all workers inside.
        self.end();
        pass.enter();
        let mut other = Kernel::with(self.levels, pass, id, handles, &self.work.budget);
        other.options = KernelOptions {
            backwards: false,
            ..self.options
        };
        other.counters.totals = self.counters.totals.clone();
        other.end();
        Ok(other)
    }

    /// Starts an operation.
    pub(crate) fn begin(&mut self) {
        if self.tables.enter() {
            self.reserve = Reserve::default();
        }
        self.peers.count = self.tables.passes();
        self.peers.several = self.peers.count > 1;
        self.pressures.update_lengths(&self.tables.cache);
    }

    /// Ends an operation, whose result is rooted.
    pub(crate) fn end(&mut self) {
        if self.tables.is_inside() && !self.tables.is_sole() {
            self.reserve.report(&self.tables);
            if self.counters.pending.lookups > MANY {
                self.report_counters();
            }
            self.tables.leave();
        }
    }

    /// Reports all counts of this worker.
    fn report(&mut self) {
        self.reserve.report(&self.tables);
        self.report_counters();
    }

    /// Reports lookups and created nodes.
    fn report_counters(&mut self) {
        let pending = std::mem::take(&mut self.counters.pending);
        self.counters
            .totals
            .with(|totals| *totals = totals.plus(pending));
    }

    /// Returns all roots of this worker; an unfinished node has its children on the stack.
    pub(super) fn roots(&self) -> Vec<DdNode> {
        let edges = self.stack.iter().map(|edge| edge.1);
        edges.chain(self.bench.roots()).collect()
    }

    /// Yields to waiting writers before a node is created.
    #[cold]
    pub(super) fn yield_to_writer(&mut self) {
        if self.pressures.growth_wanted {
            self.pressures.growth_wanted = false;
            self.grow_cache();
        }
        self.report();
        self.tables.deposit_roots(self.peers.id, self.roots());
        if self.tables.yield_to_writer() {
            self.reserve = Reserve::default();
            self.pressures.update_lengths(&self.tables.cache);
        }
        self.tables.withdraw_roots(self.peers.id);
    }

    /// Runs `work` with exclusive access to the tables; fails if the budget is exhausted now, or
    /// before all other workers have left.
    pub(crate) fn with_exclusive<R>(
        &mut self,
        work: impl FnOnce(&mut StoreTables) -> R,
    ) -> Result<R, Stop> {
        let budget = self.work.budget.clone();
        budget.check()?;
        self.with_exclusive_under(&budget, work)
    }

    /// Like [`with_exclusive`](Kernel::with_exclusive), for the rare operations that cannot fail:
    /// the other workers leave when their operations end.
    pub(crate) fn with_exclusive_always<R>(
        &mut self,
        work: impl FnOnce(&mut StoreTables) -> R,
    ) -> R {
        match self.with_exclusive_under(&Budget::unlimited(), work) {
            Ok(result) => result,
            Err(stop) => unreachable!("an unlimited budget stops by {stop}"),
        }
    }

    /// Runs `work` with exclusive access to the tables. With several workers the reserve of this
    /// one is void afterwards, since other exclusive sections may have come first.
    fn with_exclusive_under<R>(
        &mut self,
        budget: &Budget,
        work: impl FnOnce(&mut StoreTables) -> R,
    ) -> Result<R, Stop> {
        self.begin();
        self.reserve.report(&self.tables);
        let (several, threads) = (self.peers.several, self.peers.count);
        if several {
            self.tables.deposit_roots(self.peers.id, self.roots());
        }
        let result = self.tables.with_exclusive(budget, |tables| {
            tables.threads = threads;
            let result = work(tables);
            if several {
                tables.unique.revoke_permits();
            }
            result
        });
        if several {
            self.tables.withdraw_roots(self.peers.id);
            self.reserve = Reserve::default();
            self.pressures.update_lengths(&self.tables.cache);
        }
        result
    }

    /// Requests a larger cache, since live entries are overwritten.
    #[cold]
    pub(super) fn request_larger_cache(&mut self) {
        if self.peers.several {
            // The unrooted result that is about to be cached must not be collected.
            self.pressures.growth_wanted = true;
        } else {
            self.grow_cache();
        }
    }

    /// Grows those tables of the cache that are due.
    fn grow_cache(&mut self) {
        let mut pressures = self.pressures;
        let cache = &self.tables.cache;
        let narrow = pressures.narrow.is_high() && !cache.narrow.suffices(&mut pressures.narrow);
        let wide = pressures.wide.is_high() && !cache.wide.suffices(&mut pressures.wide);
        if narrow || wide {
            let grown = self.with_exclusive(|tables| {
                let (cache, threads) = (&mut tables.cache, tables.threads);
                if narrow {
                    cache.narrow.grow(&mut pressures.narrow, threads);
                }
                if wide {
                    cache.wide.grow(&mut pressures.wide, threads);
                }
            });
            if grown.is_err() {
                // The next poll of the budget ends the operation.
                return;
            }
        }
        self.pressures = pressures;
    }

    /// Returns the tables for reading between operations.
    pub(crate) fn read_tables(&self) -> Look<'_> {
        if self.tables.is_inside() {
            return Look::Inside(&self.tables);
        }
        let mut visitor = self.tables.another();
        visitor.enter();
        Look::Visiting(visitor)
    }
}

/// Shared access to the tables.
pub(crate) enum Look<'a> {
    /// Of a worker that is inside.
    Inside(&'a StoreTables),
    /// Of a worker that is outside; delays writers until it is dropped.
    Visiting(SharedHandle<StoreTables>),
}

impl Deref for Look<'_> {
    type Target = StoreTables;

    fn deref(&self) -> &StoreTables {
        match self {
            Look::Inside(tables) => tables,
            Look::Visiting(visitor) => visitor,
        }
    }
}
