//! The tables that all workers of a store share: nodes, unique table, cache, events, handles.
//!
//! Workers read and extend the tables inside the shared section of a
//! [gate](lariat_parallel::SharedHandle); growing a table, collecting garbage and adding events
//! need exclusive access. A worker that yields during an operation deposits its roots here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::cache::Cache;
use crate::event::Chains;
use crate::kernel::{CacheScopeId, DdNode};
use crate::pool::{NodePool, word};
use crate::unique::UniqueTable;
use lariat_budget::{Budget, Lease, Stop};
use lariat_parallel::Leaf;

/// Bytes of cache that are acceptable for any number of nodes.
const SMALL_CACHE: usize = 1 << 24;

pub(crate) struct StoreTables {
    pub pool: NodePool,
    pub unique: UniqueTable,
    pub cache: Cache,
    pub chains: Chains,
    /// Handles by worker. A list outlives its worker while one of its handles lives.
    handles: Vec<Held>,
    last_scope: AtomicU32,
    /// Roots of the workers that have yielded.
    deposited: Leaf<Vec<(WorkerId, Vec<DdNode>)>>,
    pub collections: u64,
    /// Maximal number of nodes at one moment, and the words that held them.
    pub peak: (usize, usize),
    /// Number of words in the pool at which a collection is due.
    pub collect_at: usize,
    /// Number of threads for exclusive work on a table: the waiting workers and the present one.
    pub threads: usize,
    nodes_lease: Lease,
    unique_lease: Lease,
    /// The number of the last worker.
    next_worker: u32,
}

/// The number of a worker of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerId(u32);

/// The handles of one worker; the lock is contended only by collections.
pub(crate) type Held = Arc<Leaf<Handles>>;

/// Handles that callers hold.
#[derive(Default)]
pub(crate) struct Handles {
    roots: Vec<Arc<DdNode>>,
    scopes: Vec<Arc<CacheScopeId>>,
    /// Length of the lists at which dropped handles are purged.
    purge_at: usize,
}

impl StoreTables {
    pub fn new(budget: &Budget) -> Result<StoreTables, Stop> {
        let mut tables = StoreTables {
            pool: NodePool::new(),
            unique: UniqueTable::new(),
            cache: Cache::new(budget.lease(), budget.lease())?,
            ..StoreTables::empty(budget)
        };
        tables.unique_lease.resize(tables.unique.bytes())?;
        Ok(tables)
    }

    /// Returns empty tables, without the two terminals.
    pub fn empty(budget: &Budget) -> StoreTables {
        StoreTables {
            pool: NodePool::default(),
            unique: UniqueTable::default(),
            cache: Cache::empty(budget.lease(), budget.lease()),
            chains: Chains::new(budget.lease()),
            handles: Vec::new(),
            last_scope: AtomicU32::new(0),
            deposited: Leaf::default(),
            collections: 0,
            peak: (0, 0),
            collect_at: 0,
            threads: 1,
            nodes_lease: budget.lease(),
            unique_lease: budget.lease(),
            next_worker: 0,
        }
    }

    /// Returns the number of a new worker, and its list of handles.
    pub fn register_worker(&mut self) -> (WorkerId, Held) {
        let held = Held::default();
        self.handles.push(held.clone());
        self.next_worker += 1;
        (WorkerId(self.next_worker), held)
    }

    /// Sets the limits of the cache: it grows readily to twice the size of the nodes, and under
    /// pressure to a quarter of `limit`, the byte limit.
    pub fn limit_cache(&mut self, limit: u64) {
        let quarter = usize::try_from(limit / 4).unwrap_or(usize::MAX);
        let nodes = NodePool::bytes_for(self.pool.capacity()) + self.unique.bytes();
        self.cache.limit((2 * nodes).max(SMALL_CACHE), quarter);
    }

    /// Grows the unique table, unless permits are free again. False if the budget refuses.
    pub fn grow_unique(&mut self, limit: u64) -> bool {
        if !self.unique.is_full() {
            return true;
        }
        let both = self.unique.bytes() + self.unique.next_capacity() * 8;
        let granted = self.unique_lease.resize(both).is_ok();
        if granted {
            self.unique.grow(self.threads);
            self.limit_cache(limit);
        }
        // Shrinking never fails.
        let _ = self.unique_lease.resize(self.unique.bytes());
        granted
    }

    /// Grows the pool by `length` words or more, unless it has grown from `was`. False if refused.
    pub fn grow_pool(&mut self, was: usize, length: usize, limit: u64) -> bool {
        if self.pool.capacity() != was {
            return true;
        }
        let most = u32::MAX as usize;
        for wish in [was / 4 + (1 << 14), 1 << 14, 0] {
            // One more word, so that offsets stay below the capacity.
            let capacity = (was + length + wish).min(most);
            if capacity < was + length {
                break;
            }
            let bytes = NodePool::bytes_for(capacity);
            if self.nodes_lease.resize(bytes).is_ok() {
                self.pool.grow(capacity);
                self.limit_cache(limit);
                return true;
            }
        }
        false
    }

    /// Returns the number of a new scope.
    pub fn next_scope(&self) -> CacheScopeId {
        // The numbers wrap around after 2³² scopes; stale entries are dropped long before.
        let next = |last: u32| Some(last.checked_add(1).unwrap_or(1));
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let last = self.last_scope.fetch_update(set, fetch, next);
        CacheScopeId(last.ok().and_then(next).unwrap_or(1))
    }

    /// Stores the roots of `worker`, which yields.
    pub fn deposit_roots(&self, worker: WorkerId, roots: Vec<DdNode>) {
        self.deposited.with(|all| all.push((worker, roots)));
    }

    /// Removes the roots of `worker`, which continues.
    pub fn withdraw_roots(&self, worker: WorkerId) {
        self.deposited
            .with(|all| all.retain(|(other, _)| *other != worker));
    }

    /// Marks all nodes reachable from handles and from the roots of workers, and frees the rest.
    /// The next collection is due after at least `pause` more words.
    pub fn collect(&mut self, pause: usize) {
        self.collections += 1;
        self.note_peak();
        let mut roots = Vec::new();
        let mut open = Vec::new();
        self.handles.retain(|held| {
            held.with(|handles| {
                handles.purge();
                roots.extend(handles.roots.iter().map(|root| **root));
                open.extend(handles.scopes.iter().map(|scope| **scope));
                Arc::strong_count(held) > 1 || !handles.is_empty()
            })
        });
        open.sort_unstable();
        roots.extend(self.deposited.get_mut().iter().flat_map(|(_, held)| held));
        let pool = &mut self.pool;
        pool.clear_marks();
        let mut todo = Vec::new();
        for root in roots {
            if pool.mark(root) {
                todo.push(root);
            }
            while let Some(node) = todo.pop() {
                let from = todo.len();
                let block = pool.block(node);
                // In a sparse node every second word is a child.
                let step = 1 + (word(&block[0]) & 1) as usize;
                let children = block.iter().skip(step).step_by(step);
                todo.extend(children.map(|child| DdNode(word(child))));
                let mut to = from;
                for at in from..todo.len() {
                    if pool.mark(todo[at]) {
                        todo[to] = todo[at];
                        to += 1;
                    }
                }
                todo.truncate(to);
            }
        }
        let alive = pool.marked();
        self.unique.sweep(self.threads, |node| alive(DdNode(node)));
        let is_open = |scope| scope == CacheScopeId::ALWAYS || open.binary_search(&scope).is_ok();
        self.cache.sweep(self.threads, alive, is_open);
        let live = self.pool.occupied();
        self.collect_at = live + live.max(pause);
    }

    /// Updates the maximal number of nodes.
    fn note_peak(&mut self) {
        let nodes = self.unique.count();
        if nodes > self.peak.0 {
            self.peak = (nodes, self.pool.occupied());
        }
    }
}

/// Minimal number of handles at which dropped ones are purged.
const FEW_HANDLES: usize = 64;

impl Handles {
    /// Returns a handle that keeps `node` alive.
    pub fn root(&mut self, node: DdNode) -> Arc<DdNode> {
        self.purge_if_many();
        let root = Arc::new(node);
        self.roots.push(root.clone());
        root
    }

    /// Returns a handle that keeps `scope` open.
    pub fn scope(&mut self, scope: CacheScopeId) -> Arc<CacheScopeId> {
        self.purge_if_many();
        let scope = Arc::new(scope);
        self.scopes.push(scope.clone());
        scope
    }

    fn is_empty(&self) -> bool {
        self.roots.is_empty() && self.scopes.is_empty()
    }

    /// Purges dropped handles if there are many.
    fn purge_if_many(&mut self) {
        if self.roots.len() + self.scopes.len() >= self.purge_at.max(FEW_HANDLES) {
            self.purge();
        }
    }

    fn purge(&mut self) {
        self.roots.retain(|root| Arc::strong_count(root) > 1);
        self.scopes.retain(|scope| Arc::strong_count(scope) > 1);
        self.purge_at = 2 * (self.roots.len() + self.scopes.len());
    }
}
