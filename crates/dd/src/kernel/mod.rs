//! Safe building blocks for recursive operations.
//!
//! A recursive operation loads the edges of its operands on the *shadow stack*, calls itself on their
//! children, pushes the edges of its result and [makes](Kernel::make) the node. What it returned it
//! remembers in the operation cache, under [a typed key](Operation). Most operations are a
//! [`Call`], for which [one recursion](Kernel::call) does all of this; those that only ask
//! are written on [`Kernel::remembered`] and [`Kernel::any_edge`]. Every call that creates a node
//! may collect garbage, so there is one rule to keep:
//!
//! > **A node that is needed after a call that may create nodes must be rooted during that call**:
//! > be on the shadow stack, in a [`Set`](crate::Set), or below a node that is. Arguments are
//! > rooted by the caller; results are not rooted at all.
//!
//! Breaking the rule never breaks memory safety, but gives wrong sets;
//! [`Store::collect_always`](crate::Store::collect_always) makes tests notice at once.
//!
//! Running out of budget is the error [`Halt`], one byte that says "unwind"; the reason waits
//! in the kernel and the store hands it to the caller of the whole operation as a
//! [`Stop`].

mod breath;
mod chain;
mod collect;
mod ids;
mod key;
mod make;
mod operation;
mod recursion;
mod stack;

pub use crate::event::{ChainId, ChainStep};
pub use crate::pool::NodeEdges;
pub use breath::Halt;
pub use chain::ChainSteps;
pub use collect::Scope;
pub use ids::{NodeId, Residual, ScopeId};
pub use key::{CacheKey, CacheValue, KeyPart, KeyWords, Meaning};
pub(crate) use key::{NARROW_WORDS, WIDE_WORDS};
pub use operation::Operation;
pub(crate) use operation::{Audit, Audits, CHAIN_BITS, OPERATIONS, REGISTRY, Registry};
pub use recursion::{Call, Opening};
pub use stack::StackMark;

use std::sync::Arc;

use crate::cache::Cache;
use crate::event::Chains;
use crate::pool::NodePool;
use crate::saturation::Workbench;
use crate::unique::UniqueTable;
use breath::BREATH;
use lariat_budget::{Budget, Lease, Stop};

/// Words allocated between two collections at least, in a small store and in any.
const SMALL_PAUSE: usize = 1 << 21;
const PAUSE: usize = 1 << 22;

/// The cache readily takes this many bytes however few nodes there are.
const SMALL_CACHE: usize = 1 << 24;

/// Nodes, tables and stacks: everything that recursive operations need.
pub struct Kernel {
    pub(crate) levels: u32,
    /// No delta leads to a larger value.
    pub(crate) cap: u32,
    pub(crate) pool: NodePool,
    pub(crate) unique: UniqueTable,
    pub(crate) cache: Cache,
    /// The shadow stack: edges of results in the making, and rooted nodes under value 0.
    pub(crate) stack: Vec<(u32, NodeId)>,
    /// The way down single edges: the values of the result, and what the filter asks of them.
    pub(crate) trail: Vec<(u32, Residual)>,
    /// Of the images of nodes with a single edge, how many the cache knew, and how many are empty.
    pub(crate) slides_known: u64,
    pub(crate) slides_blocked: u64,
    pub(crate) bench: Workbench,
    pub(crate) chains: Chains,
    pub(crate) roots: Vec<Arc<NodeId>>,
    scopes: Vec<Arc<ScopeId>>,
    next_scope: u32,
    /// Purge the lists of handles when they reach this length.
    purge_at: usize,
    encoded: Vec<u32>,
    budget: Budget,
    nodes_lease: Lease,
    unique_lease: Lease,
    stack_lease: Lease,
    fuel: u32,
    /// Nodes made, and those of them not yet reported to the budget.
    pub(crate) created: u64,
    unspent: u64,
    /// The most nodes at one moment, and the words that held them.
    pub(crate) peak: usize,
    pub(crate) peak_words: usize,
    pub(crate) collections: u64,
    /// Words to be allocated before the next collection at least. It doubles with each that an
    /// operation makes: the results that die with their nodes are often needed again.
    pause: usize,
    /// Collect when the pool holds this many words.
    collect_at: usize,
    /// Collections in this operation that had to be and freed less than half.
    squeezes: u32,
    pub(crate) collect_always: bool,
    reason: Option<Stop>,
}

impl Kernel {
    pub(crate) fn new(levels: u32, budget: &Budget) -> Result<Kernel, Stop> {
        let cache = Cache::new(budget.lease(), budget.lease())?;
        let mut kernel = Kernel {
            levels,
            cap: u32::MAX,
            pool: NodePool::new(),
            unique: UniqueTable::new(),
            cache,
            stack: Vec::new(),
            trail: Vec::new(),
            slides_known: 0,
            slides_blocked: 0,
            bench: Workbench::new(budget.lease()),
            chains: Chains::new(budget.lease()),
            roots: Vec::new(),
            scopes: Vec::new(),
            next_scope: 1,
            purge_at: 64,
            encoded: Vec::new(),
            budget: budget.clone(),
            nodes_lease: budget.lease(),
            unique_lease: budget.lease(),
            stack_lease: budget.lease(),
            fuel: BREATH,
            created: 0,
            unspent: 0,
            peak: 0,
            peak_words: 0,
            collections: 0,
            pause: SMALL_PAUSE,
            collect_at: SMALL_PAUSE,
            squeezes: 0,
            collect_always: false,
            reason: None,
        };
        kernel.unique_lease.resize(kernel.unique.bytes())?;
        kernel.limit_cache();
        kernel.rest();
        kernel.collect_at = kernel.pause;
        Ok(kernel)
    }

    /// The cache grows readily until it is twice as large as the nodes, and if it must to a
    /// quarter of all bytes.
    fn limit_cache(&mut self) {
        let quarter = usize::try_from(self.budget.byte_limit() / 4).unwrap_or(usize::MAX);
        let nodes = NodePool::bytes_for(self.pool.capacity()) + self.unique.bytes();
        self.cache.limit((2 * nodes).max(SMALL_CACHE), quarter);
    }

    /// The most that may lie between two collections: a sixteenth of all bytes.
    fn longest_pause(&self) -> usize {
        let words = usize::try_from(self.budget.byte_limit() / 64).unwrap_or(usize::MAX);
        words.max(SMALL_PAUSE)
    }

    /// Another operation begins.
    fn rest(&mut self) {
        self.pause = PAUSE.min(self.longest_pause());
        self.squeezes = 0;
        self.cache.refresh();
    }

    pub(crate) fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.limit_cache();
    }

    /// The number of levels; levels are numbered from 0 at the top.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The edges of `node`, which must be neither terminal.
    #[inline]
    pub fn edges(&self, node: NodeId) -> NodeEdges<'_> {
        self.pool.edges(node)
    }

    /// The child of `node` under `value`, empty if there is none.
    #[inline]
    pub fn child(&self, node: NodeId, value: u32) -> NodeId {
        if node.0 <= 1 {
            return NodeId::EMPTY;
        }
        self.pool.child(node, value)
    }
}
