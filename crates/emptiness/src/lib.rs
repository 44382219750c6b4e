//! Graphs with acceptance marks on their edges, and every check that asks whether such a
//! graph has an accepting lasso.
//!
//! A product — of an automaton with single states, with aggregates, with sets — implements
//! [`Graph`] once; each check is written once against it. Products intern their nodes and
//! hand out dense [`NodeId`]s, so that checks keep arrays, not maps.
//!
//! A cycle is accepting iff the union of the marks on its edges is [`Graph::marks`]; with
//! no marks at all every cycle is accepting, and a cycle has at least one edge.
//!
//! This crate sees no decision diagram, no model and no formula.

#![forbid(unsafe_code)]

mod couvreur;
mod graph;
mod lasso;
mod outcome;
mod scc_stack;

pub use couvreur::couvreur;
pub use graph::{Edge, Graph, Marks, NodeId, Ordered};
pub use lasso::{Lasso, lasso};
pub use outcome::{Counts, Evidence, Outcome};
