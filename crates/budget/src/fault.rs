//! Runs that stop where a test wants them to.
//!
//! The clock and the switch stop a run wherever it happens to be, and memory ends where a store happens to grow. A fault is none of that: the run stops at the `at`-th
//! question to its [`Budget`](crate::Budget), whoever of its threads asks it. So every point where a run may stop can be tried, by number.

use crate::Stop;
use std::sync::atomic::{AtomicU64, Ordering};

/// Who is stopped by a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// Whoever asks at that moment, and nobody else.
    One,
    /// Everybody who asks from then on.
    All,
}

/// A point at which a run stops. [`Stop::Memory`] counts how often it asks for bytes, everything else how often it asks whether it may go on.
#[derive(Debug)]
pub struct Fault {
    stop: Stop,
    at: u64,
    victim: Victim,
    asked: AtomicU64,
}

impl Fault {
    /// The run stops for this reason when it has asked `at` times before.
    pub fn new(stop: Stop, at: u64, victim: Victim) -> Fault {
        Fault {
            stop,
            at,
            victim,
            asked: AtomicU64::new(0),
        }
    }

    pub(crate) fn ask_for_bytes(&self) -> Result<(), Stop> {
        match self.stop {
            Stop::Memory => self.count(),
            _ => Ok(()),
        }
    }

    pub(crate) fn look(&self) -> Result<(), Stop> {
        match self.stop {
            Stop::Memory => Ok(()),
            _ => self.count(),
        }
    }

    fn count(&self) -> Result<(), Stop> {
        let before = self.asked.fetch_add(1, Ordering::Relaxed);
        let is_due = match self.victim {
            Victim::One => before == self.at,
            Victim::All => before >= self.at,
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
    fn faults_come_when_they_are_due() {
        let budget = Budget::faulty(Fault::new(Stop::Time, 1, Victim::One));
        let mut lease = budget.lease();
        assert_eq!((budget.check(), lease.resize(7)), (Ok(()), Ok(())));
        assert_eq!(budget.clone().spend(1), Err(Stop::Time));
        assert_eq!(budget.check(), Ok(()));
        let budget = Budget::faulty(Fault::new(Stop::Memory, 1, Victim::All));
        let mut lease = budget.lease();
        lease.resize(7).unwrap();
        lease.resize(5).unwrap();
        assert_eq!(lease.resize(6), Err(Stop::Memory));
        assert_eq!(budget.lease().resize(1), Err(Stop::Memory));
        assert_eq!((budget.bytes_used(), budget.check()), (5, Ok(())));
    }
}
