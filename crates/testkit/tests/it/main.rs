//! Tests of the generators, the oracle and the harness.

mod coloured;
mod harness;
mod oracle;
mod quotients;
mod reductions;
