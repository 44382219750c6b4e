//! Pictures of nets, automata, state spaces and runs.
//!
//! This crate computes all positions; viewers only draw. Nets are laid out by stress (`stress.rs`)
//! unless their file has usable positions; automata, processes and state spaces in layers
//! (`layered.rs`). The output is [`svg`], DOT or a [`page`]: a self-contained HTML file that steps
//! through a run. The crate does not print, read files or use the network. A picture whose budget
//! ends gets a simple layout (`grid.rs`) and says so.
//!
//! ```
//! use lariat_draw::{NetPicture, net};
//! use lariat_model::generate::{Family, generate};
//! use lariat_formats::{ModelFormat, LoadedModel};
//!
//! let system = generate(Family::Philosophers, 2)?;
//! let net = net::DrawnNet::of(&LoadedModel::new(ModelFormat::Pnml, system)).expect("a net");
//! let budget = lariat_budget::Budget::unlimited();
//! let picture = NetPicture::whole(net, &budget).svg("Two philosophers", &budget);
//! assert!(picture.text.starts_with("<svg"));
//! assert_eq!(picture.clash(), None);
//! # Ok::<(), lariat_model::generate::NoSuchNet>(())
//! ```

#![forbid(unsafe_code)]

mod automaton;
mod boxes;
mod graph;
mod graph_paint;
mod grid;
mod labels;
mod layered;
pub mod net;
pub mod page;
mod paint;
mod processes;
mod reach;
pub mod run;
mod share;
mod stress;
pub mod svg;
mod why;

pub use automaton::{automaton, testing};
pub use graph::{DrawnGraph, GraphEdge, GraphNode, NodeShape};
pub use paint::NetPicture;
pub use processes::{Process, processes};
pub use reach::{MOST, StateGraph, reach};

/// A position; x grows to the right, y downwards.
pub type Point = (f64, f64);

/// Initial placements that the layout of a net tries.
const SEEDS: usize = 20;
