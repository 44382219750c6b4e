//! A concurrent memo table: each value is computed once, and other threads wait for it.
//!
//! A value is a function of its key. The first thread that queries a key claims it and computes the
//! value; threads that query it meanwhile sleep on a condition variable.
//!
//! *No lost wakeups, no deadlocks.* Computations may query other keys, but not cyclically, and a
//! thread that may wait has the permission to ([`Outside`]). A thread that stops or panics drops its
//! claim and wakes all waiters, of which one claims the key.

use crate::outside::Outside;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, pause};
use lariat_budget::Stop;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::PoisonError;

/// A concurrent memo table, shared by all clones; see the [crate documentation](crate).
pub struct OnceMap<K, V>(Arc<Values<K, V>>);

struct Values<K, V> {
    /// Values by key; `None` while a thread computes it.
    known: Mutex<HashMap<K, Option<V>>>,
    changed: Condvar,
}

impl<K, V> Values<K, V> {
    /// Locks the map, also after a panic of another holder.
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Option<V>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> std::fmt::Debug for OnceMap<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Common")
    }
}

impl<K, V> Clone for OnceMap<K, V> {
    fn clone(&self) -> OnceMap<K, V> {
        OnceMap(self.0.clone())
    }
}

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> OnceMap<K, V> {
        OnceMap(Arc::new(Values {
            known: Mutex::new(HashMap::new()),
            changed: Condvar::new(),
        }))
    }
}

impl<K: Clone + Eq + Hash, V: Clone> OnceMap<K, V> {
    /// Returns the value of `key`, computed by `find` unless a thread has done so or does so.
    pub fn get<E: From<Stop>>(
        &self,
        outside: Outside<'_>,
        key: &K,
        find: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        pause();
        let mut known = self.0.lock();
        loop {
            match known.get(key) {
                Some(Some(value)) => return Ok(value.clone()),
                Some(None) => known = outside.wait(&self.0.changed, known)?,
                None => break,
            }
        }
        known.insert(key.clone(), None);
        drop((known, outside));
        let claim = Claim(&self.0, key);
        let value = find()?;
        self.0.lock().insert(key.clone(), Some(value.clone()));
        drop(claim);
        Ok(value)
    }

    /// Returns whether a thread computes the value of `key`: the caller can do other work first.
    pub fn is_sought(&self, key: &K) -> bool {
        matches!(self.0.lock().get(key), Some(None))
    }
}

/// The right to compute the value of a key; dropping it wakes all waiters.
struct Claim<'a, K: Eq + Hash, V>(&'a Values<K, V>, &'a K);

impl<K: Eq + Hash, V> Drop for Claim<'_, K, V> {
    fn drop(&mut self) {
        let mut known = self.0.lock();
        if matches!(known.get(self.1), Some(None)) {
            known.remove(self.1);
        }
        drop(known);
        self.0.changed.notify_all();
    }
}
