//! ω-automata: LTL to transition-based generalized Büchi automata, reductions, stutter tests,
//! and the formats that automata are exchanged in.
//!
//! Guards are binary decision diagrams over the atoms of one automaton ([`Guards`]): the
//! translation merges, splits and compares guards all the time, canonical form makes each of these one
//! comparison, and formulas of practice have few atoms. Cubes would be smaller to store and
//! slower to compare; they are produced where a format or a table of letters wants them.

#![forbid(unsafe_code)]

mod automaton;
mod guard;

pub use automaton::{Automaton, StateId, Transition};
pub use guard::{Guard, Guards, Letter};
