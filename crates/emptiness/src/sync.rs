//! Where atomics come from: the standard library, or loom in the models of the tests.

pub(crate) use lariat_workers::Segments;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64};

/// Looks at a lock before the others are let at the processor: a lock is held for some hundred instructions.
const SPINS: u32 = 100;

/// Waits a moment; for longer if it was for long already, as there may be more workers than processors.
pub(crate) fn pause(spins: &mut u32) {
    *spins += 1;
    match *spins > SPINS {
        true => std::thread::yield_now(),
        false => std::hint::spin_loop(),
    }
}
