//! Decision diagrams over state vectors, and saturation on them.
//!
//! A [`Store`] holds sets of vectors of one length. A set is a quasi-reduced multi-valued decision
//! diagram: a node on level `k` has an edge for every value that a vector can have there, to a node
//! on level `k + 1`; below the last level is the terminal. Values are any `u32`; the size of a node
//! depends on the number of its edges, not on their values. Equal sets are one node.
//!
//! Most callers use the set algebra on [`Set`] handles, with events, steps and fixpoints:
//!
//! ```
//! use lariat_budget::Budget;
//! use lariat_dd::{EventPart, Store};
//!
//! # fn main() -> Result<(), lariat_budget::Stop> {
//! // Three tokens, and an event that moves one of them from level 0 to level 1.
//! let mut store = Store::new(2, &Budget::unlimited())?;
//! let take = EventPart::Delta { level: 0, need: 1, delta: -1 };
//! let give = EventPart::Delta { level: 1, need: 0, delta: 1 };
//! let event = store.event(&[take, give])?;
//! let events = store.subset(event);
//! let initial = store.singleton(&[3, 0])?;
//! let reached = store.saturate(&events, &initial)?;
//! assert_eq!(store.count(&reached), 4u32.into());
//! let dead = store.dead(&events, &reached)?;
//! assert_eq!(store.pick(&dead), Some(vec![0, 3]));
//! # Ok(())
//! # }
//! ```
//!
//! Callers with recursive operations of their own, such as the component-wise engine, write them on
//! [`kernel`], as [`saturation`] is, which is generic over a filter and a listener.
//!
//! # Memory
//!
//! Every call that may create nodes returns a [`Stop`](lariat_budget::Stop) when the budget is
//! exceeded; the store stays usable. Bytes are leased before they are allocated. Garbage is
//! collected inside operations by mark and sweep; ids never change. Roots are the [`Set`] handles,
//! and the *shadow stack* on which recursive operations keep nodes across allocations. The
//! operation cache roots nothing; its entries survive if their nodes do. The numbers of an event
//! [`Subset`] and of the residuals of a [`LevelPredicate`] live in a [`CacheScope`].
//!
//! # Depth
//!
//! Operations are recursive, with one or two frames per level. Up to some hundred levels they run
//! on the caller's stack; in a deeper store each runs on a separate thread, whose stack is sized by
//! the levels and committed on use. Starting it takes less time than a walk over that many levels.
//!
//! # Threads
//!
//! A [`Store`] is a worker's handle, and [`Store::worker`] creates one for another thread. Workers
//! share the node pool and the [unique table](lariat_parallel::Slots), to which they add without
//! locks; events; handles; and the operation cache, since with private caches they would repeat
//! nearly all work. Each worker has its own shadow stack, workbench, budget and counters. Sets,
//! subsets and scopes can be used with all workers of a store, and equal sets are one node.
//!
//! Growing a table and collecting garbage need [exclusive access](lariat_parallel::SharedHandle).
//! Other workers yield when they create their next node, the only safepoint; idle ones cause no
//! delay.
//!
//! A single worker pays next to nothing for this: relaxed atomics compile to ordinary loads and
//! stores, its cache entries need no versions, and it never waits.

#![forbid(unsafe_code)]

mod algebra;
mod cache;
mod event;
mod exchange;
pub mod hierarchical;
mod inspect;
pub mod kernel;
mod pool;
mod predicate;
pub mod saturation;
mod step;
mod store;
mod tables;
mod unique;

pub use dashu_int::UBig;
pub use event::{EventPart, EventRelation, Subset};
pub use exchange::ImportError;
pub use inspect::Vectors;
pub use kernel::{CacheScope, Residual};
pub use predicate::LevelPredicate;
pub use store::{Set, Store, StoreFigures};

/// Types shared by workers, and passed between threads.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Store>();
    shared::<kernel::Kernel>();
    shared::<Set>();
    shared::<Subset>();
    shared::<CacheScope>();
};
