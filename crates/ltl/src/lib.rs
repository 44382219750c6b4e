//! Linear-time temporal logic: formulas that are hash-consed, parsed, printed, simplified and
//! classified.
//!
//! A [`Formula`] is an index into a store of [`Formulas`]; equal formulas are equal indices.
//! Atoms are opaque names here: what `"p >= 2"` or `fires(t)` means is for the model to say,
//! through the [`Vocabulary`] that the parser asks.

#![forbid(unsafe_code)]

mod classes;
mod eval;
mod formula;
mod lexer;
mod nnf;
mod parse;
mod print;
mod progress;
mod random;
mod replace;
mod simplify;
mod vacuity;
mod vocabulary;

pub use classes::{Classes, classes};
pub use eval::{Truth, holds, truth};
pub use formula::{AtomId, Formula, Formulas, Node};
pub use lariat_random::Random;
pub use nnf::{is_nnf, nnf};
pub use parse::{MAX_DEPTH, ParseError, parse};
pub use print::{Syntax, print};
pub use progress::progress;
pub use random::{Weights, random_formula};
pub use replace::{on_one_letter, replace};
pub use simplify::{Simplifier, simplify};
pub use vacuity::{Strengthening, strengthenings};
pub use vocabulary::{AtomError, FreeVocabulary, RawAtom, Vocabulary};
