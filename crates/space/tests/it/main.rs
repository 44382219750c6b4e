//! State spaces compared with the reference semantics, and with known figures of contest nets.

mod coloured;
mod contest_nets;
mod programs;
mod random_programs;
mod symmetry;
mod turns;
