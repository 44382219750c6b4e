//! The threads of a check: one per worker, the first of them the calling thread.

use crate::outcome::Counts;
use crate::sync::{scope, start};
use crate::union_find::MAX_WORKERS;
use std::panic::resume_unwind;

/// Runs a search with each worker and its number, at most [`MAX_WORKERS`] of them. Adds their
/// counts, and returns a component that one of them has found; otherwise a reason to stop.
///
/// A worker that finds one, stops or panics must end the others. A panic is resumed here.
pub(crate) fn in_threads<W: Send, A: Send, S: Send>(
    workers: &mut [W],
    counts: &mut Counts,
    run: impl Fn(&mut W, u64) -> (Result<Option<A>, S>, Counts) + Sync,
) -> Result<Option<A>, S> {
    let used = workers.len().min(MAX_WORKERS);
    let mut others = workers[..used].iter_mut();
    let first = others.next().expect("there is a worker");
    let ends = scope(|scope| {
        let run = &run;
        let mut threads = Vec::new();
        for (number, worker) in (1..).zip(others) {
            // If no thread can be created, the other workers do all the work.
            threads.extend(start(scope, move || run(worker, number)));
        }
        let mut ends = vec![run(first, 0)];
        for thread in threads {
            // A worker that panics has ended the others.
            ends.push(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        ends
    });
    let (mut accepting, mut stop) = (None, None);
    for (end, counted) in ends {
        counts.nodes += counted.nodes;
        counts.edges += counted.edges;
        counts.deepest = counts.deepest.max(counted.deepest);
        match end {
            Ok(found) => accepting = accepting.or(found),
            Err(why) => stop = stop.or(Some(why)),
        }
    }
    match (accepting, stop) {
        (None, Some(stop)) => Err(stop),
        (accepting, _) => Ok(accepting),
    }
}
