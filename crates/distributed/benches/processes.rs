//! The cost of dividing the states of kanban lines among processes on this machine.
//!
//! ```text
//! cargo bench -p lariat-distributed --bench processes -- [--size N] [--rounds N] [PROCESSES…]
//! ```
//!
//! In each round the explicit engine and sets of processes (default: 2 and 4) count the states of
//! one line (default: size 5). Columns: total processor seconds including network threads, and
//! relative to the explicit engine; messages and bytes per state; the largest deviation from an
//! even share; bytes held by the largest process, and relative to its share.

use lariat_budget::{Budget, RunContext};
use lariat_corpora::bench::{arguments, cpu};
use lariat_distributed::{Cluster, Machines, hosts_here};
use lariat_model::generate::{Family, generate};
use lariat_model::{Deadlock, System};
use lariat_space::explicit::{Explicit, count};
use std::error::Error;
use std::process::{Child, Command};

/// Memory limit of each process.
const MEGABYTES: u64 = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut size, mut rounds, mut processes) = (5, 3, Vec::new());
    let mut arguments = arguments();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--size" => size = arguments.next().ok_or("--size needs a number")?.parse()?,
            "--rounds" => rounds = arguments.next().ok_or("--rounds needs a number")?.parse()?,
            _ => processes.push(argument.parse()?),
        }
    }
    if processes.is_empty() {
        processes = vec![2, 4];
    }
    let system = generate(Family::Kanban, size)?;
    println!("processes\tCPU s\ttimes\tsent/state\tB/state\tfrom even\tMB held\ttimes its share");
    for _ in 0..rounds {
        let before = cpu();
        let space = Explicit::new(&system, Deadlock::Stutter);
        let alone = count(
            &space,
            &[],
            RunContext::quiet(&Budget::bytes(MEGABYTES << 20)),
        );
        let single = cpu() - before;
        println!("explicit\t{single:.2}\t\t\t\t\t{:.1}", mega(alone.bytes));
        for processes in &processes {
            let (seconds, found) = divided(&system, *processes)?;
            let workers = found.workers;
            let states: u64 = workers.iter().map(|worker| worker.states).sum();
            if found.stop.is_some() || states != alone.states {
                return Err(format!("{states} states, {:?}", found.stop).into());
            }
            let even = states as f64 / *processes as f64;
            let from_even = |states: u64| 100.0 * (states as f64 / even - 1.0).abs();
            let furthest = workers.iter().map(|worker| from_even(worker.states));
            let most = workers.iter().map(|worker| worker.bytes).max().unwrap_or(0);
            let sum = |figures: Vec<u64>| figures.iter().sum::<u64>() as f64 / states as f64;
            println!(
                "{processes}\t{seconds:.2}\t{:.2}\t{:.2}\t{:.1}\t{:.2} %\t{:.1}\t{:.2}",
                seconds / single,
                sum(workers.iter().map(|worker| worker.sent).collect()),
                sum(workers.iter().map(|worker| worker.bytes_sent).collect()),
                furthest.fold(0.0, f64::max),
                mega(most),
                (most * *processes as u64) as f64 / alone.bytes as f64,
            );
        }
    }
    Ok(())
}

fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Counts with several processes; also returns the total processor seconds.
fn divided(
    system: &System,
    processes: usize,
) -> Result<(f64, lariat_distributed::DistributedCount), Box<dyn Error>> {
    let before = cpu() + of_children();
    let hosts = hosts_here(processes)?;
    let start = |process: usize| {
        Command::new(env!("CARGO_BIN_EXE_lariat-distributed-worker"))
            .args([hosts.join(","), process.to_string(), MEGABYTES.to_string()])
            .spawn()
    };
    let others: Vec<Child> = (1..processes).map(start).collect::<Result<_, _>>()?;
    let machines = Machines::connect(&Cluster::new(hosts.clone(), 0)?)?;
    let budget = Budget::bytes(MEGABYTES << 20);
    let found = machines.count(system, &[], RunContext::quiet(&budget));
    machines.dismiss();
    for mut other in others {
        other.wait()?;
    }
    Ok((cpu() + of_children() - before, found))
}

/// Processor seconds of ended children; 0 if the system does not report them.
fn of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 16 and 17, found after the name, which may contain anything; in hundredths of seconds.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let fields = fields.split_whitespace().skip(13).take(2);
    fields
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
