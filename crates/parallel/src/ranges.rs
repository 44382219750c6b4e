//! A loop over a long table, divided among threads.
//!
//! Used with [exclusive access](crate::SharedHandle::with_exclusive): the threads that wait for it
//! sleep, and as many are started here, so the load of the machine does not change.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

/// Slots that are worth a thread, which takes some ten microseconds to start.
const SHARE: usize = 1 << 16;

/// Divides `0..length` into several parts per thread, since threads differ in speed.
pub fn shares(length: usize, threads: usize) -> Vec<Range<usize>> {
    let parts = match threads {
        0 | 1 => 1,
        threads => (length / SHARE).clamp(1, 4 * threads),
    };
    let cut = |i: usize| (length as u128 * i as u128 / parts as u128) as usize;
    (0..parts).map(|i| cut(i)..cut(i + 1)).collect()
}

/// Applies `work` to `parts` on `threads` threads; returns the results in order of completion.
pub fn divide<R: Send>(
    parts: Vec<Range<usize>>,
    threads: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    if threads < 2 || parts.len() < 2 {
        return parts.into_iter().map(work).collect();
    }
    let threads = threads.min(parts.len());
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
            // If a thread cannot be started, the others do its work.
            let thread = Builder::new().name("divide".to_owned());
            drop(thread.spawn_scoped(scope, take));
        }
        take();
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
