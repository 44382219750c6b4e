//! Coloured nets: all constructs, their unfoldings, their names in formulas, and rejected input.

mod kit;
mod names;
mod refusals;
mod unfolding;
