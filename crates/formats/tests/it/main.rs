//! The readers, and formulas over what they have read.

mod coloured;
mod contest_models;
mod fairness;
mod formulas;
mod fuzz;
mod pnml;
mod programs;
