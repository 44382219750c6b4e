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
//! `Store`, `Set`, `Subset` and `Scope` are `Send + Sync`; there is no interior mutability but
//! the reference counts of handles. Today an operation takes `&mut Store`, so workers share a
//! store behind a lock, while they hold, clone, compare and drop sets without it. The kernel is
//! cut so that this can change without touching its users: node pool and unique table are what
//! threads will share — nodes are immutable and never move, so readers need no lock, and writers
//! need one per stretch of the table — and so is the operation cache, since workers with caches of
//! their own would do nearly all work twice; shadow stack, workbench and scratch space belong to one
//! worker. Recursive operations are [calls as data](kernel::Call), which a worker can hand to another. `Store` then becomes a worker's handle, of which there can be
//! several; operations already take it by `&mut`. A collection stops the workers at an
//! allocation, which is the only place where one can begin today.

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
mod unique;

pub use dashu_int::UBig;
pub use event::{Event, EventPart, Subset};
pub use exchange::ImportError;
pub use inspect::Vectors;
pub use kernel::{Residual, Scope};
pub use predicate::Predicate;
pub use store::{Set, Store, StoreFigures};

/// Workers will share these.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Store>();
    shared::<kernel::Kernel>();
    shared::<Set>();
    shared::<Subset>();
    shared::<Scope>();
};
