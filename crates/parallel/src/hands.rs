//! A long table gone through by several threads, while whoever has it [alone](crate::Pass::alone) keeps all others waiting.
//!
//! Those who wait are as many as the threads that are begun for it, and sleep: no processor has more to do than before.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

/// Slots that are worth a thread: it takes some hundred microseconds to go through them, and some ten to begin it.
const SHARE: usize = 1 << 16;

/// `0..length` in parts for as many threads as `hands`, some for each, since not all are equally fast.
pub fn shares(length: usize, hands: usize) -> Vec<Range<usize>> {
    let parts = match hands {
        0 | 1 => 1,
        hands => (length / SHARE).clamp(1, 4 * hands),
    };
    let cut = |i: usize| (length as u128 * i as u128 / parts as u128) as usize;
    (0..parts).map(|i| cut(i)..cut(i + 1)).collect()
}

/// What `work` makes of each of the `parts`, in the order in which they are done.
pub fn divide<R: Send>(
    parts: Vec<Range<usize>>,
    hands: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    if hands < 2 || parts.len() < 2 {
        return parts.into_iter().map(work).collect();
    }
    let threads = hands.min(parts.len());
    let left = Mutex::new(parts);
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let results = Mutex::new(Vec::new());
    let take = || {
        while let Some(part) = next() {
            let result = work(part);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push(result);
        }
    };
    scope(|scope| {
        for _ in 1..threads {
            // Where there is no thread to be had, the others do the work.
            let thread = Builder::new().name("hand".to_owned());
            drop(thread.spawn_scoped(scope, take));
        }
        take();
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
