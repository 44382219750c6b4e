//! Stops injected by tests.
//!
//! Time, cancellation and memory stop a run at unpredictable points. An injected fault stops it at
//! the `at`-th query of its [`Budget`](crate::Budget)(of any thread), so a test can try all points.

use crate::Stop;
use std::sync::atomic::{AtomicU64, Ordering};

/// The threads that a [`InjectedFault`] stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultTarget {
    /// Only the thread that makes the query.
    One,
    /// Every thread that queries the budget from then on.
    All,
}

/// A point at which a run stops. A fault with [`Stop::Memory`] counts requests for bytes, any other
/// one counts checks of time and work.
#[derive(Debug)]
pub struct InjectedFault {
    stop: Stop,
    at: u64,
    victim: FaultTarget,
    queries: AtomicU64,
}

impl InjectedFault {
    /// Stops the run for this reason after `at` successful queries.
    pub fn new(stop: Stop, at: u64, victim: FaultTarget) -> InjectedFault {
        InjectedFault {
            stop,
            at,
            victim,
            queries: AtomicU64::new(0),
        }
    }

    pub(crate) fn request_bytes(&self) -> Result<(), Stop> {
        match self.stop {
            Stop::Memory => self.count(),
            _ => Ok(()),
        }
    }

    pub(crate) fn check(&self) -> Result<(), Stop> {
        match self.stop {
            Stop::Memory => Ok(()),
            _ => self.count(),
        }
    }

    fn count(&self) -> Result<(), Stop> {
        let before = self.queries.fetch_add(1, Ordering::Relaxed);
        let is_due = match self.victim {
            FaultTarget::One => before == self.at,
            FaultTarget::All => before >= self.at,
        };
        if is_due {
            Err(self.stop.clone())
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    #[test]
    fn faults_stop_the_query_with_their_number() {
        let budget = Budget::faulty(InjectedFault::new(Stop::Time, 1, FaultTarget::One));
        let mut lease = budget.lease();
        assert_eq!((budget.check(), lease.resize(7)), (Ok(()), Ok(())));
        assert_eq!(budget.clone().spend(1), Err(Stop::Time));
        assert_eq!(budget.check(), Ok(()));
        let budget = Budget::faulty(InjectedFault::new(Stop::Memory, 1, FaultTarget::All));
        let mut lease = budget.lease();
        lease.resize(7).unwrap();
        lease.resize(5).unwrap();
        assert_eq!(lease.resize(6), Err(Stop::Memory));
        assert_eq!(budget.lease().resize(1), Err(Stop::Memory));
        assert_eq!((budget.bytes_used(), budget.check()), (5, Ok(())));
    }
}
