//! Every fact against what a brute-force exploration sees.

mod automata;
mod explorer;
mod nets;
mod rng;
mod states;
