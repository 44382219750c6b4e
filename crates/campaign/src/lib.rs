//! Campaigns: engines over models and formulas, with the tables and plots of the papers.
//!
//! A campaign is a TOML file that names models, properties, engines and limits. Every combination
//! is a job. Each job runs in a separate process and appends one [`Record`] to a file of results,
//! from which tables and plots are made; files of several machines can be combined.

#![forbid(unsafe_code)]

mod answer;
mod choose;
pub mod file;
mod id;
mod job;
pub mod judge;
mod models;
pub mod plan;
pub mod plot;
mod pool;
mod properties;
mod random;
pub mod record;
mod results;
pub mod run;
pub mod tally;
pub mod tools;
pub mod units;
pub mod worker;

pub use answer::Ended;
pub use record::{JobOutcome, Record};
