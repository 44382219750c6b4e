//! Safe building blocks for recursive operations.
//!
//! A recursive operation pushes the edges of its operands on the *shadow stack*, calls itself on
//! their children, pushes the edges of its result and [makes](Kernel::make) the node. It stores the
//! result in the operation cache under [a typed key](Operation). Most operations are a [`Call`],
//! for which [one recursion](Kernel::call) does all of this; queries are written on
//! [`Kernel::remembered`] and [`Kernel::any_edge`]. Any call that creates a node may collect, so:
//!
//! > **A node that is needed after a call that may create nodes must be rooted during that call**:
//! > be on the shadow stack, in a [`Set`](crate::Set), or below a node that is. Arguments are
//! > rooted by the caller; results are not rooted.
//!
//! A violation never breaks memory safety, but gives wrong sets;
//! [`Store::collect_always`](crate::Store::collect_always) makes tests detect it at once.
//!
//! An exceeded budget is the error [`Halt`], one byte that means "unwind"; the reason is kept in
//! the kernel, and the store returns it to the caller of the whole operation as a [`Stop`].

mod chain;
mod collect;
mod ids;
mod key;
mod make;
mod meeting;
mod operation;
mod poll;
mod recursion;
mod stack;

pub use crate::event::{ChainId, ChainStep};
pub use crate::pool::NodeEdges;
pub use chain::ChainSteps;
pub use collect::{CacheScope, PinnedNode};
pub use ids::{CacheScopeId, DdNode, Residual};
pub use key::{CacheKey, CacheValue, KeyPart, KeyWords, WordKind};
pub(crate) use key::{NARROW_WORDS, WIDE_WORDS};
pub(crate) use meeting::Look;
pub use operation::Operation;
pub(crate) use operation::{Audit, Audits, CHAIN_BITS, OPERATIONS, REGISTRY, Registry};
pub use poll::Halt;
use poll::POLL_INTERVAL;
pub use recursion::{Call, Opening};
pub use stack::StackMark;

use crate::cache::Pressures;
use crate::saturation::Workbench;
use crate::tables::{Held, StoreTables, WorkerId};
use lariat_budget::{Budget, Lease, Stop};
use lariat_parallel::{Leaf, SharedHandle};
use make::Reserve;
use std::sync::Arc;

/// Minimal number of words allocated between two collections, in a small store and in any.
const SMALL_PAUSE: usize = 1 << 21;
const PAUSE: usize = 1 << 22;

/// A worker's handle to the tables of a store, and its stacks: the context of recursive operations.
pub struct Kernel {
    pub(crate) levels: u32,
    pub(crate) tables: SharedHandle<StoreTables>,
    pub(crate) options: KernelOptions,
    peers: Peers,
    reserve: Reserve,
    pressures: Pressures,
    /// The shadow stack: edges of unfinished nodes, and rooted nodes under value 0.
    pub(crate) stack: Vec<(u32, DdNode)>,
    stack_lease: Lease,
    pub(crate) slides: Slides,
    pub(crate) bench: Workbench,
    /// The node to be looked up, in the encoding of the pool.
    encoded: Vec<u32>,
    work: WorkMeter,
    pub(crate) counters: StoreCounters,
    pacing: CollectionPacing,
}

/// The settings of a worker.
#[derive(Clone, Copy)]
pub(crate) struct KernelOptions {
    /// Deltas to larger values are disabled.
    pub cap: u32,
    /// Collects garbage before every new node: for tests.
    pub collect_always: bool,
    /// Walks edges from the last to the first. Two workers that compute the same from opposite ends
    /// meet in the middle, where each finds the results of the other in the cache.
    pub backwards: bool,
}

/// This worker among those of the store.
struct Peers {
    id: WorkerId,
    /// Handles that this worker has created.
    handles: Held,
    /// An upper bound on the number of workers, and whether it exceeds one.
    count: usize,
    several: bool,
}

/// The state of [sliding](crate::saturation) down single edges.
#[derive(Default)]
pub(crate) struct Slides {
    /// Values of the image, and residuals of the target, on the way down.
    pub trail: Vec<(u32, Residual)>,
    /// Numbers of images of nodes with a single edge that were cached, and that are empty.
    pub known: u64,
    pub blocked: u64,
}

/// Counted work of the current operation.
struct WorkMeter {
    budget: Budget,
    /// Steps until the next poll of the budget.
    fuel: u32,
    /// Steps that were left when work was last reported to the budget.
    reported: u32,
    /// Whole operations, for polls.
    operations: u32,
    /// New nodes not yet reported to the budget.
    unspent: u64,
    /// The reason of the current [`Halt`].
    reason: Option<Stop>,
}

/// Counters of all workers as reported, and those of this worker since its last report. They lie
/// outside of the tables, so a worker can report outside the shared section.
pub(crate) struct StoreCounters {
    pub totals: Arc<Leaf<WorkerCounters>>,
    pub pending: WorkerCounters,
}

/// The frequency of collections in the current operation.
struct CollectionPacing {
    /// Minimal number of words between two collections. Each collection doubles it, since results
    /// that die with their nodes are often needed again.
    pause: usize,
    /// Collections due to refused memory that freed less than half.
    squeezes: u32,
}

/// Counters of one worker.
#[derive(Clone, Copy, Default)]
pub(crate) struct WorkerCounters {
    /// Created nodes.
    pub created: u64,
    /// Cache lookups and misses; counting is negligible beside a lookup.
    pub lookups: u64,
    pub misses: u64,
}

impl WorkerCounters {
    pub fn plus(self, other: WorkerCounters) -> WorkerCounters {
        WorkerCounters {
            created: self.created + other.created,
            lookups: self.lookups + other.lookups,
            misses: self.misses + other.misses,
        }
    }
}

impl Kernel {
    pub(crate) fn new(levels: u32, budget: &Budget) -> Result<Kernel, Stop> {
        let mut tables = StoreTables::new(budget)?;
        let (id, handles) = tables.register_worker();
        tables.limit_cache(budget.byte_limit());
        let tables = SharedHandle::new(tables, StoreTables::empty(budget));
        let mut kernel = Kernel::with(levels, tables, id, handles, budget);
        kernel.reset_pacing();
        let pause = kernel.pacing.pause;
        kernel.with_exclusive(|tables| tables.collect_at = pause)?;
        Ok(kernel)
    }

    fn with(
        levels: u32,
        tables: SharedHandle<StoreTables>,
        id: WorkerId,
        handles: Held,
        budget: &Budget,
    ) -> Kernel {
        Kernel {
            levels,
            pressures: Pressures::on(&tables.cache),
            tables,
            options: KernelOptions {
                cap: u32::MAX,
                collect_always: false,
                backwards: false,
            },
            peers: Peers {
                id,
                handles,
                count: 1,
                several: false,
            },
            reserve: Reserve::default(),
            stack: Vec::new(),
            stack_lease: budget.lease(),
            slides: Slides::default(),
            bench: Workbench::new(budget.lease()),
            encoded: Vec::new(),
            work: WorkMeter {
                budget: budget.clone(),
                fuel: POLL_INTERVAL,
                reported: POLL_INTERVAL,
                operations: 0,
                unspent: 0,
                reason: None,
            },
            counters: StoreCounters {
                totals: Arc::default(),
                pending: WorkerCounters::default(),
            },
            pacing: CollectionPacing {
                pause: SMALL_PAUSE,
                squeezes: 0,
            },
        }
    }

    /// Returns the upper limit on the pause between two collections: a sixteenth of the byte limit.
    fn longest_pause(&self) -> usize {
        let words = usize::try_from(self.work.budget.byte_limit() / 64).unwrap_or(usize::MAX);
        words.max(SMALL_PAUSE)
    }

    /// Resets the limits that apply to one operation.
    fn reset_pacing(&mut self) {
        self.pacing.pause = PAUSE.min(self.longest_pause());
        self.pacing.squeezes = 0;
        self.pressures.reset_refusals();
    }

    pub(crate) fn set_budget(&mut self, budget: &Budget) {
        let before = std::mem::replace(&mut self.work.budget, budget.clone());
        let limit = budget.byte_limit();
        // Workers often change other limits of a shared budget, which needs no exclusive access.
        if limit != before.byte_limit() {
            self.with_exclusive_always(|tables| tables.limit_cache(limit));
        }
    }

    /// Returns the nodes and words that this worker has made and not reported to the tables.
    pub(crate) fn unreported(&self) -> (usize, usize) {
        (self.reserve.nodes, self.reserve.words)
    }

    /// Returns the number of levels; level 0 is the top.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Returns the edges of `node`, which is not a terminal.
    #[inline]
    pub fn edges(&self, node: DdNode) -> NodeEdges<'_> {
        self.tables.pool.edges(node)
    }

    /// Returns the child of `node` under `value`, empty if there is none.
    #[inline]
    pub fn child(&self, node: DdNode, value: u32) -> DdNode {
        if node.0 <= 1 {
            return DdNode::EMPTY;
        }
        self.tables.pool.child(node, value)
    }
}
