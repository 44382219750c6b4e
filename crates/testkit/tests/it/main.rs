//! The testers tested: generators, oracle and harness.

mod coloured;
mod harness;
mod oracle;
mod reductions;
