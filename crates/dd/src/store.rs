//! The store of all sets over the same levels.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::event::{EventPart, EventRelation, Subset};
use crate::kernel::{CacheScope, DdNode, Halt, Kernel};
use crate::pool::NodePool;
use lariat_budget::{Budget, Stop};

/// A set of vectors, kept alive by the handle and its clones.
///
/// Sets of one store are equal exactly if their nodes are, so a comparison takes constant time.
#[derive(Clone)]
pub struct Set {
    root: Arc<DdNode>,
    store: StoreId,
}

/// A process-wide unique number of a store. A reference count would be written by all workers
/// whenever a set is created or dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoreId(u64);

impl StoreId {
    fn new() -> StoreId {
        static LAST: AtomicU64 = AtomicU64::new(0);
        StoreId(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

impl Set {
    /// Returns the top node, for operations written on the [kernel](crate::kernel).
    pub fn node(&self) -> DdNode {
        *self.root
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.root.is_empty()
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        *self.root == *other.root && self.store == other.store
    }
}

impl Eq for Set {}

impl std::hash::Hash for Set {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.root.hash(state);
    }
}

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Set({})", self.root.0)
    }
}

/// Counters and sizes of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreFigures {
    /// Nodes created since the store exists.
    pub created: u64,
    /// Nodes in the unique table now, including dead ones.
    pub nodes: usize,
    /// Maximal number of nodes in the unique table at one moment.
    pub peak: usize,
    /// Bytes of the words that hold nodes.
    pub node_bytes: usize,
    /// Bytes of the words that held nodes at the maximal number of nodes. With the unique table,
    /// which never shrinks, this is the cost of nodes.
    pub peak_bytes: usize,
    /// Bytes reserved for nodes.
    pub pool_bytes: usize,
    /// Bytes of the unique table.
    pub unique_bytes: usize,
    /// Bytes of the operation cache.
    pub cache_bytes: usize,
    /// Lookups in the operation cache.
    pub lookups: u64,
    /// Lookups that were hits.
    pub hits: u64,
    /// Garbage collections.
    pub collections: u64,
}

/// Sets of vectors of one length, as diagrams with shared nodes.
///
/// See the [crate documentation](crate) for an overview.
pub struct Store {
    pub(crate) kernel: Kernel,
    pub(crate) id: StoreId,
}

/// Maximal number of levels with which operations run on the caller's stack.
const SHALLOW: u32 = 512;

/// Bytes of stack per level: a frame of `fire` and one of `fix`, in an unoptimised build.
const FRAME: usize = 4 << 10;

impl Store {
    /// Returns a store for vectors of `levels` values; level 0 is at the top of the diagrams.
    pub fn new(levels: usize, budget: &Budget) -> Result<Store, Stop> {
        let levels = u32::try_from(levels)
            .ok()
            .filter(|&levels| levels < 1 << 31)
            .ok_or_else(|| Stop::Bound(format!("{levels} levels in a diagram")))?;
        Ok(Store {
            kernel: Kernel::new(levels, budget)?,
            id: StoreId::new(),
        })
    }

    /// Returns the length of the vectors.
    pub fn levels(&self) -> usize {
        self.kernel.levels() as usize
    }

    /// Disables steps by guards and deltas to values above `cap`; [`enabled`](Store::enabled) and
    /// [`dead`](Store::dead) still count them as possible. Tables are not affected.
    pub fn capped(mut self, cap: u32) -> Store {
        self.kernel.options.cap = cap;
        self
    }

    /// Replaces the limits on time and counted work, and the cancel switch.
    ///
    /// The ledger of bytes should be that of the store.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.inside(|kernel| kernel.set_budget(budget));
    }

    /// Collects garbage now.
    pub fn collect(&mut self) {
        self.inside(Kernel::collect);
    }

    /// Collects garbage before every new node, so that tests detect unrooted nodes at once.
    pub fn collect_always(&mut self, always: bool) {
        self.kernel.options.collect_always = always;
    }

    /// Sets the direction in which edges are walked. A worker that duplicates the computation of
    /// another one walks backwards; results are the same.
    pub fn go_backwards(&mut self, backwards: bool) {
        self.kernel.options.backwards = backwards;
    }

    /// Returns counters and sizes.
    pub fn figures(&self) -> StoreFigures {
        let tables = self.kernel.read_tables();
        let (nodes, words) = self.kernel.unreported();
        let nodes = tables.unique.count() + nodes;
        let words = tables.pool.occupied() + words;
        let (peak, peak_words) = tables.peak.max((nodes, words));
        let counters = &self.kernel.counters;
        let counted = counters.totals.with(|totals| totals.plus(counters.pending));
        StoreFigures {
            created: counted.created,
            nodes,
            peak,
            node_bytes: words * 4,
            peak_bytes: peak_words * 4,
            pool_bytes: NodePool::bytes_for(tables.pool.capacity()),
            unique_bytes: tables.unique.bytes(),
            cache_bytes: tables.cache.bytes(),
            lookups: counted.lookups,
            hits: counted.lookups - counted.misses,
            collections: tables.collections,
        }
    }

    /// Returns another worker on this store, for another thread; sets of one can be used with the
    /// other, and they share the operation cache. Workers stop for a moment while one of them
    /// collects garbage; an idle worker causes no delay.
    pub fn worker(&mut self) -> Result<Store, Stop> {
        Ok(Store {
            kernel: self.kernel.worker()?,
            id: self.id,
        })
    }

    /// Runs `work` inside the shared section of the tables.
    fn inside<T>(&mut self, work: impl FnOnce(&mut Kernel) -> T) -> T {
        self.kernel.begin();
        let result = work(&mut self.kernel);
        self.kernel.end();
        result
    }

    /// Returns a new scope, for a [`LevelPredicate`](crate::LevelPredicate) or the keys of
    /// operations.
    pub fn scope(&mut self) -> CacheScope {
        self.inside(Kernel::scope)
    }

    /// Returns the event that consists of `parts`; `None` if it is impossible (an empty table).
    ///
    /// # Panics
    /// If two parts have a common level, a level is too large, or a row has a wrong length.
    pub fn event(&mut self, parts: &[EventPart]) -> Result<Option<EventRelation>, Stop> {
        let columns = |part: &EventPart| match part {
            EventPart::Delta { .. } => 0,
            EventPart::Table { levels, .. } => levels.len(),
        };
        let build = |kernel: &mut Kernel| {
            let levels = kernel.levels;
            kernel.with_exclusive(|tables| tables.chains.event(levels, parts))?
        };
        // Tables are built recursively, column by column.
        let chain = if parts.iter().map(columns).sum::<usize>() > SHALLOW as usize {
            self.deep(|kernel| Ok(build(kernel)))??
        } else {
            self.inside(build)?
        };
        Ok(chain.map(EventRelation))
    }

    /// Returns the inverse event; `None` if the event is impossible.
    pub fn inverse(&mut self, event: EventRelation) -> Result<Option<EventRelation>, Stop> {
        let invert = |kernel: &mut Kernel| {
            kernel.with_exclusive(|tables| tables.chains.invert(event.chain()))?
        };
        Ok(self.inside(invert)?.map(EventRelation))
    }

    /// Returns the subset of these events, for fixpoints and steps.
    pub fn subset(&mut self, events: impl IntoIterator<Item = EventRelation>) -> Subset {
        let chains = events.into_iter().map(EventRelation::chain).collect();
        self.inside(|kernel| {
            let scope = kernel.scope();
            Subset::new(scope, kernel.levels, &kernel.tables.chains, chains)
        })
    }

    /// Returns the subset of the inverses of these events.
    pub fn inverse_subset(
        &mut self,
        events: impl IntoIterator<Item = EventRelation>,
    ) -> Result<Subset, Stop> {
        let mut inverses = Vec::new();
        for event in events {
            inverses.extend(self.inverse(event)?);
        }
        Ok(self.subset(inverses))
    }

    /// Runs an operation written on the kernel, on a stack deep enough for the levels of the store,
    /// and roots the resulting node. `None` if it [left](Kernel::leave).
    pub fn run(
        &mut self,
        operation: impl FnOnce(&mut Kernel) -> Result<DdNode, Halt> + Send,
    ) -> Result<Option<Set>, Stop> {
        let root = self.deep_or_left(|kernel| {
            let node = operation(kernel)?;
            Ok(kernel.root(node))
        })?;
        Ok(root.map(|root| self.set(root)))
    }

    /// Like [`run`](Store::run), for operations that never leave.
    pub(crate) fn compute(
        &mut self,
        operation: impl FnOnce(&mut Kernel) -> Result<DdNode, Halt> + Send,
    ) -> Result<Set, Stop> {
        self.run(operation)?.ok_or(Stop::Interrupted)
    }

    /// Runs `operation` on a deep enough stack.
    pub(crate) fn deep<T: Send>(
        &mut self,
        operation: impl FnOnce(&mut Kernel) -> Result<T, Halt> + Send,
    ) -> Result<T, Stop> {
        self.deep_or_left(operation)?.ok_or(Stop::Interrupted)
    }

    fn deep_or_left<T: Send>(
        &mut self,
        operation: impl FnOnce(&mut Kernel) -> Result<T, Halt> + Send,
    ) -> Result<Option<T>, Stop> {
        let bytes = (self.levels() + 1024).saturating_mul(FRAME);
        let shallow = self.kernel.levels <= SHALLOW;
        self.inside(|kernel| {
            let run = || {
                let counted = kernel.count_operation();
                let outcome = counted.and_then(|()| operation(kernel));
                kernel.finish(outcome)
            };
            if shallow {
                return run();
            }
            std::thread::scope(|scope| {
                let thread = std::thread::Builder::new().stack_size(bytes);
                match thread.spawn_scoped(scope, run) {
                    Ok(handle) => match handle.join() {
                        Ok(outcome) => outcome,
                        Err(panic) => std::panic::resume_unwind(panic),
                    },
                    Err(_) => Err(Stop::Memory),
                }
            })
        })
    }

    /// Returns a handle for `node`.
    pub fn wrap(&mut self, node: DdNode) -> Set {
        let root = self.inside(|kernel| kernel.root(node));
        self.set(root)
    }

    fn set(&self, root: Arc<DdNode>) -> Set {
        Set {
            root,
            store: self.id,
        }
    }

    /// Returns the node of `set`, which must be of this store.
    pub(crate) fn node_of(&self, set: &Set) -> DdNode {
        let is_own = set.store == self.id;
        assert!(is_own, "a set is used with the store it was made in");
        set.node()
    }
}
