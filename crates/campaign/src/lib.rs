//! Campaigns: engines over models and formulas, with the tables and plots of the papers.
//!
//! A campaign is a file that names models, properties, engines and limits. Running it makes one job
//! of every combination, each a process of its own, and appends one [`Record`] a job to a file of results.
//! Tables and plots are made from such files alone, whoever wrote them and wherever.

#![forbid(unsafe_code)]

pub mod record;

pub use record::{Outcome, Record};
