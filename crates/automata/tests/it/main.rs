//! Tests of automata that need more than one module.

mod common;
mod corpus;
mod given;
mod hoa;
mod languages;
mod never;
mod testing;
