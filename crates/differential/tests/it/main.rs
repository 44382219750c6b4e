//! All engines against the oracle, on random questions and on fixed ones.

mod covering;
mod differential;
mod explicit;
mod fairness;
mod premises;
mod processes;
mod questions;
mod reducible;
mod seeds;
mod shadows;
mod stretched;
mod symmetry;
