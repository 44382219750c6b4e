//! A process of a cluster that only serves questions; started by tests.
//!
//! ```text
//! worker HOSTS PROCESS [MEGABYTES [MODEL]]
//! ```
//!
//! `HOSTS` are separated by commas; `MODEL` is the digest of the model that it claims to have.

use lariat_budget::Budget;
use lariat_distributed::{Cluster, serve};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|arg| arg.parse::<u64>().ok());
    let hosts = args.first().map_or("", |hosts| hosts.as_str()).split(',');
    let hosts = hosts.map(str::to_owned).collect();
    let served = Cluster::new(hosts, number(1).unwrap_or(0) as usize).and_then(|cluster| {
        let cluster = Cluster {
            model: number(3),
            patience: Duration::from_secs(20),
            ..cluster
        };
        let bytes = number(2).map_or(u64::MAX, |megabytes| megabytes << 20);
        serve(&cluster, &Budget::bytes(bytes))
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
