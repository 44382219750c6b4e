//! Random pauses, for the feature `stress`.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Inverse frequencies of long pauses and of yields.
const LONG: u64 = 1 << 10;
const SHORT: u64 = 1 << 3;

/// Pauses the thread at random: mostly not at all, sometimes for a time slice, rarely for longer.
pub(crate) fn pause() {
    static SEED: AtomicU64 = AtomicU64::new(0x9E37_79B9_7F4A_7C15);
    thread_local! {
        static RANDOM: Cell<u64> = Cell::new(SEED.fetch_add(0x6A09_E667_F3BC_C909, Ordering::Relaxed) | 1);
    }
    // Marsaglia's xorshift.
    let mut x = RANDOM.get();
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    RANDOM.set(x);
    if x.is_multiple_of(LONG) {
        std::thread::sleep(Duration::from_micros(x >> 32 & 0xFF));
    } else if x.is_multiple_of(SHORT) {
        std::thread::yield_now();
    }
}
