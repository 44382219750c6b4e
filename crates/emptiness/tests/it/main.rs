//! The emptiness checks against brute force, on graphs that exercise their rules.

mod couvreur;
mod explicit;
mod inclusion;
mod kit;
mod owcty;
mod powerset;
mod rounds;
mod streett;
mod two_pass;

/// The items of `graph.rs` that `explicit.rs` uses.
mod graph {
    pub use lariat_emptiness::{Edge, Graph, Marks, NodeId};
}
