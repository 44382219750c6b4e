//! The crate itself, in real threads.

use lariat_budget::{Budget, Cancel, Stop};
use lariat_parallel::{
    BuildMode, Leaf, NextKeys, OnceMap, Outside, Prefetcher, SharedHandle, Slots, TaskQueue,
    Versions, divide, shares, zeroed,
};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

fn free() -> Budget {
    Budget::unlimited()
}

/// Waits for the next task.
fn next<T>(queue: &TaskQueue<T>) -> Option<T> {
    queue.next(&Outside::of_thread(&free())).unwrap()
}

/// Numbers with ids, in a table that starts far too small.
#[derive(Default)]
struct Numbers {
    things: Vec<AtomicU32>,
    slots: Slots,
    /// The next id, and the number of permits left.
    next: AtomicU32,
    left: AtomicUsize,
}

impl Numbers {
    fn new(count: usize, capacity: usize) -> Numbers {
        Numbers {
            things: zeroed(count + 1),
            slots: Slots::new(capacity),
            next: AtomicU32::new(1),
            left: AtomicUsize::new(Slots::room(capacity)),
        }
    }

    fn grow(&mut self) {
        if *self.left.get_mut() == 0 {
            let before = Slots::room(self.slots.capacity());
            self.slots.grow(self.slots.capacity() * 3 / 2, 1);
            *self.left.get_mut() = Slots::room(self.slots.capacity()) - before;
        }
    }
}

fn id_of(pass: &mut SharedHandle<Numbers>, number: u32) -> u32 {
    if pass.is_wanted() {
        pass.yield_to_writer();
    }
    let hash = number.wrapping_mul(0x9E37_79B9);
    loop {
        let equal = |id: u32| pass.things[id as usize].load(Ordering::Relaxed) == number;
        if let Some(id) = pass.slots.find(hash, equal) {
            return id;
        }
        let right = |left: usize| left.checked_sub(1);
        let left = &pass.left;
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, right);
        if taken.is_err() {
            pass.with_exclusive(&free(), Numbers::grow).unwrap();
            continue;
        }
        let id = pass.next.fetch_add(1, Ordering::Relaxed);
        pass.things[id as usize].store(number, Ordering::Relaxed);
        return pass.slots.claim(hash, id, equal).unwrap_or(id);
    }
}

/// Returns `many`, or a hundredth of it under Miri, which is a thousand times slower.
const fn few_with_miri(many: usize) -> usize {
    if cfg!(miri) { many / 100 } else { many }
}

#[test]
fn workers_agree_on_ids_while_the_table_grows() {
    const NUMBERS: u32 = few_with_miri(20_000) as u32;
    let mut pass = SharedHandle::new(Numbers::new(4 * NUMBERS as usize, 16), Numbers::default());
    let passes: Vec<SharedHandle<Numbers>> = (0..4).map(|_| pass.another()).collect();
    pass.leave();
    let ids: Vec<Vec<u32>> = std::thread::scope(|scope| {
        let work = |(turn, mut pass): (u32, SharedHandle<Numbers>)| {
            scope.spawn(move || {
                pass.enter();
                // Each thread starts at another number.
                let number = |i: u32| (i + turn * NUMBERS / 4) % NUMBERS;
                let mut ids = vec![0; NUMBERS as usize];
                for i in 0..NUMBERS {
                    ids[number(i) as usize] = id_of(&mut pass, number(i) + 1);
                }
                ids
            })
        };
        let threads: Vec<_> = (0..).zip(passes).map(work).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|other| *other == ids[0]));
    let mut different = ids[0].clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), NUMBERS as usize);
    pass.enter();
    assert!(pass.is_sole());
    let even = pass.with_exclusive(&free(), |numbers| {
        let number = |id: u32| numbers.things[id as usize].load(Ordering::Relaxed);
        numbers.slots.sweep(1, |id| number(id) % 2 == 0)
    });
    let even = even.unwrap();
    assert_eq!(even, NUMBERS as usize / 2);
}

/// Hashes that crowd the first and the last slots, so that parts of the table overlap.
#[test]
#[cfg_attr(miri, ignore = "a table worth dividing takes too long")]
fn a_table_divided_among_threads_keeps_the_live_entries() {
    const SLOTS: usize = 1 << 19;
    let crowded = [0, u32::MAX].into_iter().flat_map(|hash| [hash; 2000]);
    let spread = (0..1 << 18).map(|i: u32| i.wrapping_mul(0x9E37_79B9));
    let hashes: Vec<u32> = crowded.chain(spread).collect();
    for threads in [1, 2, 3, 8] {
        let mut slots = Slots::new(SLOTS);
        let id = |i: usize| i as u32 + 1;
        for (i, hash) in hashes.iter().enumerate() {
            assert_eq!(slots.claim(*hash, id(i), |_| false), None);
        }
        let is_known = |slots: &Slots, i: usize| slots.find(hashes[i], |other| other == id(i));
        slots.grow(SLOTS / 2 * 3, threads);
        assert_eq!(slots.capacity(), SLOTS / 2 * 3);
        assert!((0..hashes.len()).all(|i| is_known(&slots, i).is_some()));
        let live = |id: u32| id.is_multiple_of(3);
        let count = slots.sweep(threads, live);
        assert_eq!(count, hashes.len() / 3);
        assert!((0..hashes.len()).all(|i| is_known(&slots, i).is_some() == live(id(i))));
    }
    // A table without an empty slot cannot be swept.
    let mut full = Slots::new(2);
    full.fill(0, 0, 1);
    full.fill(1, 0, 2);
    assert_eq!(full.sweep(2, |_| false), 2);
}

#[test]
fn every_part_is_done_once() {
    for (length, threads) in [(0, 2), (5, 3), (1 << 17, 1), (1 << 19, 2), (1 << 20, 5)] {
        let mut done = divide(shares(length, threads), threads, |part| part);
        done.sort_unstable_by_key(|part| part.start);
        assert_eq!(done, shares(length, threads));
        assert_eq!(done.iter().map(|part| part.len()).sum::<usize>(), length);
        let joined = done.windows(2).all(|pair| pair[0].end == pair[1].start);
        assert!(joined && done.len() <= 4 * threads);
    }
}

#[test]
fn cache_entries_are_never_torn() {
    let versions = Versions::new(4);
    let entries: Vec<[AtomicU64; 2]> = (0..4).map(|_| Default::default()).collect();
    let read = |at: usize| {
        let words = || [0, 1].map(|i| entries[at][i].load(Ordering::Relaxed));
        versions.read(at, words)
    };
    std::thread::scope(|scope| {
        for worker in 1..4u64 {
            let (versions, entries, read) = (&versions, &entries, &read);
            scope.spawn(move || {
                for turn in 0..few_with_miri(100_000) as u64 {
                    let key = worker * 1_000_000 + turn;
                    let at = turn as usize % 4;
                    versions.write(at, || {
                        entries[at][0].store(key, Ordering::Relaxed);
                        entries[at][1].store(!key, Ordering::Relaxed);
                    });
                    if let Some([key, value]) = read((at + 1) % 4) {
                        assert!(value == !key || (key, value) == (0, 0));
                    }
                }
            });
        }
    });
    assert!((0..4).all(|at| read(at).is_some()));
}

#[test]
fn a_panic_with_exclusive_access_does_not_block_the_others() {
    let mut pass = SharedHandle::new(1_u32, 0);
    let mut theirs = pass.another();
    pass.leave();
    let panics = move || theirs.with_exclusive(&free(), |_| panic!("intended"));
    let panicked = std::thread::spawn(panics).join();
    assert!(panicked.is_err());
    assert_eq!(pass.with_exclusive(&free(), |number| *number), Ok(1));
    assert!(pass.is_sole());
}

#[test]
fn idle_workers_are_counted_and_ended_by_close() {
    let board = TaskQueue::new();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| std::iter::from_fn(|| next(&board)).sum::<u32>());
        while !board.is_hungry() {
            std::thread::yield_now();
        }
        board.offer(20);
        while !board.is_hungry() {
            std::thread::yield_now();
        }
        board.close();
        board.offer(22);
        assert_eq!(worker.join().unwrap(), 20);
    });
    assert_eq!(board.take(), None);
    assert_eq!(next(&board), None);
}

#[test]
fn the_newest_task_is_taken_first_and_owners_withdraw_theirs() {
    let board = TaskQueue::new();
    for task in [1, 8, 2] {
        board.offer(task);
    }
    assert_eq!(next(&board), Some(2));
    assert_eq!(board.withdraw(|task| *task == 2), None);
    assert_eq!(board.withdraw(|task| *task == 1), Some(1));
    assert_eq!(next(&board), Some(8));
    board.offer(4);
    board.close();
    assert_eq!(next(&board), None);
}

/// Above the only unclaimed job lies one that the builder has claimed; the builder does not finish
/// it before the consumer has done the other.
#[test]
fn a_waiting_consumer_finds_unclaimed_jobs_below_claimed_ones() {
    const BEGUN: u32 = 2;
    const GOOD: u32 = 1;
    let ahead = Prefetcher::<u32, u32, Stop>::new(8, 1);
    let behind = |key: &u32, _: &u32| NextKeys {
        // The consumer keeps the last to itself.
        likely: match key {
            0 => vec![GOOD, BEGUN, BEGUN, 3],
            _ => Vec::new(),
        },
        sure: None,
        doubtful: false,
    };
    let (done, is_done) = channel();
    let (begun, is_begun) = channel();
    let (offered, are_offered) = channel();
    let ahead = &ahead;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // All jobs are queued before the builder starts.
            are_offered.recv().unwrap();
            let compute = |key: &u32, place: BuildMode| {
                if place == BuildMode::Duplicate {
                    return Ok(None);
                }
                if *key == BEGUN {
                    begun.send(()).unwrap();
                    let done = is_done.recv_timeout(Duration::from_secs(20));
                    return done.map(|()| Some(BEGUN)).map_err(|_| Stop::Interrupted);
                }
                Ok(Some(*key))
            };
            if let Err(stop) = ahead.work(&free(), compute, behind) {
                ahead.fail(stop);
            }
        });
        let compute = |key: &u32| {
            if *key == GOOD {
                done.send(()).unwrap();
            }
            Ok(*key)
        };
        assert_eq!(ahead.ask(&free(), &0, compute, behind), Ok(0));
        offered.send(()).unwrap();
        is_begun.recv().unwrap();
        assert_eq!(ahead.ask(&free(), &BEGUN, compute, behind), Ok(BEGUN));
        assert_eq!(ahead.ask(&free(), &GOOD, compute, behind), Ok(GOOD));
        ahead.dismiss();
    });
}

/// A thread panics in a computation while another waits for its value.
#[test]
fn a_waiter_computes_the_value_after_a_panic() {
    let common = OnceMap::<u32, u32>::default();
    let (begun, is_begun) = channel();
    std::thread::scope(|scope| {
        let lost = scope.spawn(|| {
            common.get(Outside::of_thread(&free()), &1, || -> Result<u32, Stop> {
                begun.send(()).unwrap();
                std::thread::sleep(Duration::from_millis(20));
                panic!("intended");
            })
        });
        is_begun.recv().unwrap();
        assert!(common.is_sought(&1) && !common.is_sought(&2));
        assert_eq!(
            common.get(Outside::of_thread(&free()), &1, || Ok::<_, Stop>(7)),
            Ok(7)
        );
        assert!(!common.is_sought(&1));
        assert!(lost.join().is_err());
    });
    assert_eq!(
        common.get(Outside::of_thread(&free()), &1, || Err(Stop::Memory)),
        Ok(7)
    );
}

/// A thread waits for what never happens; another one cancels it.
fn cancelled(wait: impl FnOnce(&Budget) -> Option<Stop> + Send) {
    let cancel = Cancel::default();
    let budget = Budget::unlimited().with_cancel(cancel.clone());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| wait(&budget));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!waiting.is_finished());
        cancel.press();
        assert_eq!(waiting.join().unwrap(), Some(Stop::Interrupted));
    });
    let over = Budget::unlimited().with_deadline(Duration::ZERO);
    assert_eq!(over.check(), Err(Stop::Time));
}

#[test]
fn every_wait_ends_when_it_is_cancelled() {
    cancelled(|budget| {
        let queue = TaskQueue::<u32>::new();
        queue.next(&Outside::of_thread(budget)).err()
    });
    cancelled(|budget| {
        let common = OnceMap::<u32, u32>::default();
        let (begun, is_begun) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                common.get(Outside::of_thread(&free()), &1, || {
                    begun.send(()).unwrap();
                    while budget.check().is_ok() {
                        std::thread::yield_now();
                    }
                    Err(Stop::Lost(String::new()))
                })
            });
            is_begun.recv().unwrap();
            let found = common.get(Outside::of_thread(budget), &1, || Err(Stop::Interrupted));
            found.err()
        })
    });
    cancelled(|budget| {
        let mut handle = SharedHandle::new(1_u32, 0);
        // A handle inside that never leaves.
        let mut other = handle.another();
        other.enter();
        handle.with_exclusive(budget, |number| *number += 1).err()
    });
}

/// After a writer has given up, the gate works as before.
#[test]
fn a_writer_that_gives_up_leaves_the_gate_usable() {
    let mut handle = SharedHandle::new(1_u32, 0);
    let mut other = handle.another();
    other.enter();
    let over = Budget::unlimited().with_deadline(Duration::ZERO);
    assert_eq!(handle.with_exclusive(&over, |_| ()), Err(Stop::Time));
    assert!(handle.is_inside() && !other.is_wanted());
    handle.leave();
    assert_eq!(other.with_exclusive(&free(), |number| *number += 1), Ok(()));
    assert!(handle.enter());
    assert_eq!(*handle, 2);
}

/// Returns whether `work` violates the lock order, in a thread of its own.
#[cfg(debug_assertions)]
fn violates_order(work: impl FnOnce() + Send) -> bool {
    std::thread::scope(|scope| scope.spawn(work).join().is_err())
}

#[test]
#[cfg(debug_assertions)]
fn a_thread_that_breaks_the_lock_order_panics_without_blocking() {
    let (one, two) = (Leaf::new(1), Leaf::new(2));
    assert!(violates_order(|| one.with(|_| two.with(|_| ()))));
    assert!(!violates_order(|| two.with(|_| ())));
    assert!(violates_order(|| {
        let mut handle = SharedHandle::new(0_u32, 0);
        one.with(|_| handle.leave());
    }));
    assert!(violates_order(|| {
        let handle = SharedHandle::new(0_u32, 0);
        let _other = handle.another();
        TaskQueue::<u32>::new()
            .next(&Outside::of_thread(&free()))
            .ok();
    }));
    assert!(violates_order(|| {
        let budget = free();
        one.with(|_| Outside::of_thread(&budget));
    }));
    // The only handle of a gate may stay inside, and one that is outside blocks no writer.
    assert!(!violates_order(|| {
        let queue = TaskQueue::<u32>::new();
        queue.offer(1);
        let mut handle = SharedHandle::new(0_u32, 0);
        queue.next(&Outside::of_thread(&free())).ok();
        queue.offer(1);
        let _other = handle.another();
        queue.next(&handle.outside(&free())).ok();
    }));
}
