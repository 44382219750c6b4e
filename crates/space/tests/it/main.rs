//! State spaces against the reference semantics, and against what is known of contest nets.

mod coloured;
mod contest_nets;
mod programs;
mod random_programs;
mod symmetry;
mod turns;
