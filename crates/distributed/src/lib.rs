//! LTL on several cores or several machines: states owned by hash, waves of dataflow, OWCTY.
//!
//! Every state has one owner among the workers, told by a hash of its values (`product.rs`). What workers do together is a sequence of
//! *waves* (`wave.rs`), each of which is one dataflow of `timely` (`post.rs`) that ends when nobody has anything left to do:
//!
//! ```text
//! A := degeneralized automaton
//! W1  all reachable nodes                                     reach.rs    ends at the first bad state of a safety property
//! W2  what accepting nodes reach, W3  without chains into it  owcty.rs    until nothing changes; once if A is weak
//! W4  parents inside what is left, W5  from initial nodes     parents.rs  where something is left
//!     parents backwards, to worker 0                          trail.rs    as values and events
//! ```
//!
//! Nothing is kept of edges: successors are computed again in each wave, by the code that the explicit engine runs. Worker 0 alone
//! concludes, and says that there is no accepted run only if every wave came to its end at every worker (`search.rs`).
//!
//! Processes find each other and compare what must be the same (`meet.rs`). Process 0 asks ([`Machines`]), the others wait for questions
//! ([`serve`]). Beside the states there is one connection from each to process 0 (`frame.rs`, `link.rs`), over which orders and reports go, and by which a
//! process that is killed, stopped or cut off is noticed (`watch.rs`). Connections are plain TCP without any authentication: for trusted networks only.

#![forbid(unsafe_code)]

mod census;
mod cluster;
mod crew;
mod engine;
mod frame;
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
mod serve;
mod shared;
mod trail;
mod watch;
mod wave;
mod wire;

pub use census::Counted;
pub use cluster::{Cluster, hosts_here, read_hosts};
pub use engine::engine;
pub use machines::{Count, Machines};
pub use question::digest;
pub use report::Figures;
pub use serve::serve;
