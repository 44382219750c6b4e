//! Garbage: handles and scopes that keep things alive, and the collection of the rest.
//!
//! Mark and sweep; nodes never move. Roots are the handles, and of every worker the shadow stack and the
//! workbench of saturation. Results in the operation cache survive if their nodes and scopes do.

use std::sync::Arc;

use super::make::Reserve;
use super::{Kernel, NodeId, ScopeId};
use crate::tables::lock;

/// A name space for cache entries that closes when its last handle is dropped.
///
/// Event subsets and predicates have one each. The number is never used again, so the entries
/// of a closed scope cannot be found, and the next collection drops them.
#[derive(Clone, Debug)]
pub struct Scope(Arc<ScopeId>);

impl Scope {
    /// The number of the scope, for cache keys.
    #[inline]
    pub fn id(&self) -> ScopeId {
        *self.0
    }
}

/// A node that stays alive for as long as the handle or a clone of it lives: for what listeners keep between two calls.
#[derive(Clone, Debug)]
pub struct Kept(Arc<NodeId>);

impl Kept {
    /// The node.
    pub fn node(&self) -> NodeId {
        *self.0
    }
}

/// What a collection left.
pub(super) struct Collected {
    /// Nodes, and words that hold nodes, before and after.
    pub nodes: (usize, usize),
    pub words: (usize, usize),
}

impl Kernel {
    /// Marks what the handles and stacks reach, and forgets the rest.
    pub(crate) fn collect(&mut self) {
        self.collect_unless(|_| false);
    }

    /// Collects, unless others have done so meanwhile: `done` looks at the number of collections.
    pub(super) fn collect_unless(&mut self, done: impl FnOnce(u64) -> bool) -> Option<Collected> {
        let pause = self.pause;
        let (worker, roots) = (self.worker, self.roots());
        let collected = self.alone(|tables| {
            if done(tables.collections) {
                return None;
            }
            tables.rest(worker, roots);
            let (nodes, words) = (tables.unique.count(), tables.pool.occupied());
            tables.collect(pause);
            tables.go_on(worker);
            Some(Collected {
                nodes: (nodes, tables.unique.count()),
                words: (words, tables.pool.occupied()),
            })
        });
        self.reserve = Reserve::default();
        collected
    }

    /// A handle that keeps `node` alive.
    pub(crate) fn root(&mut self, node: NodeId) -> Arc<NodeId> {
        lock(&self.held).root(node)
    }

    /// Keeps `node` alive beyond the operation in which it was made.
    pub fn keep(&mut self, node: NodeId) -> Kept {
        Kept(self.root(node))
    }

    /// A new scope.
    pub fn scope(&mut self) -> Scope {
        let scope = self.tables.next_scope();
        Scope(lock(&self.held).scope(scope))
    }
}
