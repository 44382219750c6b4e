//! Models: small programs of two or three threads, tried in every order.

use crate::board::Board;
use crate::common::Common;
use crate::gate::Pass;
use crate::slots::Slots;
use crate::sync::{Arc, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::versions::Versions;
use crate::words::WordSet;
use loom::thread;

fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = model.preemption_bound.or(Some(2));
    model.check(run);
}

/// Things of two words, and their ids by hash.
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

    /// All things have the same hash: the worst case for probing.
    fn add(&self, id: u32, thing: [u32; 2]) -> u32 {
        self.write(id, thing);
        let is = |other| self.is(other, thing);
        self.slots.claim(0, id, is).unwrap_or(id)
    }

    /// The same, after a look for it.
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
fn whoever_finds_a_thing_sees_all_of_it() {
    model(|| {
        let things = Arc::new(Things::new(3));
        // The first one when there was nobody else yet.
        things.write(3, [7, 8]);
        things.slots.fill(0, 1, 3);
        let theirs = things.clone();
        let other = thread::spawn(move || theirs.add_new(1, [7, 8]));
        // Any id that is found belongs to a thing that is written.
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
fn a_word_is_new_to_one() {
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
fn entries_are_never_mixed_of_two() {
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
        // Of writers who meet at least one gets through.
        assert!(wrote.contains(&true));
        let (key, _) = versions.read(0, read).unwrap();
        assert!(key == 1 || key == 2);
    });
}

#[test]
fn whoever_is_alone_sees_what_all_have_done_and_all_see_what_it_does() {
    model(|| {
        let mut pass = Pass::new(Things::new(4), Things::default());
        let mut theirs = pass.another();
        pass.leave();
        let other = thread::spawn(move || {
            theirs.enter();
            theirs.add(1, [1, 1]);
            // What was found before is gone, or is found again.
            if theirs.is_wanted() && theirs.make_way() {
                assert_eq!(theirs.slots.capacity(), 8);
            }
            assert!(theirs.find([1, 1]).is_some());
        });
        pass.enter();
        pass.add(3, [2, 2]);
        let count = pass.alone(|things| {
            things.slots.grow(8, 1);
            assert_eq!(Slots::room(8), 6);
            things.slots.sweep(1, |_| true)
        });
        assert!((1..=2).contains(&count));
        assert!(pass.find([2, 2]).is_some());
        other.join().unwrap();
        assert!(pass.find([1, 1]).is_some());
        assert!(pass.is_sole() && pass.passes() == 1 && pass.is_inside());
    });
}

#[test]
fn all_who_want_to_be_alone_have_their_turns() {
    model(|| {
        let mut pass = Pass::new(0_u32, 0);
        let mut theirs = pass.another();
        let other = thread::spawn(move || {
            // Whoever reads what the other one changes does so on two sides of a meeting.
            theirs.enter();
            let before = *theirs;
            let after = theirs.alone(|number| {
                *number += 1;
                *number
            });
            assert!(after > before);
        });
        pass.alone(|number| *number += 1);
        assert!(!pass.is_sole() || *pass == 2);
        // A meeting needs everybody who is inside.
        pass.leave();
        other.join().unwrap();
        pass.enter();
        assert_eq!(*pass, 2);
    });
}

#[test]
fn who_goes_in_and_out_sees_every_turn_and_keeps_nobody_waiting() {
    model(|| {
        let mut pass = Pass::new(0_u32, 7);
        let mut theirs = pass.another();
        let other = thread::spawn(move || {
            let mut seen = 0;
            for _ in 0..2 {
                let turned = theirs.enter();
                assert!(turned || *theirs == seen);
                assert!(*theirs >= seen);
                seen = *theirs;
                theirs.leave();
            }
            // What is left on its hook does not keep anybody from being alone; nor does it when it is gone.
            theirs
        });
        pass.alone(|number| *number += 1);
        pass.leave();
        pass.alone(|number| *number += 1);
        let theirs = other.join().unwrap();
        pass.alone(|number| *number += 1);
        drop(theirs);
        assert_eq!(*pass, 3);
    });
}

#[test]
fn every_task_is_taken_once_and_closing_sends_everybody_home() {
    model(|| {
        let board = Arc::new(Board::default());
        let done = Arc::new(AtomicUsize::new(0));
        let (theirs, theirs_done) = (board.clone(), done.clone());
        let worker = thread::spawn(move || {
            while let Some(task) = theirs.next() {
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

/// The owner of a task takes it back, or hears of its end.
#[test]
fn a_task_comes_back_to_its_owner_or_is_done() {
    model(|| {
        let board = Arc::new(Board::default());
        let done = Arc::new(AtomicUsize::new(0));
        let (theirs, theirs_done) = (board.clone(), done.clone());
        let hand = thread::spawn(move || {
            while let Some(task) = theirs.next() {
                theirs_done.store(task, Ordering::Release);
                theirs.tell();
            }
        });
        board.offer(7);
        if board.withdraw(|task| *task == 7).is_none() {
            let come = || done.load(Ordering::Acquire) == 7;
            while !come() {
                assert_eq!(board.meanwhile(come), None);
            }
        } else {
            assert_eq!(done.load(Ordering::Relaxed), 0);
        }
        board.close();
        board.offer(8);
        assert_eq!(board.take(), None);
        hand.join().unwrap();
        assert!(!board.is_hungry());
    });
}

#[test]
fn what_two_ask_for_is_found_by_one_unless_it_stops() {
    for stops in [false, true] {
        model(move || {
            let common = Common::default();
            let tries = Arc::new(AtomicUsize::new(0));
            let (theirs, tried) = (common.clone(), tries.clone());
            let other = thread::spawn(move || {
                theirs.get(&1, || {
                    tried.fetch_add(1, Ordering::Relaxed);
                    Ok::<u32, u32>(7)
                })
            });
            let mine = common.get(&1, || {
                tries.fetch_add(1, Ordering::Relaxed);
                if stops { Err(1) } else { Ok(7) }
            });
            assert_eq!(other.join().unwrap(), Ok(7));
            let tries = tries.load(Ordering::Relaxed);
            assert_eq!(tries, 1 + mine.is_err() as usize);
            assert!(!common.is_sought(&1));
            assert_eq!(common.get(&1, || Err(2)), Ok(7));
        });
    }
}
