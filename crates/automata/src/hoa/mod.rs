//! The Hanoi Omega-Automata format, version 1 (Babiak et al., CAV 2015).

mod fin;
mod lexer;
mod read;
mod stream;
mod write;

pub use read::{Hoa, HoaError, read_hoa};
pub use stream::hoa_stream;
pub use write::write_hoa;
