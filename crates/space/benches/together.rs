//! Speed-up of parallel explicit exploration, on contest nets if they are available.
//!
//! ```text
//! cargo bench -p lariat-space --bench together -- [--threads N] [--rounds N] [NAME…]
//! ```
//!
//! For every place/transition instance whose name contains one of the names, one worker and N (2 by
//! default) alternate for the given rounds: wall-clock seconds, processor seconds in total, bytes
//! per state. States and edges must be equal. On a busy machine the processor seconds are more
//! reliable: the excess of N workers over one is overhead.

use lariat_budget::{Budget, RunContext};
use lariat_corpora::bench::{arguments, cpu};
use lariat_corpora::models;
use lariat_formats::read_model;
use lariat_model::Deadlock;
use lariat_space::explicit::{Explicit, ExplicitCounts, count_together};
use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Instant;

/// Bytes per exploration.
const BYTES: u64 = 4 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut threads, mut rounds, mut names) = (NonZeroUsize::MIN.saturating_add(1), 3, Vec::new());
    let mut arguments = arguments();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = arguments.next().ok_or("how many threads?")?.parse()?,
            "--rounds" => rounds = arguments.next().ok_or("how many rounds?")?.parse()?,
            _ => names.push(argument),
        }
    }
    println!("workers\tclock s\tprocessors s\tB/state\tstates\tedges\tnet");
    for folder in ["mcc-wide", "mcc"].iter().filter_map(|kind| models(kind)) {
        let mut entries: Vec<_> = std::fs::read_dir(folder)?.flatten().collect();
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path().join("model.pnml");
            let is_asked_for = names.iter().any(|part| name.contains(part));
            if !name.contains("-PT-") || !is_asked_for || !path.exists() {
                continue;
            }
            let system = read_model(&path.display().to_string(), &std::fs::read(&path)?)?;
            let space = Explicit::new(&system, Deadlock::Stutter);
            let mut first: Option<ExplicitCounts> = None;
            for workers in [NonZeroUsize::MIN, threads].repeat(rounds) {
                let (clock, before) = (Instant::now(), cpu());
                let budget = Budget::bytes(BYTES);
                let found = count_together(&space, &[], workers, RunContext::quiet(&budget));
                println!(
                    "{workers}\t{:.2}\t{:.2}\t{:.1}\t{}\t{}\t{name}",
                    clock.elapsed().as_secs_f64(),
                    cpu() - before,
                    found.bytes as f64 / found.states as f64,
                    found.states,
                    found.edges,
                );
                let first = first.get_or_insert(found.clone());
                let figures = |count: &ExplicitCounts| (count.states, count.edges, count.deadlocks);
                if found.stop.is_none() && figures(first) != figures(&found) {
                    return Err(format!("{name}: {first:?} and {found:?}").into());
                }
            }
        }
    }
    Ok(())
}
