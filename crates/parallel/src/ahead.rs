//! Values that others compute before they are asked for.
//!
//! One *asker* wants the values of keys, one after the other; *builders* compute those that it is likely to want next. A value is a function of
//! its key, so that it does not matter who computes it, and what is computed in vain costs work, never truth: the asker hears what it would
//! hear without builders.
//!
//! ```text
//! key:     nobody asked | busy | known | taken
//! asker:   known → take it     nobody → taken, compute it     busy → meanwhile compute another job, or wait
//! builder: newest job; claim it (busy) or drop it; compute; publish (known), or leave it to nobody again where it is not worth it
//!          no job: go along with the asker, as far as it computes
//! both:    behind a value come new jobs, unless enough is known; the asker keeps the first to itself
//! ```
//!
//! *Along with the asker.* Where each value has to be known before it is known what comes next, there is nothing to compute ahead. A builder may then compute what
//! the asker computes at the same time, if the asker [lets it](Ahead::along): whether something comes of that, by what both can remember, say, is its own matter.
//!
//! *Nobody waits in vain.* The asker waits only for a key that is busy, under the lock under which that is published. Whoever does not come to publish — it
//! stops, or it panics — says so under the same lock ([`Ahead::fail`]), and that ends everybody. Builders wait at the board, which is closed then and when they are
//! sent home.

use crate::board::Board;
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::collections::HashMap;
use std::hash::Hash;

/// The jobs behind a value.
pub struct Behind<K> {
    /// What the asker may ask for, what it would ask for first being the last.
    pub likely: Vec<K>,
    /// What it asks for when it is done with all these.
    pub sure: Option<K>,
    /// Is it better to begin with what is sure? Else with what is likely, which is asked for sooner.
    pub doubtful: bool,
}

/// Where a builder computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Ahead of the asker.
    Ahead,
    /// Along with the asker, who computes the same.
    Along,
}

/// The asker may have company in what it computes. At the end nobody joins it any more.
pub struct Company<'a, K>(&'a Board<(K, Place)>);

impl<K> Drop for Company<'_, K> {
    fn drop(&mut self) {
        self.0.withdraw(|(_, place)| *place == Place::Along);
    }
}

/// What is known of a key.
enum State<V> {
    /// Somebody computes its value.
    Busy,
    /// The asker has not asked for it yet.
    Known(V),
    /// The asker has it, or computes it.
    Taken,
}

/// Values ahead of who asks for them; see the [crate documentation](crate). `E` is why somebody stops.
pub struct Ahead<K, V, E> {
    jobs: Board<(K, Place)>,
    keys: Mutex<Keys<K, V, E>>,
    changed: Condvar,
    /// So many values may be known before they are asked for, and so many more for each that was taken.
    lead: usize,
    more: usize,
}

struct Keys<K, V, E> {
    states: HashMap<K, State<V>>,
    known: usize,
    taken: usize,
    failed: Option<E>,
}

impl<K: Clone + Eq + Hash, V, E: Clone> Ahead<K, V, E> {
    /// Nothing is known; values are computed ahead as long as fewer than `lead` are, and `more` for each that the asker has.
    pub fn new(lead: usize, more: usize) -> Ahead<K, V, E> {
        Ahead {
            jobs: Board::new(),
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

    /// The keys; whether somebody panicked with them does not matter to the others.
    fn lock(&self) -> MutexGuard<'_, Keys<K, V, E>> {
        match self.keys.lock() {
            Ok(keys) => keys,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    /// The value of `key`, for the asker. Whatever must be computed for it, or meanwhile, is by `compute`, and `next` are the jobs behind a value. No key is
    /// worth asking for twice: its value would be computed again.
    pub fn ask(
        &self,
        key: &K,
        mut compute: impl FnMut(&K) -> Result<V, E>,
        next: impl Fn(&K, &V) -> Behind<K>,
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
            // There may be jobs that somebody has begun above one that nobody has.
            let mut helped = false;
            while !helped && let Some((job, _)) = self.jobs.take() {
                helped = self.build(job, &mut |key| compute(key).map(Some), &next)?;
            }
            keys = self.lock();
            let is_busy = matches!(keys.states.get(key), Some(State::Busy));
            if !helped && is_busy && keys.failed.is_none() {
                keys = match self.changed.wait(keys) {
                    Ok(keys) => keys,
                    Err(poisoned) => poisoned.into_inner(),
                };
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
        // The asker is about to ask for it: by the time a builder had woken up for it, it would only have to wait for it.
        let own = behind.likely.pop();
        if own.is_none() {
            behind.sure = None;
        }
        self.offer(behind);
        Ok(value)
    }

    /// Lets a builder that has nothing else to do go along with the asker, who computes the value of `key` until this is dropped.
    pub fn along(&self, key: &K) -> Company<'_, K> {
        self.jobs.offer_last((key.clone(), Place::Along));
        Company(&self.jobs)
    }

    /// What a builder does until it is sent home, or a job of it stops; then all must [stop](Ahead::fail). It has nothing to publish where it goes along with the
    /// asker, nor where it thinks that the asker will never ask for a value, who computes it if it does ask.
    pub fn work(
        &self,
        mut compute: impl FnMut(&K, Place) -> Result<Option<V>, E>,
        next: impl Fn(&K, &V) -> Behind<K>,
    ) -> Result<(), E> {
        while let Some((key, place)) = self.jobs.next() {
            match place {
                Place::Ahead => {
                    self.build(key, &mut |key| compute(key, place), &next)?;
                }
                Place::Along => drop(compute(&key, place)?),
            }
        }
        Ok(())
    }

    /// Puts those of the jobs on the board that nobody has begun, unless enough is known. The last is taken first.
    fn offer(&self, behind: Behind<K>) {
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
            self.jobs.offer((job, Place::Ahead));
        }
    }

    /// Computes the value of a key, unless somebody else has begun it. True if it did.
    fn build(
        &self,
        job: K,
        compute: &mut impl FnMut(&K) -> Result<Option<V>, E>,
        next: &impl Fn(&K, &V) -> Behind<K>,
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

    /// Sends the builders home; the asker may go on.
    pub fn dismiss(&self) {
        self.jobs.close();
    }

    /// Stops everybody. The first reason counts.
    pub fn fail(&self, stop: E) {
        self.lock().failed.get_or_insert(stop);
        self.jobs.close();
        self.changed.notify_all();
    }
}
