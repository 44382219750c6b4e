//! Tests of formulas: syntax and semantics.

mod equivalence;
mod syntax;
