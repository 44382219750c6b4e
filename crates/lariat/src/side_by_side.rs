//! Several questions about one model at once, each on a thread of its own.
//!
//! Workers take the next question that nobody has begun. A diagram store belongs to one thread, so each worker has an [`Explored`] of its
//! own, from a [`Shelf`] on which it stays for later questions; the systems that passes make, their symmetries and what linear programs say of them are common to all. What two questions share of states
//! is therefore found once a worker and not once: that costs processor time where it is much, and no time of the clock.
//!
//! A question has two parts: it is decided, and then a run that violates it is shortened. The second part waits while there are others to be decided, and what is likely to take long comes
//! first then, so that one long question at the end does not leave the other threads without work.
//!
//! Verdicts do not depend on who asks. What a worker has learned from the questions before does, and with it which engine answers and
//! what that costs; with one thread everything repeats.
//!
//! Who has no question any more leaves its seat to those who are still at work (`auto/at_once.rs`).
//!
//! Memory is one account. A question that ran out of it while others held some is asked once more when nobody else is at work.

use crate::explored::{Explored, InCommon};
use lariat_budget::Idle;
use lariat_reductions::Systems;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};

/// Stack of a worker: that of a main thread, several times.
const STACK: usize = 64 << 20;

/// What was explored of a model, for whoever asks next: each worker takes something for as long as it is at work.
pub struct Shelf<'s> {
    systems: &'s Systems,
    in_common: InCommon<'s>,
    free: Mutex<Vec<Explored<'s>>>,
}

impl<'s> Shelf<'s> {
    /// An empty one.
    pub fn new(systems: &'s Systems) -> Shelf<'s> {
        Shelf {
            systems,
            in_common: InCommon::default(),
            free: Mutex::default(),
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Explored<'s>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Explored<'s> {
        let known = self.free().pop();
        known.unwrap_or_else(|| Explored::with(self.systems, self.in_common.clone()))
    }

    fn put(&self, explored: Explored<'s>) {
        self.free().push(explored);
    }
}

/// What is known of a question that was asked.
pub enum Decided<A> {
    /// All that is to be said of it.
    Answer(A),
    /// What has to be finished; how long that takes is in proportion to its weight, as far as one can tell.
    Unfinished(A, usize),
}

/// Answers all `questions`, on the threads that are `idle` and with what is on the `shelf`: `ask` decides one, and `finish` says the rest of it. Passes each answer with its position to `tell` on
/// the thread of the caller: as soon as it is known, in the order of the questions, but for those that were `starved` and had to be asked again, which come last.
///
/// An error of `tell` ends it: no further question is begun.
pub fn side_by_side<'s, Q, A, E>(
    questions: &[Q],
    (idle, shelf): (&Idle, &Shelf<'s>),
    ask: impl Fn(&Q, &mut Explored<'s>) -> Decided<A> + Sync,
    finish: impl Fn(&Q, A) -> A + Sync,
    starved: impl Fn(&A) -> bool,
    mut tell: impl FnMut(usize, A) -> Result<(), E>,
) -> Result<(), E>
where
    Q: Sync,
    A: Send,
{
    let whole = |at: usize, explored: &mut Explored<'s>| {
        let question = &questions[at];
        match ask(question, explored) {
            Decided::Answer(answer) => answer,
            Decided::Unfinished(found, _) => finish(question, found),
        }
    };
    let seats = idle.take_up_to(questions.len());
    if seats.len() <= 1 {
        let mut explored = shelf.take();
        let ended = (0..questions.len()).try_for_each(|at| tell(at, whole(at, &mut explored)));
        shelf.put(explored);
        return ended;
    }
    let desk = Desk::new(questions.len());
    let mut again = Vec::new();
    scope(|scope| {
        let (answers, told) = channel();
        for seat in seats {
            let (answers, desk) = (answers.clone(), &desk);
            let (ask, finish) = (&ask, &finish);
            let work = move || {
                let _seat = seat;
                let mut explored = shelf.take();
                while let Some(task) = desk.next() {
                    let (at, answer) = match task {
                        Task::Ask(at) => match ask(&questions[at], &mut explored) {
                            Decided::Answer(answer) => (at, answer),
                            Decided::Unfinished(found, weight) => {
                                desk.put(at, found, weight);
                                continue;
                            }
                        },
                        Task::Finish(at, found) => (at, finish(&questions[at], found)),
                    };
                    desk.done(at);
                    if answers.send((at, answer)).is_err() {
                        break;
                    }
                }
                shelf.put(explored);
            };
            // Where there is no thread to be had, the others do the work.
            let name = "question".to_owned();
            let _ = Builder::new()
                .name(name)
                .stack_size(STACK)
                .spawn_scoped(scope, work);
        }
        drop(answers);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (at, answer) in told {
            waiting.insert(at, answer);
            while let Some(answer) = waiting.remove(&due) {
                if starved(&answer) {
                    again.push(due)
                } else {
                    tell(due, answer).inspect_err(|_| desk.close())?
                }
                due += 1;
            }
        }
        // Of those that no thread was there for.
        again.extend(due..questions.len());
        Ok(())
    })?;
    if again.is_empty() {
        return Ok(());
    }
    let _seat = idle.take();
    // There was not enough memory for all that has been explored.
    shelf.free().clear();
    let mut explored = shelf.take();
    again
        .into_iter()
        .try_for_each(|at| tell(at, whole(at, &mut explored)))
}

/// What is next to be done about a question.
enum Task<A> {
    Ask(usize),
    Finish(usize, A),
}

/// What is to be done, for all workers.
///
/// What has been decided is finished at once where its answer is the next to be told, so that nobody waits for it longer than needed, and else when every question has been begun, the heaviest first: how long
/// deciding takes is not known before, and what does not take long evens that out at the end. (Sixteen properties of SwimmingPool-PT-04 whose runs have up to 395 steps, with a second
/// thread: 1.68 times as fast, and 1.35 if the first comes first.)
struct Desk<A>(Mutex<Papers<A>>);

struct Papers<A> {
    questions: usize,
    /// The next question that nobody has begun.
    next: usize,
    /// What is not finished, with its weight.
    unfinished: BTreeMap<usize, (A, usize)>,
    /// Those that are finished, from the one on that is the next to be told.
    done: BTreeSet<usize>,
    due: usize,
}

impl<A> Papers<A> {
    /// What takes longest to finish, of equals the first.
    fn heaviest(&self) -> Option<usize> {
        let by_weight = |(at, (_, weight)): (&usize, &(A, usize))| (Reverse(*weight), *at);
        let (_, at) = self.unfinished.iter().map(by_weight).min()?;
        Some(at)
    }
}

impl<A> Desk<A> {
    fn new(questions: usize) -> Desk<A> {
        Desk(Mutex::new(Papers {
            questions,
            next: 0,
            unfinished: BTreeMap::new(),
            done: BTreeSet::new(),
            due: 0,
        }))
    }

    fn papers(&self) -> MutexGuard<'_, Papers<A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Task<A>> {
        let mut papers = self.papers();
        let is_due = papers.unfinished.contains_key(&papers.due);
        if !is_due && papers.next < papers.questions {
            papers.next += 1;
            return Some(Task::Ask(papers.next - 1));
        }
        let at = if is_due {
            papers.due
        } else {
            papers.heaviest()?
        };
        let (found, _) = papers.unfinished.remove(&at)?;
        Some(Task::Finish(at, found))
    }

    fn put(&self, at: usize, found: A, weight: usize) {
        self.papers().unfinished.insert(at, (found, weight));
    }

    fn done(&self, at: usize) {
        let papers = &mut *self.papers();
        papers.done.insert(at);
        while papers.done.remove(&papers.due) {
            papers.due += 1;
        }
    }

    /// Nothing more is to be done.
    fn close(&self) {
        let mut papers = self.papers();
        papers.questions = 0;
        papers.unfinished.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn nothing<A>(_: &A) -> bool {
        false
    }

    #[test]
    fn answers_come_in_the_order_of_the_questions() {
        let questions: Vec<u64> = (0..50).collect();
        for n in [1, 2, 3, 8, 100] {
            let ask = |q: &u64, _: &mut Explored<'_>| {
                std::thread::sleep(std::time::Duration::from_micros(q * 37 % 400));
                match q % 3 {
                    0 => Decided::Answer(q * q),
                    _ => Decided::Unfinished(q * q - 1, *q as usize % 7),
                }
            };
            let mut told = Vec::new();
            let tell = |at: usize, answer: u64| {
                told.push((at as u64, answer));
                Ok::<(), ()>(())
            };
            side_by_side(
                &questions,
                (&Idle::new(n), &Shelf::new(&Systems::new())),
                ask,
                |q: &u64, answer: u64| {
                    std::thread::sleep(std::time::Duration::from_micros(q * 53 % 300));
                    answer + 1
                },
                nothing,
                tell,
            )
            .unwrap();
            let expected: Vec<_> = questions.iter().map(|q| (*q, q * q)).collect();
            assert_eq!(told, expected, "{n} threads");
        }
    }

    /// Who has nothing left to ask finishes what is due, then what is heaviest.
    #[test]
    fn what_is_heavy_does_not_come_last() {
        let desk = Desk::new(5);
        let mut finished = Vec::new();
        while let Some(task) = desk.next() {
            match task {
                Task::Ask(0) => desk.done(0),
                Task::Ask(at) => desk.put(at, (), [0, 1, 2, 9, 2][at]),
                Task::Finish(at, ()) => {
                    finished.push(at);
                    // As if somebody else were still busy with what is due.
                    if at != 1 {
                        desk.done(at);
                    }
                }
            }
        }
        assert_eq!(finished, [1, 3, 2, 4]);
    }

    #[test]
    fn who_starved_is_asked_again_alone() {
        let asked = Mutex::new(HashSet::new());
        let at_work = AtomicUsize::new(0);
        let ask = |q: &usize, _: &mut Explored<'_>| {
            let others = at_work.fetch_add(1, Ordering::SeqCst);
            let first = asked.lock().unwrap().insert(*q);
            std::thread::sleep(std::time::Duration::from_millis(2));
            at_work.fetch_sub(1, Ordering::SeqCst);
            Decided::Answer(if first {
                Err(Some(*q))
            } else {
                Ok((*q, others))
            })
        };
        let hungry = |answer: &Result<(usize, usize), Option<usize>>| matches!(answer, Err(Some(q)) if q % 2 == 1);
        let (mut plain, mut second) = (Vec::new(), Vec::new());
        let tell = |at: usize, answer: Result<_, _>| {
            match answer {
                Err(_) => plain.push(at),
                Ok((q, others)) => {
                    assert_eq!((q, others), (at, 0));
                    second.push(at);
                }
            }
            Ok::<(), ()>(())
        };
        let questions: Vec<usize> = (0..9).collect();
        side_by_side(
            &questions,
            (&Idle::new(3), &Shelf::new(&Systems::new())),
            ask,
            |_: &usize, answer| answer,
            hungry,
            tell,
        )
        .unwrap();
        assert_eq!(plain, [0, 2, 4, 6, 8]);
        assert_eq!(second, [1, 3, 5, 7]);
    }

    #[test]
    fn an_error_of_the_teller_ends_it() {
        let asked = AtomicUsize::new(0);
        let ask = |_: &usize, _: &mut Explored<'_>| {
            asked.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(1));
            Decided::Answer(())
        };
        let questions: Vec<usize> = (0..1000).collect();
        let full = |_: usize, (): ()| Err("the disk is full");
        let ended = side_by_side(
            &questions,
            (&Idle::new(2), &Shelf::new(&Systems::new())),
            ask,
            |_: &usize, ()| (),
            nothing,
            full,
        );
        assert_eq!(ended, Err("the disk is full"));
        assert!(asked.into_inner() < 1000);
    }
}
