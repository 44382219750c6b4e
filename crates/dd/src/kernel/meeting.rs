//! Meetings: how workers on the same tables make way for one of them.
//!
//! A worker is inside while it computes, and outside between operations, so that it keeps nobody waiting. A worker that is the only
//! one stays inside: then there is nobody to wait.
//!
//! Meetings take place where a node is made and nowhere else. That is where a collection could always begin, so the
//! rule for operations is [the one](super) that there was with one worker: what is needed afterwards is rooted.

use std::ops::Deref;

use super::make::Reserve;
use super::{Kernel, NodeId};
use crate::tables::Tables;
use lariat_budget::Stop;
use lariat_parallel::Pass;

/// Look-ups that a worker counts for itself before it tells: most operations are small, and counters that several write are slow.
const MANY: u64 = 1 << 12;

impl Drop for Kernel {
    /// What this worker has counted is not to be lost.
    fn drop(&mut self) {
        self.tell();
    }
}

impl Kernel {
    /// Another worker on the same tables, which may run in another thread.
    pub(crate) fn worker(&mut self) -> Result<Kernel, Stop> {
        let (worker, shared) = self.alone(|tables| (tables.enrol(), tables.cache.share()));
        if let Err(stop) = shared {
            self.end();
            return Err(stop);
        }
        let mut pass = self.tables.another();
        // The other may have to wait for somebody who wants to be alone, and who waits for all that are inside.
        self.end();
        pass.enter();
        let mut other = Kernel::with(self.levels, pass, worker, &self.budget);
        other.cap = self.cap;
        other.collect_always = self.collect_always;
        other.totals = self.totals.clone();
        other.end();
        Ok(other)
    }

    /// An operation begins.
    pub(crate) fn begin(&mut self) {
        if self.tables.enter() {
            self.reserve = Reserve::default();
        }
        self.workers = self.tables.passes();
        self.several = self.workers > 1;
        self.pressures.review(&self.tables.cache);
    }

    /// An operation is over; its result is rooted.
    pub(crate) fn end(&mut self) {
        if self.tables.is_inside() && !self.tables.is_sole() {
            self.reserve.report(&self.tables);
            if self.counted.lookups > MANY {
                self.tell();
            }
            self.tables.leave();
        }
    }

    /// Tells the tables what this worker has made.
    fn report(&mut self) {
        self.reserve.report(&self.tables);
        self.tell();
    }

    /// Tells what this worker has counted.
    fn tell(&mut self) {
        self.totals.add(std::mem::take(&mut self.counted));
    }

    /// All that must survive a collection: the node in the making has its children on the stack.
    pub(super) fn roots(&self) -> Vec<NodeId> {
        let edges = self.stack.iter().map(|edge| edge.1);
        edges.chain(self.bench.roots()).collect()
    }

    /// Lets others have their turns, where a node is about to be made.
    #[cold]
    pub(super) fn make_way(&mut self) {
        if self.cramped {
            self.cramped = false;
            self.grow_cache();
        }
        self.report();
        self.tables.rest(self.worker, self.roots());
        if self.tables.make_way() {
            self.reserve = Reserve::default();
            self.pressures.review(&self.tables.cache);
        }
        self.tables.go_on(self.worker);
    }

    /// What `work` makes of the tables, with all other workers outside. Where there are others, what this one has set aside is
    /// void afterwards, since they may have had their turns before.
    pub(crate) fn alone<R>(&mut self, work: impl FnOnce(&mut Tables) -> R) -> R {
        self.begin();
        self.reserve.report(&self.tables);
        let (several, hands) = (self.several, self.workers);
        if several {
            self.tables.rest(self.worker, self.roots());
        }
        let result = self.tables.alone(|tables| {
            tables.hands = hands;
            let result = work(tables);
            if several {
                tables.unique.recall();
            }
            result
        });
        if several {
            self.tables.go_on(self.worker);
            self.reserve = Reserve::default();
            self.pressures.review(&self.tables.cache);
        }
        result
    }

    /// The cache is full of what is needed.
    #[cold]
    pub(super) fn crowd(&mut self) {
        if self.several {
            // The result that is to be remembered is not rooted.
            self.cramped = true;
        } else {
            self.grow_cache();
        }
    }

    /// Lets those tables of the cache grow that should.
    fn grow_cache(&mut self) {
        let mut pressures = self.pressures;
        let cache = &self.tables.cache;
        let narrow = pressures.narrow.is_high() && !cache.narrow.suffices(&mut pressures.narrow);
        let wide = pressures.wide.is_high() && !cache.wide.suffices(&mut pressures.wide);
        if narrow || wide {
            self.alone(|tables| {
                if narrow {
                    tables
                        .cache
                        .narrow
                        .grow(&mut pressures.narrow, tables.hands);
                }
                if wide {
                    tables.cache.wide.grow(&mut pressures.wide, tables.hands);
                }
            });
        }
        self.pressures = pressures;
    }

    /// The tables, for reading them between operations.
    pub(crate) fn look(&self) -> Look<'_> {
        if self.tables.is_inside() {
            return Look::Inside(&self.tables);
        }
        let mut visitor = self.tables.another();
        visitor.enter();
        Look::Visiting(visitor)
    }
}

/// The tables while somebody reads them.
pub(crate) enum Look<'a> {
    /// By a worker that is inside.
    Inside(&'a Tables),
    /// By one that is not; nobody has the tables alone until this is dropped.
    Visiting(Pass<Tables>),
}

impl Deref for Look<'_> {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        match self {
            Look::Inside(tables) => tables,
            Look::Visiting(visitor) => visitor,
        }
    }
}
