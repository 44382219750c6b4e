//! ω-automata: translation of LTL to transition-based generalized Büchi automata, reductions,
//! stutter tests, and exchange formats.
//!
//! Guards are binary decision diagrams over the atoms of one automaton ([`Guards`]): the
//! translation merges, splits and compares guards often, canonical forms are compared in constant
//! time, and practical formulas have few atoms. Cubes would be smaller to store but slower to
//! compare; they are generated where a format or a table of letters needs them.

#![forbid(unsafe_code)]

mod alphabet;
mod automaton;
mod closed;
mod cube;
mod degeneralize;
mod dot;
mod forever;
mod guard;
mod hoa;
mod json;
mod monotone;
mod never;
mod product;
mod recurrence;
pub mod reduce;
mod scc;
mod stutter;
mod tableau;
pub mod testing;
mod translate;
mod word;

pub use alphabet::LegalLetters;
pub use automaton::{Automaton, StateId, Transition};
pub use closed::stutter_invariant_language;
pub use cube::{Cube, Style};
pub use degeneralize::{Placement, degeneralize, has_state_marks, state_based};
pub use dot::write_dot;
pub use forever::accepting_forever;
pub use guard::{Guard, Guards, Letter};
pub use hoa::{Hoa, HoaError, hoa_stream, read_hoa, write_hoa};
pub use json::write_json;
pub use never::write_never;
pub use product::disjoint;
pub use recurrence::{demanding, recurring_conditions};
pub use scc::{AutomatonComponents, Components, automaton_components, components};
pub use stutter::{silent_step_invariant, stutter_invariant};
pub use translate::{Labelled, buchi, reduce, translate, translate_labelled};
pub use word::Word;
