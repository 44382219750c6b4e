//! What all workers of a store share: nodes, tables, events, handles.
//!
//! Workers read and add to the tables through a [pass](lariat_parallel::Pass); who lets one grow, collects garbage or adds
//! events has them alone. A worker that makes way for that in the midst of an operation leaves its roots here.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::Cache;
use crate::event::Chains;
use crate::kernel::{NodeId, ScopeId};
use crate::pool::{NodePool, word};
use crate::unique::UniqueTable;
use lariat_budget::{Budget, Lease, Stop};

/// The cache readily takes this many bytes however few nodes there are.
const SMALL_CACHE: usize = 1 << 24;

pub(crate) struct Tables {
    pub pool: NodePool,
    pub unique: UniqueTable,
    pub cache: Cache,
    pub chains: Chains,
    /// What callers hold, by the worker that made it. A list lives on after its worker, while somebody holds something.
    handles: Vec<Held>,
    last_scope: AtomicU32,
    /// What workers hold that have made way.
    resting: Mutex<Vec<(WorkerId, Vec<NodeId>)>>,
    pub collections: u64,
    /// The most nodes at one moment, and the words that held them.
    pub peak: (usize, usize),
    /// Collect when the pool holds this many words.
    pub collect_at: usize,
    /// Those who wait while somebody has the tables alone, and that one: so many threads may go through them.
    pub hands: usize,
    nodes_lease: Lease,
    unique_lease: Lease,
    /// The number of the next worker.
    next_worker: u32,
}

/// A worker on a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerId(u32);

/// The handles of one worker: a lock that nobody else takes but who collects.
pub(crate) type Held = Arc<Mutex<Handles>>;

/// Handles that callers hold.
#[derive(Default)]
pub(crate) struct Handles {
    roots: Vec<Arc<NodeId>>,
    scopes: Vec<Arc<ScopeId>>,
    /// Purge the lists when they reach this length.
    purge_at: usize,
}

impl Tables {
    pub fn new(budget: &Budget) -> Result<Tables, Stop> {
        let mut tables = Tables {
            pool: NodePool::new(),
            unique: UniqueTable::new(),
            cache: Cache::new(budget.lease(), budget.lease())?,
            ..Tables::empty(budget)
        };
        tables.unique_lease.resize(tables.unique.bytes())?;
        Ok(tables)
    }

    /// Nothing, not even the two terminals.
    pub fn empty(budget: &Budget) -> Tables {
        Tables {
            pool: NodePool::default(),
            unique: UniqueTable::default(),
            cache: Cache::empty(budget.lease(), budget.lease()),
            chains: Chains::new(budget.lease()),
            handles: Vec::new(),
            last_scope: AtomicU32::new(0),
            resting: Mutex::default(),
            collections: 0,
            peak: (0, 0),
            collect_at: 0,
            hands: 1,
            nodes_lease: budget.lease(),
            unique_lease: budget.lease(),
            next_worker: 0,
        }
    }

    /// The number of a new worker, and where its handles are.
    pub fn enrol(&mut self) -> (WorkerId, Held) {
        let held = Held::default();
        self.handles.push(held.clone());
        self.next_worker += 1;
        (WorkerId(self.next_worker), held)
    }

    /// The cache grows readily until it is twice as large as the nodes, and if it must to a
    /// quarter of all bytes, which are `limit`.
    pub fn limit_cache(&mut self, limit: u64) {
        let quarter = usize::try_from(limit / 4).unwrap_or(usize::MAX);
        let nodes = NodePool::bytes_for(self.pool.capacity()) + self.unique.bytes();
        self.cache.limit((2 * nodes).max(SMALL_CACHE), quarter);
    }

    /// Lets the unique table grow, unless there are permits again. False if the budget refuses.
    pub fn grow_unique(&mut self, limit: u64) -> bool {
        if !self.unique.is_full() {
            return true;
        }
        let both = self.unique.bytes() + self.unique.next_capacity() * 8;
        let granted = self.unique_lease.resize(both).is_ok();
        if granted {
            self.unique.grow(self.hands);
            self.limit_cache(limit);
        }
        // Shrinking never fails.
        let _ = self.unique_lease.resize(self.unique.bytes());
        granted
    }

    /// Lets the pool grow by `length` words at least, unless it is no longer as large as it `was`. False if the budget
    /// refuses.
    pub fn grow_pool(&mut self, was: usize, length: usize, limit: u64) -> bool {
        if self.pool.capacity() != was {
            return true;
        }
        let most = u32::MAX as usize;
        for wish in [was / 4 + (1 << 14), 1 << 14, 0] {
            // One more word than asked, so that offsets stay below the capacity.
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

    /// The number of a new scope.
    pub fn next_scope(&self) -> ScopeId {
        // After four thousand million scopes the numbers would repeat; stale entries with them are gone long before.
        let next = |last: u32| Some(last.checked_add(1).unwrap_or(1));
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let last = self.last_scope.fetch_update(set, fetch, next);
        ScopeId(last.ok().and_then(next).unwrap_or(1))
    }

    fn resting(&self) -> MutexGuard<'_, Vec<(WorkerId, Vec<NodeId>)>> {
        lock(&self.resting)
    }

    /// `worker` makes way and holds `roots`.
    pub fn rest(&self, worker: WorkerId, roots: Vec<NodeId>) {
        self.resting().push((worker, roots));
    }

    /// `worker` goes on.
    pub fn go_on(&self, worker: WorkerId) {
        self.resting().retain(|(other, _)| *other != worker);
    }

    /// Marks what the handles and the roots of all workers reach, and forgets the rest. `pause` words are made at least before
    /// the next collection.
    pub fn collect(&mut self, pause: usize) {
        self.collections += 1;
        self.note_peak();
        let mut roots = Vec::new();
        let mut open = Vec::new();
        self.handles.retain(|held| {
            let mut handles = lock(held);
            handles.purge();
            roots.extend(handles.roots.iter().map(|root| **root));
            open.extend(handles.scopes.iter().map(|scope| **scope));
            Arc::strong_count(held) > 1 || !handles.is_empty()
        });
        open.sort_unstable();
        roots.extend(self.resting().iter().flat_map(|(_, held)| held));
        let pool = &mut self.pool;
        pool.unmark();
        let mut todo = Vec::new();
        for root in roots {
            if pool.mark(root) {
                todo.push(root);
            }
            while let Some(node) = todo.pop() {
                let from = todo.len();
                let block = pool.block(node);
                let (step, skip) = match word(&block[0]) & 1 {
                    0 => (1, 1),
                    _ => (2, 2),
                };
                let children = block.iter().skip(skip).step_by(step);
                todo.extend(children.map(|child| NodeId(word(child))));
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
        self.unique.sweep(self.hands, |node| alive(NodeId(node)));
        let is_open = |scope| scope == ScopeId::ALWAYS || open.binary_search(&scope).is_ok();
        self.cache.sweep(self.hands, alive, is_open);
        let live = self.pool.occupied();
        self.collect_at = live + live.max(pause);
    }

    /// Remembers the present number of nodes if it is the largest so far.
    fn note_peak(&mut self) {
        let nodes = self.unique.count();
        if nodes > self.peak.0 {
            self.peak = (nodes, self.pool.occupied());
        }
    }
}

/// The least number of handles at which the dropped ones are looked for.
const FEW_HANDLES: usize = 64;

/// What is behind a lock; whether somebody panicked there does not matter to the others.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handles {
    /// A handle that keeps `node` alive.
    pub fn root(&mut self, node: NodeId) -> Arc<NodeId> {
        self.purge_if_many();
        let root = Arc::new(node);
        self.roots.push(root.clone());
        root
    }

    /// A handle that keeps `scope` open.
    pub fn scope(&mut self, scope: ScopeId) -> Arc<ScopeId> {
        self.purge_if_many();
        let scope = Arc::new(scope);
        self.scopes.push(scope.clone());
        scope
    }

    fn is_empty(&self) -> bool {
        self.roots.is_empty() && self.scopes.is_empty()
    }

    /// Forgets dropped handles when there are many.
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
