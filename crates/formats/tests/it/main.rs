//! Tests of the readers, and of formulas over their models.

mod coloured;
mod contest_models;
mod fairness;
mod formulas;
mod fuzz;
mod pnml;
mod programs;
