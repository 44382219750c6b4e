//! The readers of all model formats, and of the property files of the Model Checking Contest.
//!
//! [`read`] and [`load`] recognise the format by what the file contains and return a [`Model`]: the [`System`](lariat_model::System) that the
//! file denotes, the names by which formulas refer to it, and what else the file says. Nothing behind this crate depends on the format.

#![forbid(unsafe_code)]

mod coloured;
pub mod dve;
pub mod etf;
mod load;
pub mod mcc;
mod outline;
pub mod pnml;
mod xml;

pub use load::{Format, LoadError, Model, load, read, read_model};
pub use outline::Outline;
