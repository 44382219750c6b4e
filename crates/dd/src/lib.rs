//! Decision diagrams over state vectors, and saturation on them.
//!
//! A [`Store`] holds sets of vectors of one length. A set is a quasi-reduced multi-valued decision
//! diagram: a node on level `k` has an edge for every value that a vector can have there, to a
//! node on level `k + 1`; below the last level is the terminal. Values are any `u32`; what a
//! node costs depends on how many edges it has, not on how large their values are. Equal sets
//! are one node, so comparing sets takes no time.
//!
//! There are two ways in. Most callers use the set algebra on [`Set`] handles, with events, steps and
//! fixpoints:
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
//! Callers that need recursive operations of their own, such as the component-wise engine, write
//! them on [`kernel`]. So is [`saturation`], which is generic over a filter and a listener.
//!
//! # Memory
//!
//! Every call that may create nodes returns a [`Stop`](lariat_budget::Stop) when the budget is
//! used up; the store stays usable. Bytes are leased before they are allocated. Garbage is
//! collected inside operations: mark and sweep, and ids never change. Roots are the [`Set`]
//! handles, and the *shadow stack* on which recursive operations keep what they hold across an
//! allocation. The operation cache roots nothing; its entries survive if their nodes do. What
//! belongs to one question — the numbers of an event [`Subset`], of the residuals of a
//! [`Predicate`] — lives in a [`Scope`] and goes with it.
//!
//! # Depth
//!
//! Operations are recursive, one frame or two per level. Up to some hundred levels they run on the
//! caller's stack; a store with more runs each on a thread of its own, whose stack is sized from
//! the levels and committed only as far as it is used. Starting a thread takes some
//! microseconds, less than a walk over that many levels.
//!
//! # Threads
//!
//! A [`Store`] is a worker's handle, and [`Store::worker`] makes another for another thread. Workers share everything that sets consist of: node pool and
//! [unique table](lariat_parallel::Slots), to which they add without a lock; events; handles; and the operation cache, since workers with caches of their
//! own would do nearly all work twice. Shadow stack, workbench, budget and counters belong to one worker. Sets, subsets and scopes
//! of one worker can be used with the others, and equal sets are one node whoever made them.
//!
//! Where a table must grow or garbage is to be collected, workers [meet](lariat_parallel::Pass): each makes way at the next node that it makes, which is the
//! only place where a collection could ever begin, and leaves its roots. A worker that computes nothing is not waited for.
//!
//! A store with a single worker pays next to nothing for all that: its atomics are read and written like other words, its cache entries need no
//! versions, and it meets nobody.

#![forbid(unsafe_code)]

mod algebra;
mod cache;
mod event;
mod exchange;
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
pub use event::{Event, EventPart, Subset};
pub use exchange::ImportError;
pub use inspect::Vectors;
pub use kernel::{Residual, Scope};
pub use predicate::Predicate;
pub use store::{Set, Store, StoreFigures};

/// What workers share, and what may go from thread to thread.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Store>();
    shared::<kernel::Kernel>();
    shared::<Set>();
    shared::<Subset>();
    shared::<Scope>();
};
