//! Every fact, compared with a brute-force exploration.

mod automata;
mod coloured;
mod contest;
mod explorer;
mod formulas;
mod implicit;
mod nets;
mod states;
