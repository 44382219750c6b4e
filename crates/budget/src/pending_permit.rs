//! A thread permit that is not available yet.

use crate::ledger::{Budget, Stop};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval at which a waiting thread polls its budget.
const POLL: Duration = Duration::from_millis(50);

/// One of the threads of a [budget](crate::Budget) is still busy with other work. A background
/// thread that is to use its permit [waits](PendingPermit::wait) here until then, under a mutex and
/// a condition variable shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct PendingPermit(Arc<(Mutex<bool>, Condvar)>);

impl PendingPermit {
    /// Wakes all waiters: the permit is available, or there is no work for it any more.
    pub fn release(&self) {
        *self.lock() = true;
        self.0.1.notify_all();
    }

    /// Blocks until the permit is available; fails when `budget` is exhausted.
    pub fn wait(&self, budget: &Budget) -> Result<(), Stop> {
        let mut is_free = self.lock();
        while !*is_free {
            budget.check()?;
            let woken = self.0.1.wait_timeout(is_free, POLL);
            is_free = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{spawn, yield_now};

    #[test]
    fn waiters_wake_when_the_permit_is_available() {
        let late = PendingPermit::default();
        let waiting = spawn({
            let late = late.clone();
            move || late.wait(&Budget::unlimited())
        });
        for _ in 0..100 {
            yield_now();
        }
        assert!(!waiting.is_finished());
        late.release();
        assert_eq!(waiting.join().unwrap(), Ok(()));
        assert_eq!(late.wait(&Budget::unlimited()), Ok(()));
        let over = Budget::unlimited().with_deadline(Duration::ZERO);
        assert_eq!(PendingPermit::default().wait(&over), Err(Stop::Time));
    }
}
