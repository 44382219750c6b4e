//! Linear-time temporal logic: hash-consed formulas, parser, printer, simplification and
//! classification.
//!
//! A [`Formula`] is an index into a store of [`Formulas`]; equal formulas have equal indices. Atoms
//! are opaque names: the model interprets names such as `"p >= 2"` and `fires(t)` through the
//! [`Vocabulary`] that the parser queries.

#![forbid(unsafe_code)]

mod classes;
mod eval;
mod foreign;
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
pub use lexer::unquoted;
pub use nnf::{is_nnf, nnf};
pub use parse::{MAX_DEPTH, ParseError, parse};
pub use print::{Syntax, print, quoted};
pub use progress::progress;
pub use random::{OperatorWeights, random_formula};
pub use replace::{on_one_letter, replace};
pub use simplify::{Simplifier, simplify};
pub use vacuity::{Strengthening, strengthenings};
pub use vocabulary::{AtomError, FreeVocabulary, RawAtom, Vocabulary};
