//! Threads that nobody uses at the moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads may be at work beside those that are. Whoever starts one [takes](Idle::take) a seat for it before, and the seat is free again when it is
/// dropped: so there are never more at work than were asked for, wherever in a run they are.
#[derive(Clone, Debug, Default)]
pub struct Idle(Arc<AtomicUsize>);

/// The right to be at work on a thread.
#[derive(Debug)]
pub struct Seat(Idle);

impl Idle {
    /// So many threads, and nobody at work.
    pub fn new(threads: usize) -> Idle {
        Idle(Arc::new(AtomicUsize::new(threads)))
    }

    /// A seat, if one is free.
    pub fn take(&self) -> Option<Seat> {
        let less = |free: usize| free.checked_sub(1);
        let taken = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
        taken.ok().map(|_| Seat(self.clone()))
    }

    /// As many seats as are free, and not more than `most`.
    pub fn take_up_to(&self, most: usize) -> Vec<Seat> {
        (0..most).map_while(|_| self.take()).collect()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_given_back() {
        let idle = Idle::new(3);
        let first = idle.take();
        let others = idle.clone().take_up_to(5);
        assert_eq!((first.is_some(), others.len()), (true, 2));
        assert!(idle.take().is_none());
        drop(others);
        drop(first);
        assert_eq!(idle.take_up_to(5).len(), 3);
        assert!(Idle::default().take().is_none());
    }
}
