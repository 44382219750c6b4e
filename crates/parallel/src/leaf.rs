//! A mutex for short sections, which may be locked anywhere, also inside a gate.
//!
//! The holder runs a closure on the protected data and nothing else: it takes no second lock, does
//! not use a [gate](crate::SharedHandle) and waits for no other thread. So a thread that blocks on a
//! leaf lock waits for some instructions of a running thread, never for a waiting one. Debug builds
//! panic where a closure breaks the rule, in any schedule, and not only when threads happen to
//! block each other.

use crate::sync::{Mutex, pause, witness};
use std::sync::PoisonError;

/// A mutex for short sections; see the [crate documentation](crate).
#[derive(Debug, Default)]
pub struct Leaf<T>(Mutex<T>);

impl<T> Leaf<T> {
    /// Returns an unlocked mutex.
    pub fn new(data: T) -> Leaf<T> {
        Leaf(Mutex::new(data))
    }

    /// Runs `work` on the data; also after a panic of another holder.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _held = witness::hold_leaf();
        pause();
        let mut data = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut data)
    }

    /// Returns the data of a mutex that no other thread can lock.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
