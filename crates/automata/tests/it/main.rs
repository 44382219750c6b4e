//! Everything about automata that takes more than one module to test.

mod common;
mod corpus;
mod given;
mod hoa;
mod languages;
mod never;
mod testing;
