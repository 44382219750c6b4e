//! Models of this crate's files, compiled on loom's atomics and locks; then tests in real threads.
//!
//! Models run with up to two preemptions per thread; `LOOM_MAX_PREEMPTIONS` sets more.

#[allow(
    dead_code,
    reason = "`offer_last` is for the prefetcher, which has too many interleavings for loom"
)]
#[path = "../../src/board.rs"]
mod board;
#[path = "../../src/common.rs"]
mod common;
#[path = "../../src/gate.rs"]
mod gate;
#[path = "../../src/hands.rs"]
mod hands;
mod models;
#[path = "../../src/slots.rs"]
mod slots;
mod sync;
mod threads;
#[path = "../../src/versions.rs"]
mod versions;
#[path = "../../src/words.rs"]
mod words;
