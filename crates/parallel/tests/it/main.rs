//! Models of this crate's files, compiled on loom's atomics and locks; then tests in real threads.
//!
//! Models run with up to two preemptions per thread; `LOOM_MAX_PREEMPTIONS` sets more.

#[path = "../../src/gate.rs"]
mod gate;
mod models;
#[path = "../../src/once_map.rs"]
mod once_map;
#[allow(dead_code, reason = "threads of models are not scoped")]
#[path = "../../src/outside.rs"]
mod outside;
#[path = "../../src/ranges.rs"]
mod ranges;
#[path = "../../src/slots.rs"]
mod slots;
mod sync;
#[allow(
    dead_code,
    reason = "`offer_last` is for the prefetcher, which has too many interleavings for loom"
)]
#[path = "../../src/task_queue.rs"]
mod task_queue;
mod threads;
#[path = "../../src/versions.rs"]
mod versions;
#[path = "../../src/words.rs"]
mod words;
