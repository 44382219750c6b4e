//! The files of this crate once more, on loom's atomics and locks, and what loom finds in them; then the crate as it is,
//! in threads.
//!
//! Everything is tried with up to two preemptions a thread, which finds the known mistakes and ends in seconds;
//! `LOOM_MAX_PREEMPTIONS` tries more.

#[allow(
    dead_code,
    reason = "what is taken last is for who is ahead, which has too many orders for loom"
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
