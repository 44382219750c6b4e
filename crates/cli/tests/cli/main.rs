//! The binary as users and scripts meet it: answers, exit codes, messages, limits, signals.

mod answers;
mod bad_input;
mod kit;
mod limits;
mod mcc;
mod pipes;
mod programs;
mod translate;
