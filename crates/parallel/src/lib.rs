//! Data structures shared by several threads, without unsafe code.
//!
//! Decision diagrams and state tables are shared in the same way: arrays of atomics that all
//! threads read and append to, and that one thread with exclusive access grows or sweeps.
//!
//! | | |
//! | --- | --- |
//! | [`SharedHandle`] | a handle to shared data: lock-free shared access, rare exclusive access |
//! | [`Leaf`] | a mutex for short sections, the only lock that is taken inside the former |
//! | [`Outside`] | the permission of a thread to wait for others |
//! | [`Slots`] | a hash table of ids whose objects lie elsewhere; insertion takes no lock |
//! | [`WordSet`] | a hash set of machine words |
//! | [`Segments`] | a growing array that never moves its items |
//! | [`Versions`] | sequence locks for entries of several words |
//! | [`TaskQueue`] | a queue of tasks for idle worker threads |
//! | [`Prefetcher`] | values prefetched by background threads |
//! | [`OnceMap`] | a concurrent memo table |
//! | [`divide`] | a loop over a long table, divided among threads |
//! | [`zeroed`] | large zero-initialised arrays, also of atomics, committed on first use |
//!
//! Without `unsafe` there are no data races; the remaining risk is memory ordering. Therefore the
//! tests compile the files of this crate a second time on the atomics and locks of loom, which
//! tries every interleaving and every reordering that the memory model allows (with up to two
//! preemptions per thread). All atomics and locks come from the module `sync`, which the tests
//! replace.

#![forbid(unsafe_code)]

mod gate;
mod leaf;
mod once_map;
mod outside;
mod prefetcher;
mod ranges;
mod segments;
mod slots;
#[cfg(feature = "stress")]
mod stress;
mod sync;
mod task_queue;
mod versions;
mod witness;
mod words;

pub use gate::SharedHandle;
pub use leaf::Leaf;
pub use once_map::OnceMap;
pub use outside::Outside;
pub use prefetcher::{BuildMode, DuplicateRun, NextKeys, Prefetcher};
pub use ranges::{divide, shares};
pub use segments::Segments;
pub use slots::Slots;
pub use sync::zeroed;
pub use task_queue::TaskQueue;
pub use versions::Versions;
pub use words::WordSet;
