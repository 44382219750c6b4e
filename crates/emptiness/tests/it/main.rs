//! The emptiness checks against brute force, on graphs that make their rules work; and what the workers of UFSCC share once more, on loom's atomics.

mod couvreur;
mod inclusion;
mod kit;
mod powerset;
mod rounds;
mod streett;
mod sync;
mod two_pass;
mod ufscc;
#[allow(dead_code, reason = "the search asks for more than its models")]
#[path = "../../src/union_find.rs"]
mod union_find;
mod union_models;

/// What `union_find.rs` knows of graphs.
mod graph {
    pub use lariat_emptiness::{Marks, NodeId};
}
