//! Loom models: small programs of two or three threads, run under every interleaving.

use crate::gate::SharedHandle;
use crate::once_map::OnceMap;
use crate::outside::Outside;
use crate::slots::Slots;
use crate::sync::{Arc, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::task_queue::TaskQueue;
use crate::versions::Versions;
use crate::words::WordSet;
use lariat_budget::{Budget, Stop};
use loom::thread;

fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = model.preemption_bound.or(Some(2));
    model.check(run);
}

fn free() -> Budget {
    Budget::unlimited()
}

/// Waits for the next task.
fn next<T>(queue: &TaskQueue<T>) -> Option<T> {
    queue.next(&Outside::of_thread(&free())).unwrap()
}

/// A reason of a computation to fail.
#[derive(Debug, PartialEq)]
struct Failure;

impl From<Stop> for Failure {
    fn from(_: Stop) -> Failure {
        Failure
    }
}

/// Objects of two words, and their ids by hash.
#[derive(Default)]
struct Things {
    words: Vec<AtomicU32>,
    slots: Slots,
}

impl Things {
    fn new(capacity: usize) -> Things {
        Things {
            words: crate::sync::zeroed(8),
            slots: Slots::new(capacity),
        }
    }

    fn is(&self, id: u32, thing: [u32; 2]) -> bool {
        let at = id as usize;
        [0, 1].map(|i| self.words[at + i].load(Ordering::Relaxed)) == thing
    }

    fn write(&self, id: u32, thing: [u32; 2]) {
        for (i, word) in thing.into_iter().enumerate() {
            self.words[id as usize + i].store(word, Ordering::Relaxed);
        }
    }

    /// Inserts an object; all have the same hash, the worst case for probing.
    fn add(&self, id: u32, thing: [u32; 2]) -> u32 {
        self.write(id, thing);
        let is = |other| self.is(other, thing);
        self.slots.claim(0, id, is).unwrap_or(id)
    }

    /// Like `add`, after a search.
    fn add_new(&self, id: u32, thing: [u32; 2]) -> u32 {
        self.write(id, thing);
        let is = |other| self.is(other, thing);
        match self.slots.seek(0, is) {
            Ok(known) => known,
            Err(slot) => self.slots.claim_from(slot, 0, id, is).unwrap_or(id),
        }
    }

    fn find(&self, thing: [u32; 2]) -> Option<u32> {
        self.slots.find(0, |other| self.is(other, thing))
    }
}

#[test]
fn equal_things_get_one_id_and_others_do_not() {
    model(|| {
        let things = Arc::new(Things::new(3));
        let theirs = things.clone();
        let other = thread::spawn(move || (theirs.add(1, [7, 8]), theirs.add(3, [9, 9])));
        let mine = things.add_new(5, [9, 9]);
        let (first, second) = other.join().unwrap();
        assert_eq!(mine, second);
        assert_ne!(first, second);
        assert_eq!(things.find([9, 9]), Some(mine));
        assert_eq!(things.find([7, 8]), Some(first));
        assert_eq!(things.find([8, 7]), None);
    });
}

#[test]
fn a_found_object_is_written_completely() {
    model(|| {
        let things = Arc::new(Things::new(3));
        // Inserted by a single thread.
        things.write(3, [7, 8]);
        things.slots.fill(0, 1, 3);
        let theirs = things.clone();
        let other = thread::spawn(move || theirs.add_new(1, [7, 8]));
        // Any id that is found denotes an object that is written.
        if let Some(id) = things.slots.first(0) {
            assert!(things.is(id, [7, 8]));
        }
        if let Some(id) = things.slots.find(0, |_| true) {
            assert!(things.is(id, [7, 8]));
        }
        other.join().unwrap();
    });
}

#[test]
fn a_word_is_new_to_one_thread() {
    model(|| {
        let mut set = WordSet::new(1);
        assert!(set.add(0, 5) && set.first(0) == 5);
        set.grow(4, |_| 0);
        let set = Arc::new(set);
        assert_eq!(set.capacity(), 4);
        let theirs = set.clone();
        let other = thread::spawn(move || [theirs.add(0, 7), theirs.add(0, 9)]);
        let mine = [set.add(0, 9), set.add(0, 7), set.add(0, 5)];
        let [seven, nine] = other.join().unwrap();
        assert!(nine != mine[0] && seven != mine[1] && !mine[2]);
    });
}

/// An entry of a cache: a key, and ten times the key.
#[derive(Default)]
struct Entry {
    key: AtomicU64,
    value: AtomicU64,
}

#[test]
fn entries_are_never_torn() {
    model(|| {
        let shared = Arc::new((Versions::new(1), Entry::default()));
        assert_eq!(shared.0.count(), 1);
        let writers = [1, 2].map(|key| {
            let shared = shared.clone();
            thread::spawn(move || {
                let (versions, entry) = &*shared;
                versions.write(0, || {
                    entry.key.store(key, Ordering::Relaxed);
                    entry.value.store(10 * key, Ordering::Relaxed);
                })
            })
        });
        let (versions, entry) = &*shared;
        let read = || {
            let key = entry.key.load(Ordering::Relaxed);
            (key, entry.value.load(Ordering::Relaxed))
        };
        if let Some((key, value)) = versions.read(0, read) {
            assert_eq!(value, 10 * key, "torn");
        }
        let wrote = writers.map(|writer| writer.join().unwrap());
        // Of two concurrent writers at least one succeeds.
        assert!(wrote.contains(&true));
        let (key, _) = versions.read(0, read).unwrap();
        assert!(key == 1 || key == 2);
    });
}

#[test]
fn exclusive_sections_happen_before_and_after_shared_ones() {
    model(|| {
        let mut pass = SharedHandle::new(Things::new(4), Things::default());
        let mut theirs = pass.another();
        pass.leave();
        let other = thread::spawn(move || {
            theirs.enter();
            theirs.add(1, [1, 1]);
            // If the table has grown, entries found before are found again.
            if theirs.is_wanted() && theirs.yield_to_writer() {
                assert_eq!(theirs.slots.capacity(), 8);
            }
            assert!(theirs.find([1, 1]).is_some());
        });
        pass.enter();
        pass.add(3, [2, 2]);
        let count = pass.with_exclusive(&free(), |things| {
            things.slots.grow(8, 1);
            assert_eq!(Slots::room(8), 6);
            things.slots.sweep(1, |_| true)
        });
        let count = count.unwrap();
        assert!((1..=2).contains(&count));
        assert!(pass.find([2, 2]).is_some());
        other.join().unwrap();
        assert!(pass.find([1, 1]).is_some());
        assert!(pass.is_sole() && pass.passes() == 1 && pass.is_inside());
    });
}

#[test]
fn concurrent_writers_take_turns() {
    model(|| {
        let mut pass = SharedHandle::new(0_u32, 0);
        let mut theirs = pass.another();
        let other = thread::spawn(move || {
            // The two reads are separated by an exclusive section.
            theirs.enter();
            let before = *theirs;
            let after = theirs.with_exclusive(&free(), |number| {
                *number += 1;
                *number
            });
            assert!(after.unwrap() > before);
        });
        pass.with_exclusive(&free(), |number| *number += 1).unwrap();
        assert!(!pass.is_sole() || *pass == 2);
        // An exclusive section needs all other handles outside.
        pass.leave();
        other.join().unwrap();
        pass.enter();
        assert_eq!(*pass, 2);
    });
}

#[test]
fn readers_that_enter_and_leave_see_every_write_and_block_no_writer() {
    model(|| {
        let mut pass = SharedHandle::new(0_u32, 7);
        let mut theirs = pass.another();
        let other = thread::spawn(move || {
            let mut seen = 0;
            for _ in 0..2 {
                let turned = theirs.enter();
                assert!(turned || *theirs == seen);
                assert!(*theirs >= seen);
                seen = *theirs;
                let _ = theirs.outside(&free());
            }
            // A parked reference does not block a writer, nor does a dropped handle.
            theirs
        });
        pass.with_exclusive(&free(), |number| *number += 1).unwrap();
        pass.leave();
        pass.with_exclusive(&free(), |number| *number += 1).unwrap();
        let theirs = other.join().unwrap();
        pass.with_exclusive(&free(), |number| *number += 1).unwrap();
        drop(theirs);
        assert_eq!(*pass, 3);
    });
}

#[test]
fn every_task_is_taken_once_and_closing_ends_all_workers() {
    model(|| {
        let board = Arc::new(TaskQueue::default());
        let done = Arc::new(AtomicUsize::new(0));
        let (theirs, theirs_done) = (board.clone(), done.clone());
        let worker = thread::spawn(move || {
            while let Some(task) = next(&theirs) {
                theirs_done.fetch_add(task, Ordering::Relaxed);
            }
        });
        board.offer(1);
        board.offer(2);
        while let Some(task) = board.take() {
            done.fetch_add(task, Ordering::Relaxed);
        }
        board.close();
        worker.join().unwrap();
        assert_eq!(done.load(Ordering::Relaxed), 3);
        assert!(!board.is_hungry());
    });
}

/// A task is withdrawn by its owner or done by the other thread.
#[test]
fn a_task_is_withdrawn_or_done() {
    model(|| {
        let board = Arc::new(TaskQueue::default());
        let done = Arc::new(AtomicUsize::new(0));
        let (theirs, theirs_done) = (board.clone(), done.clone());
        let worker = thread::spawn(move || {
            while let Some(task) = next(&theirs) {
                theirs_done.store(task, Ordering::Release);
            }
        });
        board.offer(7);
        let withdrawn = board.withdraw(|task| *task == 7);
        board.close();
        board.offer(8);
        assert_eq!(board.take(), None);
        worker.join().unwrap();
        let expected = if withdrawn.is_some() { 0 } else { 7 };
        assert_eq!(done.load(Ordering::Acquire), expected);
        assert!(!board.is_hungry());
    });
}

#[test]
fn a_value_is_computed_once_unless_the_first_thread_stops() {
    for stops in [false, true] {
        model(move || {
            let common = OnceMap::default();
            let tries = Arc::new(AtomicUsize::new(0));
            let (theirs, tried) = (common.clone(), tries.clone());
            let other = thread::spawn(move || {
                theirs.get(Outside::of_thread(&free()), &1, || {
                    tried.fetch_add(1, Ordering::Relaxed);
                    Ok::<u32, Failure>(7)
                })
            });
            let mine = common.get(Outside::of_thread(&free()), &1, || {
                tries.fetch_add(1, Ordering::Relaxed);
                if stops { Err(Failure) } else { Ok(7) }
            });
            assert_eq!(other.join().unwrap(), Ok(7));
            let tries = tries.load(Ordering::Relaxed);
            assert_eq!(tries, 1 + mine.is_err() as usize);
            assert!(!common.is_sought(&1));
            let known = common.get(Outside::of_thread(&free()), &1, || Err(Failure));
            assert_eq!(known, Ok(7));
        });
    }
}
