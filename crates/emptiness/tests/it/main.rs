//! The emptiness checks against brute force, on graphs that exercise their rules; and loom models
//! of the union-find that UFSCC workers share.

mod by_strength;
mod couvreur;
mod explicit;
mod inclusion;
mod kit;
mod powerset;
mod rounds;
mod streett;
mod sync;
mod two_pass;
mod ufscc;
#[allow(dead_code, reason = "the search uses more than its models")]
#[path = "../../src/union_find.rs"]
mod union_find;
mod union_models;

/// The items of `graph.rs` that `union_find.rs` and `explicit.rs` use.
mod graph {
    pub use lariat_emptiness::{Edge, Graph, Marks, NodeId};
}
