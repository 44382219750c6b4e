//! Linear-time temporal logic: formulas that are hash-consed, parsed, printed, simplified and
//! classified.
//!
//! A [`Formula`] is an index into a store of [`Formulas`]; equal formulas are equal indices.
//! Atoms are opaque names here: what `"p >= 2"` or `fires(t)` means is for the model to say,
//! through the [`Vocabulary`] that the parser asks.

#![forbid(unsafe_code)]

mod formula;
mod vocabulary;

pub use formula::{AtomId, Formula, Formulas, Node};
pub use vocabulary::{AtomError, RawAtom, Vocabulary};
