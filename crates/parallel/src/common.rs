//! Values that are found once for all.
//!
//! A value is a function of its key. Whoever asks first finds it, and whoever asks meanwhile waits: finding it a second time would take as long.
//!
//! *Nobody waits in vain.* To find a value others may be asked for, but not in a circle, and whoever waits has left every gate. Whoever stops or panics gives its
//! claim back, and one of those who wait takes it.

use crate::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::collections::HashMap;
use std::hash::Hash;

/// Values by key, the same to all clones; see the [crate documentation](crate).
pub struct Common<K, V>(Arc<Values<K, V>>);

struct Values<K, V> {
    /// `None` while somebody looks for it.
    known: Mutex<HashMap<K, Option<V>>>,
    changed: Condvar,
}

impl<K, V> Values<K, V> {
    /// The values; whether somebody panicked with them does not matter to the others.
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Option<V>>> {
        match self.known.lock() {
            Ok(known) => known,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

impl<K, V> std::fmt::Debug for Common<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Common")
    }
}

impl<K, V> Clone for Common<K, V> {
    fn clone(&self) -> Common<K, V> {
        Common(self.0.clone())
    }
}

impl<K, V> Default for Common<K, V> {
    fn default() -> Common<K, V> {
        Common(Arc::new(Values {
            known: Mutex::new(HashMap::new()),
            changed: Condvar::new(),
        }))
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Common<K, V> {
    /// The value of `key`, which `find` finds if nobody has, and nobody else looks for it.
    pub fn get<E>(&self, key: &K, find: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let mut known = self.0.lock();
        loop {
            match known.get(key) {
                Some(Some(value)) => return Ok(value.clone()),
                Some(None) => {
                    known = match self.0.changed.wait(known) {
                        Ok(known) => known,
                        Err(poisoned) => poisoned.into_inner(),
                    }
                }
                None => break,
            }
        }
        known.insert(key.clone(), None);
        drop(known);
        let claim = Claim(&self.0, key);
        let value = find()?;
        self.0.lock().insert(key.clone(), Some(value.clone()));
        drop(claim);
        Ok(value)
    }

    /// Does somebody look for the value of `key` at this moment? Who has other things to do can come back for it.
    pub fn is_sought(&self, key: &K) -> bool {
        matches!(self.0.lock().get(key), Some(None))
    }
}

/// Somebody looks for the value of a key, and tells those who wait for it when that is over.
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
