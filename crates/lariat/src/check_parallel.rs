//! Checks several questions about one model on several threads.
//!
//! Each worker takes the next question that is not taken. A diagram store belongs to one thread, so
//! each worker has a [`SpaceCache`] from a [`CachePool`], where it stays for later questions; the
//! systems that passes make, their symmetries and the results of linear programs are shared. States
//! that two questions have in common are thus explored once per worker, which costs processor time
//! but no wall-clock time.
//!
//! Verdicts do not depend on the number of threads. The contents of a worker's cache depend on the
//! questions that it has checked, and so may the answering engine and the statistics; one thread is
//! deterministic.
//!
//! A worker without further questions releases its thread slot to those that are still working
//! (`auto/run_round_parallel.rs`).
//!
//! Memory is one account. A question that exhausted it while others held memory is repeated when no
//! other worker is active.

use crate::cache::{SharedAnalyses, SpaceCache};
use lariat_budget::ThreadPool;
use lariat_reductions::Systems;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};

/// Stack size of a worker.
const STACK: usize = 64 << 20;

/// The caches of one model that no worker uses at the moment.
pub struct CachePool<'s> {
    systems: &'s Systems,
    shared: SharedAnalyses<'s>,
    free: Mutex<Vec<SpaceCache<'s>>>,
}

impl<'s> CachePool<'s> {
    /// A pool without caches; systems made by passes are stored in `systems`.
    pub fn new(systems: &'s Systems) -> CachePool<'s> {
        CachePool {
            systems,
            shared: SharedAnalyses::default(),
            free: Mutex::default(),
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<SpaceCache<'s>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a cache, a new one if all are in use.
    pub fn take(&self) -> SpaceCache<'s> {
        let known = self.free().pop();
        known.unwrap_or_else(|| SpaceCache::sharing(self.systems, self.shared.clone()))
    }

    /// Returns a cache.
    pub fn put(&self, cache: SpaceCache<'s>) {
        self.free().push(cache);
    }
}

/// The output of one check: events, and whether the question must be repeated for lack of memory.
pub struct CheckOutput<'e, A> {
    emit: &'e mut dyn FnMut(A),
    out_of_memory: bool,
}

impl<A> CheckOutput<'_, A> {
    /// Reports an event.
    pub fn emit(&mut self, event: A) {
        (self.emit)(event);
    }

    /// Reports that memory was exhausted, with the event to emit if there is no repetition.
    pub fn out_of_memory(&mut self) {
        self.out_of_memory = true;
    }
}

/// The events of one question from a worker.
enum Message<A> {
    Event(usize, A),
    Starved(usize),
}

/// Checks all `questions` by `check`, on the threads that are free in `idle` and with the caches of
/// the `pool`. Passes each event with the position of its question to `emit`, on the thread of the
/// caller and as soon as it is known: with several threads the order is that of completion.
///
/// `check` gets a flag that says whether the question may be repeated if memory is exhausted; then
/// it calls `CheckOutput::out_of_memory` instead of emitting an event. If `emit` breaks, no
/// further question is begun.
pub fn check_parallel<'s, Q, A>(
    questions: &[Q],
    idle: &ThreadPool,
    pool: &CachePool<'s>,
    check: impl Fn(&Q, bool, &mut SpaceCache<'s>, &mut CheckOutput<'_, A>) + Sync,
    mut emit: impl FnMut(usize, A) -> ControlFlow<()>,
) where
    Q: Sync,
    A: Send,
{
    let permits = idle.take_up_to(questions.len());
    if permits.len() <= 1 {
        check_in_order(questions, 0..questions.len(), pool, &check, &mut emit);
        return;
    }
    let next = AtomicUsize::new(0);
    let mut again = Vec::new();
    let is_complete = scope(|scope| {
        let (sender, events) = channel();
        for permit in permits {
            let (sender, next, check) = (sender.clone(), &next, &check);
            let work = move || {
                let _permit = permit;
                let mut cache = pool.take();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(question) = questions.get(at) else {
                        break;
                    };
                    let mut output = CheckOutput {
                        // The receiver is dropped only when no further event is wanted.
                        emit: &mut |event| drop(sender.send(Message::Event(at, event))),
                        out_of_memory: false,
                    };
                    check(question, true, &mut cache, &mut output);
                    if output.out_of_memory {
                        let _ = sender.send(Message::Starved(at));
                    }
                }
                pool.put(cache);
            };
            // If a thread cannot be started, the others do the work.
            let name = "property".to_owned();
            let _ = Builder::new()
                .name(name)
                .stack_size(STACK)
                .spawn_scoped(scope, work);
        }
        drop(sender);
        for message in events {
            match message {
                Message::Event(at, event) => {
                    if emit(at, event).is_break() {
                        next.store(questions.len(), Ordering::Relaxed);
                        return false;
                    }
                }
                Message::Starved(at) => again.push(at),
            }
        }
        true
    });
    if !is_complete {
        return;
    }
    // Questions for which no thread could be started.
    again.extend(next.into_inner().min(questions.len())..questions.len());
    if again.is_empty() {
        return;
    }
    let _permit = idle.take();
    // The stored states took the memory.
    pool.free().clear();
    check_in_order(questions, again, pool, &check, &mut emit);
}

/// Checks some questions on the thread of the caller.
fn check_in_order<'s, Q, A>(
    questions: &[Q],
    order: impl IntoIterator<Item = usize>,
    pool: &CachePool<'s>,
    check: &impl Fn(&Q, bool, &mut SpaceCache<'s>, &mut CheckOutput<'_, A>),
    emit: &mut impl FnMut(usize, A) -> ControlFlow<()>,
) {
    let mut cache = pool.take();
    for at in order {
        let mut flow = ControlFlow::Continue(());
        let mut output = CheckOutput {
            emit: &mut |event| {
                if flow.is_continue() {
                    flow = emit(at, event);
                }
            },
            out_of_memory: false,
        };
        check(&questions[at], false, &mut cache, &mut output);
        if flow.is_break() {
            break;
        }
    }
    pool.put(cache);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::time::Duration;

    #[test]
    fn every_question_is_answered_once() {
        let questions: Vec<u64> = (0..50).collect();
        let systems = Systems::new();
        for threads in [1, 2, 3, 8, 100] {
            let mut answers = Vec::new();
            check_parallel(
                &questions,
                &ThreadPool::new(threads),
                &CachePool::new(&systems),
                |q, _, _, output| {
                    std::thread::sleep(Duration::from_micros(q * 37 % 400));
                    output.emit(q * q);
                },
                |at, answer: u64| {
                    answers.push((at as u64, answer));
                    ControlFlow::Continue(())
                },
            );
            answers.sort_unstable();
            let expected: Vec<_> = questions.iter().map(|q| (*q, q * q)).collect();
            assert_eq!(answers, expected, "{threads} threads");
        }
    }

    #[test]
    fn starved_questions_are_repeated_alone() {
        let asked = Mutex::new(HashSet::new());
        let active = AtomicUsize::new(0);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let questions: Vec<usize> = (0..9).collect();
        check_parallel(
            &questions,
            &ThreadPool::new(3),
            &CachePool::new(&Systems::new()),
            |q, may_repeat, _, output| {
                let others = active.fetch_add(1, Ordering::SeqCst);
                let is_new = asked.lock().unwrap().insert(*q);
                std::thread::sleep(Duration::from_millis(2));
                active.fetch_sub(1, Ordering::SeqCst);
                assert_eq!(is_new, may_repeat);
                if is_new && q % 2 == 1 {
                    output.out_of_memory();
                } else {
                    output.emit((is_new, others));
                }
            },
            |at, (is_new, others)| {
                if is_new {
                    first.push(at);
                } else {
                    assert_eq!(others, 0);
                    second.push(at);
                }
                ControlFlow::Continue(())
            },
        );
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!(first, [0, 2, 4, 6, 8]);
        assert_eq!(second, [1, 3, 5, 7]);
    }

    #[test]
    fn a_break_ends_the_check() {
        for threads in [1, 2] {
            let asked = AtomicUsize::new(0);
            let questions: Vec<usize> = (0..1000).collect();
            let mut events = 0;
            check_parallel(
                &questions,
                &ThreadPool::new(threads),
                &CachePool::new(&Systems::new()),
                |_, _, _, output| {
                    asked.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(1));
                    output.emit(());
                },
                |_, ()| {
                    events += 1;
                    ControlFlow::Break(())
                },
            );
            assert_eq!(events, 1);
            assert!(asked.into_inner() < 1000);
        }
    }
}
