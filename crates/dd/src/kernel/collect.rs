//! Garbage collection: handles and scopes keep nodes and cache entries alive, all others are freed.
//!
//! Mark and sweep; nodes never move. Roots are the handles, and the shadow stacks and workbenches
//! of all workers. Results in the operation cache survive if their nodes and scopes do.

use std::sync::Arc;

use super::make::Reserve;
use super::{CacheScopeId, DdNode, Kernel};
use lariat_budget::Stop;

/// A name space for cache entries, closed when its last handle is dropped.
///
/// Event subsets and predicates have one each. Numbers are never reused, so entries of a closed
/// scope cannot be found, and the next collection drops them.
#[derive(Clone, Debug)]
pub struct CacheScope(Arc<CacheScopeId>);

impl CacheScope {
    /// Returns the number of the scope, for cache keys.
    #[inline]
    pub fn id(&self) -> CacheScopeId {
        *self.0
    }
}

/// A node pinned until the last clone is dropped: for listeners that keep nodes between two calls.
#[derive(Clone, Debug)]
pub struct PinnedNode(Arc<DdNode>);

impl PinnedNode {
    /// Returns the node.
    pub fn node(&self) -> DdNode {
        *self.0
    }
}

/// The effect of a collection.
pub(super) struct Collected {
    /// Nodes, and words that hold nodes, before and after.
    pub nodes: (usize, usize),
    pub words: (usize, usize),
}

impl Kernel {
    /// Collects garbage.
    pub(crate) fn collect(&mut self) {
        // A collection that another worker prevents is not needed for correctness.
        let _ = self.collect_unless(|_| false);
    }

    /// Collects garbage unless `done` holds for the present number of collections.
    pub(super) fn collect_unless(
        &mut self,
        done: impl FnOnce(u64) -> bool,
    ) -> Result<Option<Collected>, Stop> {
        let pause = self.pacing.pause;
        let (worker, roots) = (self.peers.id, self.roots());
        let collected = self.with_exclusive(|tables| {
            if done(tables.collections) {
                return None;
            }
            tables.deposit_roots(worker, roots);
            let (nodes, words) = (tables.unique.count(), tables.pool.occupied());
            tables.collect(pause);
            tables.withdraw_roots(worker);
            Some(Collected {
                nodes: (nodes, tables.unique.count()),
                words: (words, tables.pool.occupied()),
            })
        });
        self.reserve = Reserve::default();
        collected
    }

    /// Returns a handle that keeps `node` alive.
    pub(crate) fn root(&mut self, node: DdNode) -> Arc<DdNode> {
        self.peers.handles.with(|handles| handles.root(node))
    }

    /// Pins `node` beyond the operation in which it was created.
    pub fn keep(&mut self, node: DdNode) -> PinnedNode {
        PinnedNode(self.root(node))
    }

    /// Returns a new scope.
    pub fn scope(&mut self) -> CacheScope {
        let scope = self.tables.next_scope();
        CacheScope(self.peers.handles.with(|handles| handles.scope(scope)))
    }
}
