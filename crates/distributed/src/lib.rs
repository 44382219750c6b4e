//! LTL on several threads or machines: hash-partitioned states, dataflow waves, OWCTY.
//!
//! Each state has one owner among the workers, given by a hash of its values (`product.rs`). All
//! workers run the same sequence of *waves* (`wave.rs`). A wave is one dataflow of `timely`
//! (`post.rs`) that ends when no worker has work or unread messages:
//!
//! ```text
//! A := degeneralized automaton
//! W1  all reachable nodes                       reach.rs    ends at a bad state, if safety
//! W2  reachable from accepting nodes,
//! W3  without chains into these                 owcty.rs    to the fixpoint; once if A is weak
//! W4  parents inside the rest, W5  everywhere   parents.rs  if the rest is not empty
//!     parents backwards, to worker 0            trail.rs    as values and events
//! ```
//!
//! Edges are not stored: each wave computes successors again, with the code of the explicit engine.
//! Worker 0 reports that no run is accepted only if every wave completed everywhere (`search.rs`).
//!
//! Processes connect and compare their versions and models (`meet.rs`). Process 0 sends questions
//! ([`Machines`]), the others wait for them ([`serve`]). One control connection from each process
//! to process 0 (`frame.rs`, `link.rs`) carries orders, reports and heartbeats (`watch.rs`).
//! Connections are plain TCP. A shared secret keeps strangers out (`secret.rs`), and nothing is
//! encrypted: for trusted networks only.

#![forbid(unsafe_code)]

mod census;
mod cluster;
mod engine;
mod frame;
mod handshake;
mod join;
mod link;
mod machines;
mod meet;
mod network;
mod owcty;
mod parents;
mod post;
mod product;
mod progress;
mod question;
mod reach;
mod recent;
mod report;
mod search;
mod secret;
mod serve;
mod shared;
mod trail;
mod watch;
mod wave;
mod wire;
mod worker_threads;

pub use census::StateTotals;
pub use cluster::{Cluster, hosts_here, read_hosts};
pub use engine::engine;
pub use lariat_budget::RunContext;
pub use machines::{DistributedCount, Machines};
pub use question::digest;
pub use report::Figures;
pub use secret::Secret;
pub use serve::serve;
