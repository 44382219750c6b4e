//! Every fact against what a brute-force exploration sees.

mod automata;
mod coloured;
mod contest;
mod explorer;
mod formulas;
mod implicit;
mod nets;
mod rng;
mod states;
