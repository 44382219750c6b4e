//! Graphs with acceptance marks on edges, and emptiness checks: algorithms that decide whether such
//! a graph has an accepting lasso.
//!
//! A product of an automaton with states, aggregates or sets implements [`Graph`] once; each check
//! is written once against it. Products intern their nodes and return dense [`NodeId`]s, so checks
//! use arrays instead of maps.
//!
//! A cycle is accepting iff the union of the marks on its edges is [`Graph::marks`]; without marks
//! every cycle is accepting. A cycle has at least one edge.
//!
//! | check | on | uses | answers |
//! | --- | --- | --- | --- |
//! | [`couvreur`] | any [`Graph`] | equality | exact |
//! | [`breadth_first`] | any [`Graph`] | equality, layers | exact |
//! | [`couvreur_asking`] | any [`Graph`] | equality, oracle for paths | exact, if the oracle is |
//! | [`ufscc`] | any [`Graph`], multi-threaded | equality | exact |
//! | [`ufscc_by_strength`] | [`Transient`], multi-threaded | equality, kinds of nodes | exact |
//! | [`nsiec`] | [`Ordered`] | inclusion in dead nodes | exact; the default for sets |
//! | [`iec`] | [`Ordered`] | also inclusion of active nodes; splits | exact, on [`Decomposed`] |
//! | [`aec`] | [`Ordered`] | also inclusion in active nodes | only "empty" is exact |
//! | [`two_pass`] | [`LivelockGraph`] | equality, two passes at most | exact, testing automata |
//! | [`streett`] | [`Streett`] | equality, refinement of components | exact, for strong fairness |
//!
//! All but [`ufscc`], [`ufscc_by_strength`] and [`breadth_first`] are one depth-first search with
//! different decisions about unseen nodes. They return [`Evidence`], from which [`lasso`] constructs a path and a cycle.
//!
//! ```
//! use lariat_emptiness::{couvreur, lasso, Counts, Edge, Graph, Marks, NodeId, Outcome};
//!
//! /// 0 → 1 → 2 → 1, with the mark on the edge from 2 to 1.
//! struct Three;
//!
//! impl Graph for Three {
//!     type Stop = ();
//!     type Worker = ();
//!     type Cursor = usize;
//!
//!     fn marks(&self) -> Marks {
//!         Marks::all(1)
//!     }
//!
//!     fn initial(&self, _: &mut (), k: usize) -> Result<Option<NodeId>, ()> {
//!         Ok((k == 0).then_some(NodeId(0)))
//!     }
//!
//!     fn next_edge(&self, _: &mut (), node: NodeId, k: &mut usize) -> Result<Option<Edge>, ()> {
//!         *k += 1;
//!         Ok((*k == 1).then(|| match node {
//!             NodeId(2) => Edge { to: NodeId(1), marks: Marks::one(0) },
//!             NodeId(n) => Edge { to: NodeId(n + 1), marks: Marks::NONE },
//!         }))
//!     }
//! }
//!
//! let Ok(Outcome::Accepting(evidence)) = couvreur(&Three, &mut (), &mut Counts::default()) else {
//!     panic!("there is a lasso");
//! };
//! let found = lasso(&Three, &mut (), &evidence).unwrap().unwrap();
//! assert_eq!((found.prefix.len(), found.cycle.len()), (1, 2));
//! ```
//!
//! This crate is independent of decision diagrams, models and formulas.

#![forbid(unsafe_code)]

mod aec;
mod breadth_first;
mod by_strength;
#[cfg(test)]
mod components;
mod couvreur;
mod decomposed;
mod graph;
mod iec;
mod inclusion;
mod lasso;
mod lasso_hint;
mod nsiec;
mod outcome;
mod pending_edges;
mod rounds;
mod scc_stack;
mod streett;
mod sync;
mod threads;
mod two_pass;
mod ufscc;
mod union_find;

pub use aec::aec;
pub use breadth_first::breadth_first;
pub use by_strength::{StrengthHint, Transient, ufscc_by_strength};
pub use couvreur::couvreur;
pub use decomposed::{Decomposed, DecomposedCursor};
pub use graph::{Edge, Graph, Marks, NodeId, Ordered};
pub use iec::iec;
pub use lasso::{GraphLasso, lasso};
pub use lasso_hint::LassoHint;
pub use nsiec::nsiec;
pub use outcome::{Counts, Evidence, Outcome, SubsetNode};
pub use rounds::{PathOracle, PathOutcome, couvreur_asking};
pub use scc_stack::SearchPath;
pub use streett::{FairLasso, NumberedEdge, PairSet, Streett, streett};
pub use two_pass::{FirstPass, LivelockGraph, TwoPassEvidence, two_pass};
pub use ufscc::ufscc;
