//! What a run may spend, and who hears how it goes.
//!
//! Nothing below the command line prints, exits or reads the clock on its own. A
//! [`Budget`] comes in — a deadline, a ledger of bytes, a count of work, a cancel switch —
//! and running out of any of them is a value, [`Stop`], that travels up through `?`.
//! An [`Observer`] hears progress; [`Stats`] carries what an engine counted.
//!
//! This crate depends on nothing, so that every room of the house can share these types.

#![forbid(unsafe_code)]

mod fault;
mod idle;
mod late;
mod ledger;
mod observer;
mod statistic;
mod stats;

pub use fault::{Fault, Victim};
pub use idle::{Idle, Seat};
pub use late::Late;
pub use ledger::{Abort, Budget, Cancel, Lease, Stop};
pub use observer::{Observer, Progress, Quiet, RunContext};
pub use statistic::{Repeats, Statistic};
pub use stats::{Company, Figure, Stats};
