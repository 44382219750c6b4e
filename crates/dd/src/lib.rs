//! Decision diagrams over state vectors, and saturation on them.

#![forbid(unsafe_code)]

mod algebra;
mod cache;
mod event;
mod exchange;
mod inspect;
pub mod kernel;
mod pool;
mod predicate;
pub mod saturation;
mod step;
mod store;
mod unique;

pub use dashu_int::UBig;
pub use event::{Event, Part, Subset};
pub use exchange::ImportError;
pub use inspect::Vectors;
pub use kernel::{Residual, Scope};
pub use predicate::Predicate;
pub use store::{Figures, Set, Store};
