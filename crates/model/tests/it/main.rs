//! The readers, the formulas and the passes, as the rest of the house uses them.

mod coloured;
mod contest_models;
mod formulas;
mod fuzz;
mod pnml;
mod programs;
