//! Garbage: handles and scopes that keep things alive, and the collection of the rest.
//!
//! Mark and sweep; nodes never move. Roots are the handles, the shadow stack and the
//! workbench of saturation. Results in the operation cache survive if their nodes and scopes do.

use std::sync::Arc;

use super::{Kernel, NodeId, ScopeId};

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

impl Kernel {
    /// Marks what the handles and stacks reach, and forgets the rest.
    pub(crate) fn collect(&mut self) {
        self.collections += 1;
        self.roots.retain(|root| Arc::strong_count(root) > 1);
        self.scopes.retain(|scope| Arc::strong_count(scope) > 1);
        self.purge_at = 64.max(2 * (self.roots.len() + self.scopes.len()));
        self.pool.unmark();
        // The node in the making has its children on the stack.
        let pool = &mut self.pool;
        let mut todo = Vec::new();
        let handles = self.roots.iter().map(|root| **root);
        let edges = self.stack.iter().map(|edge| edge.1);
        for root in handles.chain(edges).chain(self.bench.roots()) {
            if pool.mark(root) {
                todo.push(root);
            }
            while let Some(node) = todo.pop() {
                let from = todo.len();
                let block = pool.block(node);
                let (step, skip) = if block[0] & 1 == 0 { (1, 1) } else { (2, 2) };
                todo.extend(
                    block
                        .iter()
                        .skip(skip)
                        .step_by(step)
                        .map(|&child| NodeId(child)),
                );
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
        let pool = &self.pool;
        self.unique.sweep(|node| pool.alive(node));
        let scopes = &self.scopes;
        let open = |scope: ScopeId| {
            scope == ScopeId::ALWAYS || scopes.binary_search_by_key(&scope, |s| **s).is_ok()
        };
        self.cache.sweep(|node| pool.alive(node), open);
        let live = self.pool.occupied();
        self.collect_at = live + live.max(self.pause);
    }

    /// A handle that keeps `node` alive.
    pub(crate) fn root(&mut self, node: NodeId) -> Arc<NodeId> {
        self.purge();
        let root = Arc::new(node);
        self.roots.push(root.clone());
        root
    }

    /// A new scope.
    pub fn scope(&mut self) -> Scope {
        self.purge();
        let scope = Arc::new(ScopeId(self.next_scope));
        // After four thousand million scopes the numbers would repeat; stale entries with
        // them are gone long before.
        self.next_scope = self.next_scope.checked_add(1).unwrap_or(1);
        self.scopes.push(scope.clone());
        Scope(scope)
    }

    /// Forgets dropped handles when there are many.
    fn purge(&mut self) {
        if self.roots.len() + self.scopes.len() >= self.purge_at {
            self.roots.retain(|root| Arc::strong_count(root) > 1);
            self.scopes.retain(|scope| Arc::strong_count(scope) > 1);
            self.purge_at = 64.max(2 * (self.roots.len() + self.scopes.len()));
        }
    }
}
