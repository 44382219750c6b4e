//! All engines against the oracle, on random and fixed cases.

mod covering;
mod differential;
mod explicit;
mod fairness;
mod premises;
mod processes;
mod questions;
mod quotient;
mod reductions;
mod seeds;
mod spin;
mod symmetry;
