//! Benchmark: how fast the explicit space is explored, and what a state costs.
//!
//! ```text
//! cargo run --release -p lariat-space --example explore -- MODEL.pnml…
//! ```

use lariat_budget::{Budget, Quiet};
use lariat_model::Deadlock;
use lariat_space::explicit::{Explicit, count};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("states\tedges\tdeadlocks\tseconds\tMedges/s\tbits\tbytes/state\tmodel");
    for path in std::env::args().skip(1) {
        let system = lariat_model::read_model(&path, &std::fs::read(&path)?)?;
        let space = Explicit::new(&system, Deadlock::Stutter);
        let start = Instant::now();
        let found = count(&space, &[], &Budget::bytes(8 << 30), &Quiet);
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{}\t{}\t{}\t{seconds:.2}\t{:.1}\t{}\t{:.1}\t{path}",
            found.states,
            found.edges,
            found.deadlocks,
            found.edges as f64 / seconds / 1e6,
            found.packed_bits,
            found.bytes as f64 / found.states as f64,
        );
    }
    Ok(())
}
