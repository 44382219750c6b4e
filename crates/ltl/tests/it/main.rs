//! Formulas: what they are written as, and what they mean.

mod equivalence;
mod syntax;
