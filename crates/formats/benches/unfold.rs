//! Run time, memory and size of the unfolding of coloured nets.
//!
//! `cargo bench -p lariat-formats --bench unfold -- [--seconds N] [--megabytes N] [MODEL.pnml…]`:
//! by default the coloured nets of the contest.

use lariat_budget::Budget;
use lariat_corpora::bench::{arguments, file};
use lariat_corpora::{models, table};
use lariat_formats::pnml::{self, Pnml};
use lariat_model::coloured::unfold;
use lariat_model::{Action, System};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn arcs(system: &System) -> usize {
    let arcs = system.events.iter().map(|event| match &event.action {
        Action::Net(arcs) => arcs.len(),
        _ => 0,
    });
    arcs.sum()
}

/// The coloured nets of the contest.
fn usual() -> Vec<PathBuf> {
    let Some(folder) = models("mcc") else {
        return Vec::new();
    };
    let nets = table(&folder.join("index.tsv")).into_iter();
    nets.filter(|cells| cells[1] == "COL")
        .map(|cells| folder.join(&cells[0]).join("model.pnml"))
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut seconds, mut megabytes) = (60, 4096);
    let mut paths = Vec::new();
    let mut arguments = arguments();
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--seconds" => seconds = arguments.next().unwrap_or_default().parse()?,
            "--megabytes" => megabytes = arguments.next().unwrap_or_default().parse()?,
            name => paths.push(file(name)),
        }
    }
    if paths.is_empty() {
        paths = usual();
    }
    println!("places\ttransitions\tplaces'\ttransitions'\tarcs'\tread\tunfold\tMB\tmodel");
    for path in paths {
        let budget = Budget::bytes(megabytes << 20).with_deadline(Duration::from_secs(seconds));
        row(&path, &budget)?;
    }
    Ok(())
}

/// Prints one row of the table; none for a net without colours.
fn row(path: &Path, budget: &Budget) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = std::fs::read(path)?;
    let name = path.display().to_string();
    let start = Instant::now();
    let net = match pnml::read(&name, &bytes)?.net {
        Pnml::Coloured(net) => net,
        Pnml::Plain(_) => return Ok(()),
    };
    let read = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let unfolded = unfold(&net, budget);
    let unfold = start.elapsed().as_secs_f64();
    print!("{}\t{}\t", net.places.len(), net.transitions.len());
    match unfolded {
        Ok(unfolded) => print!(
            "{}\t{}\t{}",
            unfolded.system.variables.len(),
            unfolded.system.events.len(),
            arcs(&unfolded.system)
        ),
        Err(stop) => print!("{stop}\t-\t-"),
    }
    let peak = budget.bytes_peak() as f64 / f64::from(1 << 20);
    println!("\t{read:.3}\t{unfold:.3}\t{peak:.1}\t{name}");
    Ok(())
}
