//! Readers for all model formats, and for the property files of the Model Checking Contest.
//!
//! [`read`] and [`load`] recognise the format by the content of the file and return a
//! [`LoadedModel`]: the [`System`](lariat_model::System), the names for formulas, and further
//! declarations of the file.

#![forbid(unsafe_code)]

mod coloured;
mod declarations;
pub mod dve;
pub mod etf;
mod load;
pub mod mcc;
mod numbering;
mod outline;
pub mod pnml;
pub mod promela;
pub mod tina;
mod xml;

pub use declarations::{Declaration, DeclarationKind, declarations};
pub use load::{LoadError, LoadedModel, ModelFormat, load, load_quotient, read, read_model};
pub use outline::Outline;
