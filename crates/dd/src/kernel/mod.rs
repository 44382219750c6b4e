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
mod meeting;
mod operation;
mod recursion;
mod stack;

pub use crate::event::{ChainId, ChainStep};
pub use crate::pool::NodeEdges;
use breath::BREATH;
pub use breath::Halt;
pub use chain::ChainSteps;
pub use collect::{Kept, Scope};
pub use ids::{NodeId, Residual, ScopeId};
pub use key::{CacheKey, CacheValue, KeyPart, KeyWords, Meaning};
pub(crate) use key::{NARROW_WORDS, WIDE_WORDS};
pub(crate) use meeting::Look;
pub use operation::Operation;
pub(crate) use operation::{Audit, Audits, CHAIN_BITS, OPERATIONS, REGISTRY, Registry};
pub use recursion::{Call, Opening};
pub use stack::StackMark;

use crate::cache::Pressures;
use crate::saturation::Workbench;
use crate::tables::{Held, Tables, WorkerId};
use lariat_budget::{Budget, Lease, Stop};
use lariat_parallel::Pass;
use make::Reserve;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words allocated between two collections at least, in a small store and in any.
const SMALL_PAUSE: usize = 1 << 21;
const PAUSE: usize = 1 << 22;

/// A worker's place at the tables, and its stacks: everything that recursive operations need.
pub struct Kernel {
    pub(crate) levels: u32,
    /// No delta leads to a larger value.
    pub(crate) cap: u32,
    pub(crate) tables: Pass<Tables>,
    worker: WorkerId,
    /// What callers hold that this worker has made.
    held: Held,
    /// How many workers there are on the tables, at most, and whether there are several.
    workers: usize,
    several: bool,
    /// What of the tables is set aside for this worker.
    reserve: Reserve,
    pressures: Pressures,
    /// Is the cache to grow at the next meeting?
    cramped: bool,
    /// The shadow stack: edges of results in the making, and rooted nodes under value 0.
    pub(crate) stack: Vec<(u32, NodeId)>,
    /// The way down single edges: the values of the result, and what the filter asks of them.
    pub(crate) trail: Vec<(u32, Residual)>,
    /// Of the images of nodes with a single edge, how many the cache knew, and how many are empty.
    pub(crate) slides_known: u64,
    pub(crate) slides_blocked: u64,
    pub(crate) bench: Workbench,
    encoded: Vec<u32>,
    budget: Budget,
    stack_lease: Lease,
    fuel: u32,
    /// Nodes made that are not yet reported to the budget.
    unspent: u64,
    /// What all workers have told, and what this one has counted since it did.
    pub(crate) totals: Arc<Totals>,
    pub(crate) counted: Counted,
    /// Words to be allocated before the next collection at least. It doubles with each that an
    /// operation makes: the results that die with their nodes are often needed again.
    pause: usize,
    /// Collections in this operation that had to be and freed less than half.
    squeezes: u32,
    pub(crate) collect_always: bool,
    reason: Option<Stop>,
    /// Does this worker walk edges from the last to the first? Two who compute the same from opposite ends meet in the middle, where each finds
    /// what the other has remembered.
    pub(crate) backwards: bool,
}

/// What a worker counts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counted {
    /// Nodes made.
    pub created: u64,
    /// Questions to the cache, and those that it could not answer: these cost so much that counting them is no matter.
    pub lookups: u64,
    pub misses: u64,
}

/// What all workers on some tables have counted. Beside the tables: who is outside may tell, too.
#[derive(Default)]
pub(crate) struct Totals {
    created: AtomicU64,
    lookups: AtomicU64,
    misses: AtomicU64,
}

impl Totals {
    fn add(&self, counted: Counted) {
        self.created.fetch_add(counted.created, Ordering::Relaxed);
        self.lookups.fetch_add(counted.lookups, Ordering::Relaxed);
        self.misses.fetch_add(counted.misses, Ordering::Relaxed);
    }

    /// All of it, and what is counted here and not told yet.
    pub fn with(&self, counted: Counted) -> Counted {
        let told = |total: &AtomicU64| total.load(Ordering::Relaxed);
        Counted {
            created: told(&self.created) + counted.created,
            lookups: told(&self.lookups) + counted.lookups,
            misses: told(&self.misses) + counted.misses,
        }
    }
}

impl Kernel {
    pub(crate) fn new(levels: u32, budget: &Budget) -> Result<Kernel, Stop> {
        let mut tables = Tables::new(budget)?;
        let (worker, held) = tables.enrol();
        tables.limit_cache(budget.byte_limit());
        let tables = Pass::new(tables, Tables::empty(budget));
        let mut kernel = Kernel::with(levels, tables, (worker, held), budget);
        kernel.rest();
        let pause = kernel.pause;
        kernel.alone(|tables| tables.collect_at = pause);
        Ok(kernel)
    }

    fn with(
        levels: u32,
        tables: Pass<Tables>,
        (worker, held): (WorkerId, Held),
        budget: &Budget,
    ) -> Kernel {
        Kernel {
            levels,
            cap: u32::MAX,
            pressures: Pressures::on(&tables.cache),
            tables,
            worker,
            held,
            workers: 1,
            several: false,
            reserve: Reserve::default(),
            cramped: false,
            stack: Vec::new(),
            trail: Vec::new(),
            slides_known: 0,
            slides_blocked: 0,
            bench: Workbench::new(budget.lease()),
            encoded: Vec::new(),
            budget: budget.clone(),
            stack_lease: budget.lease(),
            fuel: BREATH,
            unspent: 0,
            totals: Arc::default(),
            counted: Counted::default(),
            pause: SMALL_PAUSE,
            squeezes: 0,
            collect_always: false,
            reason: None,
            backwards: false,
        }
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
        self.pressures.refresh();
    }

    pub(crate) fn set_budget(&mut self, budget: &Budget) {
        let before = std::mem::replace(&mut self.budget, budget.clone());
        let limit = budget.byte_limit();
        // A worker takes another part of its budget for every group that it computes along with another: nobody has to make way for that.
        if limit != before.byte_limit() {
            self.alone(|tables| tables.limit_cache(limit));
        }
    }

    /// Nodes and their words that this worker has made and the tables have not been told of.
    pub(crate) fn unreported(&self) -> (usize, usize) {
        self.reserve.unreported()
    }

    /// The number of levels; levels are numbered from 0 at the top.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The edges of `node`, which must be neither terminal.
    #[inline]
    pub fn edges(&self, node: NodeId) -> NodeEdges<'_> {
        self.tables.pool.edges(node)
    }

    /// The child of `node` under `value`, empty if there is none.
    #[inline]
    pub fn child(&self, node: NodeId, value: u32) -> NodeId {
        if node.0 <= 1 {
            return NodeId::EMPTY;
        }
        self.tables.pool.child(node, value)
    }
}
