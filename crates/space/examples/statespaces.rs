//! State spaces of generated families and of contest nets, with what they cost.
//!
//! `cargo run --release -p lariat-space --example statespaces -- [--order auto|NAME|all] [--edges]
//! [--limit NODES] [FILTER…]`: rows whose name contains one of the filters, all by default. Contest
//! nets come from the folder `mcc` in `LARIAT_MODELS` (or `../shared/models`).

use lariat_budget::{Budget, Quiet, Stop};
use lariat_model::generate::{Family, generate};
use lariat_model::order::{self, OrderName};
use lariat_model::{Deadlock, System, read_model};
use lariat_space::symbolic::Symbolic;
use std::path::PathBuf;

/// CPU seconds of this process so far, in steps of 10 ms.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |i| -> f64 {
        let field = fields.split_whitespace().nth(i);
        field.and_then(|f| f.parse().ok()).unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let mut filters = Vec::new();
    let (mut orders, mut edges, mut limit) = ("file".to_owned(), false, 30_000_000);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--order" => orders = args.next().unwrap_or_default(),
            "--edges" => edges = true,
            "--limit" => limit = args.next().and_then(|l| l.parse().ok()).unwrap_or(limit),
            _ => filters.push(arg),
        }
    }
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|f| name.contains(f));
    for (family, sizes) in [
        (Family::Philosophers, &[1000, 5000][..]),
        (Family::SlottedRing, &[50, 100]),
        (Family::Kanban, &[50, 100, 200]),
        (Family::Fms, &[20, 50, 100]),
    ] {
        for size in sizes {
            let name = format!("{}-{size}", family.name());
            if wanted(&name) {
                match generate(family, *size) {
                    Ok(system) => rows(&name, &system, None, &orders, edges, limit),
                    Err(error) => println!("{name}: {error}"),
                }
            }
        }
    }
    let models = std::env::var("LARIAT_MODELS").unwrap_or("../shared/models".to_owned());
    let mcc = PathBuf::from(models).join("mcc");
    let Ok(index) = std::fs::read_to_string(mcc.join("index.tsv")) else {
        println!("no contest nets in {}: skipped", mcc.display());
        return;
    };
    for line in index.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, "PT", _, _, _, states, ..] = fields[..] else {
            continue;
        };
        if !wanted(name) || states.parse::<u128>().is_err() {
            continue;
        }
        let path = mcc.join(name).join("model.pnml");
        let system = std::fs::read(&path)
            .map_err(|e| e.to_string())
            .and_then(|bytes| read_model(name, &bytes).map_err(|e| e.to_string()));
        match system {
            Ok(system) => rows(name, &system, Some(states), &orders, edges, limit),
            Err(error) => println!("{name}: {error}"),
        }
    }
}

fn rows(
    name: &str,
    system: &System,
    expected: Option<&str>,
    orders: &str,
    edges: bool,
    limit: u64,
) {
    let named: Vec<OrderName> = match orders {
        "all" => OrderName::all().collect(),
        one => one.parse().into_iter().collect(),
    };
    for order in named {
        let start = cpu();
        let Some(variables) = order::named(system, order) else {
            continue;
        };
        let ordered = cpu();
        let budget = Budget::bytes(3 << 30).with_work(limit);
        let outcome = (|| -> Result<String, Stop> {
            let mut space = Symbolic::new(system, &variables, Deadlock::Stutter, &budget)?;
            let initial = space.initial()?;
            let reach = space.reach(&initial, &space.all());
            let figures = space.store_figures();
            let seconds = cpu() - ordered;
            let reach = match reach {
                Ok(reach) => reach,
                Err(stop) => {
                    return Ok(format!(
                        "{seconds:8.2} s  created {:>9}  {stop}",
                        figures.created
                    ));
                }
            };
            let census = space.census(&reach, edges)?;
            let counted = cpu() - ordered - seconds;
            let states = census.states.to_string();
            let verdict = match expected {
                Some(expected) if expected != states => "WRONG",
                Some(_) => "right",
                None => "",
            };
            let bytes = figures.node_bytes + figures.unique_bytes;
            Ok(format!(
                "{seconds:8.2} s  created {:>9} final {:>8} peak {:>8}  {:5.1} B/node {:>4} MB  gc {}  count {counted:.2} s  {} {verdict}{}",
                figures.created,
                census.nodes,
                figures.peak,
                bytes as f64 / figures.nodes.max(1) as f64,
                budget.bytes_peak() >> 20,
                figures.collections,
                short(&states),
                census
                    .edges
                    .map(|e| format!(" edges {}", short(&e.to_string())))
                    .unwrap_or_default(),
            ))
        })();
        let text = outcome.unwrap_or_else(|stop| stop.to_string());
        println!(
            "{name:30} {:14} order {:5.2} s score {:9.6} {text}",
            order.to_string(),
            ordered - start,
            order::score(system, &variables),
        );
    }
    let _ = Quiet;
}

/// A large number as `1.234e56`.
fn short(number: &str) -> String {
    if number.len() <= 20 {
        return number.to_owned();
    }
    format!("{}.{}e{}", &number[..1], &number[1..5], number.len() - 1)
}
