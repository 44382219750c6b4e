//! The limits of a run, and the observer of its progress.
//!
//! Nothing below the command line prints, exits or reads the clock on its own. A [`Budget`] is
//! passed in — a deadline, a ledger of bytes, a count of work, a cancel switch — and exceeding any
//! of them is a value, [`Stop`], that travels up through `?`. An [`Observer`] receives progress;
//! [`Stats`] holds what an engine counted. [`RunContext`] bundles budget and observer.
//!
//! This crate has no dependencies, so all other crates can share these types.

#![forbid(unsafe_code)]

mod fault;
mod ledger;
mod observer;
mod pending_permit;
mod statistic;
mod stats;
mod thread_pool;

pub use fault::{FaultTarget, InjectedFault};
pub use ledger::{Abort, Budget, Cancel, Lease, ProcessSize, SharedLease, Stop};
pub use observer::{Observer, Progress, Quiet, RunContext};
pub use pending_permit::PendingPermit;
pub use statistic::{Determinism, Statistic};
pub use stats::{Concurrency, StatValue, Stats};
pub use thread_pool::{ThreadPermit, ThreadPool};
