//! How fast the explicit space is explored, and what a state costs.
//!
//! `cargo bench -p lariat-space --bench explore [-- MODEL…]`: without models, the plain nets of the contest with
//! 10⁵ to 10⁷ states.

use lariat_budget::{Budget, Quiet};
use lariat_corpora::bench::{arguments, file};
use lariat_corpora::{models, table};
use lariat_model::Deadlock;
use lariat_space::explicit::{Explicit, count};
use std::path::PathBuf;
use std::time::Instant;

/// The nets that take a second or so.
fn usual() -> Vec<PathBuf> {
    let Some(folder) = models("mcc") else {
        return Vec::new();
    };
    let nets = table(&folder.join("index.tsv")).into_iter();
    let medium = nets.filter(|cells| {
        let states = cells.get(5).and_then(|cell| cell.parse::<u64>().ok());
        cells[1] == "PT" && states.is_some_and(|n| (100_000..=10_000_000).contains(&n))
    });
    medium
        .map(|cells| folder.join(&cells[0]).join("model.pnml"))
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths: Vec<PathBuf> = arguments().map(|name| file(&name)).collect();
    if paths.is_empty() {
        paths = usual();
    }
    println!("states\tedges\tdeadlocks\tseconds\tMedges/s\tbits\tbytes/state\tmodel");
    for path in paths {
        let name = path.display().to_string();
        let system = lariat_model::read_model(&name, &std::fs::read(&path)?)?;
        let space = Explicit::new(&system, Deadlock::Stutter);
        let start = Instant::now();
        let found = count(&space, &[], &Budget::bytes(8 << 30), &Quiet);
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{}\t{}\t{}\t{seconds:.2}\t{:.1}\t{}\t{:.1}\t{name}",
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
