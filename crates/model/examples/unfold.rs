//! Benchmark: how long coloured nets take to unfold, and what comes out.
//!
//! ```text
//! cargo run --release -p lariat-model --example unfold -- [--seconds N] [--megabytes N] MODEL.pnml…
//! ```

use lariat_budget::Budget;
use lariat_model::coloured::unfold;
use lariat_model::pnml::{self, Pnml};
use lariat_model::{Action, System};
use std::time::{Duration, Instant};

fn arcs(system: &System) -> usize {
    let arcs = system.events.iter().map(|event| match &event.action {
        Action::Net(arcs) => arcs.len(),
        _ => 0,
    });
    arcs.sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut seconds, mut megabytes) = (60, 4096);
    println!("places\ttransitions\tplaces'\ttransitions'\tarcs'\tread\tunfold\tMB\tmodel");
    let mut arguments = std::env::args().skip(1);
    while let Some(path) = arguments.next() {
        match &*path {
            "--seconds" => seconds = arguments.next().unwrap_or_default().parse()?,
            "--megabytes" => megabytes = arguments.next().unwrap_or_default().parse()?,
            _ => {
                let bytes = std::fs::read(&path)?;
                let start = Instant::now();
                let net = match pnml::read(&path, &bytes)?.net {
                    Pnml::Coloured(net) => net,
                    Pnml::Plain(_) => continue,
                };
                let read = start.elapsed().as_secs_f64();
                let start = Instant::now();
                let budget =
                    Budget::bytes(megabytes << 20).with_deadline(Duration::from_secs(seconds));
                let unfolded = unfold(&net, &budget);
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
                println!("\t{read:.3}\t{unfold:.3}\t{peak:.1}\t{path}");
            }
        }
    }
    Ok(())
}
