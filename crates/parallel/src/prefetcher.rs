//! Prefetching: background threads compute values before they are needed.
//!
//! One *consumer* thread needs the values of keys, one after the other; *builder* threads compute
//! those that it will probably need next. A value is a function of its key, so wrong guesses cost
//! work but never change the values that the consumer gets.
//!
//! ```text
//! key:      unclaimed | busy | known | taken
//! consumer: known → take it   unclaimed → taken, compute it   busy → compute another job, or wait
//! builder:  newest job; claim it (busy) or drop it; compute; publish (known) or unclaim it;
//!           without a job: duplicate the consumer's computation
//! both:     a value yields new jobs, unless the window is full; the consumer keeps the first
//! ```
//!
//! *Duplicate computation.* Where each value depends on the one before, nothing can be prefetched.
//! A builder may then compute what the consumer computes at the same time, if the consumer [allows
//! it](Prefetcher::duplicate); it pays off where both share a cache of partial results.
//!
//! *Every waiter is woken.* The consumer waits only for a busy key, under the mutex under which its
//! value is published. A builder that stops or panics reports it under the same mutex
//! ([`Prefetcher::fail`]), which ends all threads. Builders wait for tasks until the queue is
//! closed, by this or by [`Prefetcher::dismiss`]. `examples/protocols/prefetch.dve` is a model.

use crate::outside::Outside;
use crate::sync::{Condvar, Mutex, MutexGuard, pause};
use crate::task_queue::TaskQueue;
use lariat_budget::{Budget, Stop};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::PoisonError;

/// The jobs that follow from a value.
pub struct NextKeys<K> {
    /// Keys that the consumer will probably need; the first one it needs is the last of them.
    pub likely: Vec<K>,
    /// The key that it needs after all these.
    pub sure: Option<K>,
    /// True if builders begin with `sure`, false if with `likely`, which is needed sooner.
    pub doubtful: bool,
}

/// The two kinds of computation of a builder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuildMode {
    /// A key that the consumer has not reached yet.
    Prefetch,
    /// The key that the consumer computes at the same time.
    Duplicate,
}

/// While this lives, a builder may start to duplicate the consumer's computation.
pub struct DuplicateRun<'a, K>(&'a TaskQueue<(K, BuildMode)>);

impl<K> Drop for DuplicateRun<'_, K> {
    fn drop(&mut self) {
        self.0.withdraw(|(_, place)| *place == BuildMode::Duplicate);
    }
}

/// The state of a claimed key.
enum State<V> {
    /// A thread computes its value.
    Busy,
    /// The value is published and not consumed yet.
    Known(V),
    /// The consumer has the value, or computes it.
    Taken,
}

/// Values prefetched for one consumer; `E` is the reason of a stop.
pub struct Prefetcher<K, V, E> {
    jobs: TaskQueue<(K, BuildMode)>,
    keys: Mutex<Keys<K, V, E>>,
    changed: Condvar,
    /// Prefetch window: a base size plus `more` entries per consumed value.
    lead: usize,
    more: usize,
}

struct Keys<K, V, E> {
    states: HashMap<K, State<V>>,
    known: usize,
    taken: usize,
    failed: Option<E>,
}

impl<K: Clone + Eq + Hash, V, E: Clone + From<Stop>> Prefetcher<K, V, E> {
    /// Returns an empty table with a window of `lead` values, plus `more` per consumed value.
    pub fn new(lead: usize, more: usize) -> Prefetcher<K, V, E> {
        Prefetcher {
            jobs: TaskQueue::new(),
            keys: Mutex::new(Keys {
                states: HashMap::new(),
                known: 0,
                taken: 0,
                failed: None,
            }),
            changed: Condvar::new(),
            lead,
            more,
        }
    }

    /// Locks the table, also after a panic of another holder.
    fn lock(&self) -> MutexGuard<'_, Keys<K, V, E>> {
        pause();
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value of `key` to the consumer. `compute` computes it, or other jobs while a
    /// builder is busy with it; the thread is inside no gate then. `next` lists the jobs that follow from a value. A key must be
    /// queried once only, since its value is not kept.
    pub fn ask(
        &self,
        budget: &Budget,
        key: &K,
        mut compute: impl FnMut(&K) -> Result<V, E>,
        next: impl Fn(&K, &V) -> NextKeys<K>,
    ) -> Result<V, E> {
        let mut keys = self.lock();
        loop {
            if let Some(stop) = &keys.failed {
                return Err(stop.clone());
            }
            if !matches!(keys.states.get(key), Some(State::Busy)) {
                break;
            }
            drop(keys);
            // Jobs claimed by a builder may lie above an unclaimed one.
            let mut helped = false;
            while !helped && let Some((job, _)) = self.jobs.take() {
                helped = self.build(job, &mut |key| compute(key).map(Some), &next)?;
            }
            keys = self.lock();
            let is_busy = matches!(keys.states.get(key), Some(State::Busy));
            if !helped && is_busy && keys.failed.is_none() {
                keys = Outside::of_thread(budget).wait(&self.changed, keys)?;
            }
        }
        let known = match keys.states.insert(key.clone(), State::Taken) {
            Some(State::Known(value)) => {
                keys.known -= 1;
                Some(value)
            }
            _ => None,
        };
        keys.taken += 1;
        drop(keys);
        let value = match known {
            Some(value) => value,
            None => compute(key)?,
        };
        let mut behind = next(key, &value);
        // The consumer needs this key next: a builder that wakes up for it would only make it wait.
        let first = behind.likely.pop();
        if first.is_none() {
            behind.sure = None;
        }
        self.offer(behind);
        Ok(value)
    }

    /// Lets an idle builder duplicate the computation of `key` until the result is dropped.
    pub fn duplicate(&self, key: &K) -> DuplicateRun<'_, K> {
        self.jobs.offer_last((key.clone(), BuildMode::Duplicate));
        DuplicateRun(&self.jobs)
    }

    /// Runs a builder until it is dismissed or a job of it stops; the caller then
    /// [stops](Prefetcher::fail) all threads. A duplicated computation publishes nothing; `compute`
    /// returns `None` for a value that the consumer will probably not need.
    pub fn work(
        &self,
        budget: &Budget,
        mut compute: impl FnMut(&K, BuildMode) -> Result<Option<V>, E>,
        next: impl Fn(&K, &V) -> NextKeys<K>,
    ) -> Result<(), E> {
        while let Some((key, place)) = self.jobs.next(&Outside::of_thread(budget))? {
            match place {
                BuildMode::Prefetch => {
                    self.build(key, &mut |key| compute(key, place), &next)?;
                }
                BuildMode::Duplicate => drop(compute(&key, place)?),
            }
        }
        Ok(())
    }

    /// Queues those jobs that are unclaimed, unless the window is full. The last is taken first.
    fn offer(&self, behind: NextKeys<K>) {
        let mut jobs = behind.likely;
        if behind.doubtful {
            jobs.extend(behind.sure)
        } else {
            jobs.splice(..0, behind.sure).for_each(drop)
        }
        let keys = self.lock();
        if keys.known >= self.lead + self.more * keys.taken {
            return;
        }
        jobs.retain(|job| !keys.states.contains_key(job));
        drop(keys);
        for job in jobs {
            self.jobs.offer((job, BuildMode::Prefetch));
        }
    }

    /// Computes the value of a key, unless it is claimed. Returns whether it was published.
    fn build(
        &self,
        job: K,
        compute: &mut impl FnMut(&K) -> Result<Option<V>, E>,
        next: &impl Fn(&K, &V) -> NextKeys<K>,
    ) -> Result<bool, E> {
        let mut keys = self.lock();
        if keys.states.contains_key(&job) {
            return Ok(false);
        }
        keys.states.insert(job.clone(), State::Busy);
        drop(keys);
        let value = compute(&job)?;
        if let Some(value) = &value {
            self.offer(next(&job, value));
        }
        let mut keys = self.lock();
        let computed = value.is_some();
        match value {
            Some(value) => {
                keys.states.insert(job, State::Known(value));
                keys.known += 1;
            }
            None => {
                keys.states.remove(&job);
            }
        }
        drop(keys);
        self.changed.notify_all();
        Ok(computed)
    }

    /// Ends the builders; the consumer may continue.
    pub fn dismiss(&self) {
        self.jobs.close();
    }

    /// Ends all threads. The first reason counts.
    pub fn fail(&self, stop: E) {
        self.lock().failed.get_or_insert(stop);
        self.jobs.close();
        self.changed.notify_all();
    }
}
