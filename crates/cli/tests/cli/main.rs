//! Tests of the binary: answers, exit codes, messages, limits, signals.

mod action;
mod answers;
mod artifacts;
mod ask;
mod bad_input;
mod bench;
mod book;
mod cluster;
#[cfg(feature = "distributed")]
mod dialects;
mod fairness;
mod faults;
mod first_steps;
mod graph;
mod kit;
mod layout;
mod limits;
mod lsp;
mod mcc;
mod models;
mod names;
mod nasty;
mod opinions;
mod papers;
mod pictures;
mod pipes;
mod plot;
mod programs;
mod progress;
mod road;
mod runs;
mod schema;
mod threads;
mod translate;
