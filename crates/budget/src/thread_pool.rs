//! A pool of thread permits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of further threads that may run. A thread that starts another one
/// [takes](ThreadPool::take) a permit for it first, which is returned when it is dropped: no more
/// threads run than the user allowed, wherever in the run they are started. Clones share the
/// counter, an atomic.
#[derive(Clone, Debug, Default)]
pub struct ThreadPool(Arc<AtomicUsize>);

/// The permission to run one thread.
#[derive(Debug)]
pub struct ThreadPermit(ThreadPool);

impl ThreadPool {
    /// Returns a pool of `threads` permits.
    pub fn new(threads: usize) -> ThreadPool {
        ThreadPool(Arc::new(AtomicUsize::new(threads)))
    }

    /// Takes a permit, if one is left.
    pub fn take(&self) -> Option<ThreadPermit> {
        let less = |free: usize| free.checked_sub(1);
        let free = &self.0;
        let taken = free.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
        taken.ok().map(|_| ThreadPermit(self.clone()))
    }

    /// Takes at most `most` permits.
    pub fn take_up_to(&self, most: usize) -> Vec<ThreadPermit> {
        (0..most).map_while(|_| self.take()).collect()
    }
}

impl Drop for ThreadPermit {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_are_returned() {
        let idle = ThreadPool::new(3);
        let first = idle.take();
        let others = idle.clone().take_up_to(5);
        assert_eq!((first.is_some(), others.len()), (true, 2));
        assert!(idle.take().is_none());
        drop(others);
        drop(first);
        assert_eq!(idle.take_up_to(5).len(), 3);
        assert!(ThreadPool::default().take().is_none());
    }
}
