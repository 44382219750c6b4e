//! A long differential campaign: all subjects against the oracle.
//!
//! ```text
//! LARIAT_CASES=100000 cargo run --release -p lariat-differential [fair] [SUBJECT]…
//! ```
//!
//! `LARIAT_SEED` chooses the first seed; `fair` asks about fair runs; names restrict the subjects. Exit code 1 on the first difference,
//! with the command that replays it.

use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut campaign = Campaign::from_env(5000);
    let mut subjects = match names.first().map(String::as_str) {
        Some("fair") => {
            names.remove(0);
            campaign = campaign.about(Case::fair);
            subjects::fair()
        }
        _ => subjects::all(),
    };
    subjects.retain(|s| names.is_empty() || names.iter().any(|n| n == s.name()));
    if subjects.is_empty() {
        eprintln!("no subject is called {}", names.join(", "));
        return ExitCode::from(2);
    }
    eprintln!("seed {}, {} systems", campaign.seed, campaign.cases);
    let start = Instant::now();
    let mut spoken = start;
    let result = campaign.run(&subjects, |counters| {
        if spoken.elapsed() >= Duration::from_secs(5) {
            spoken = Instant::now();
            eprintln!("{:4} s: {}", start.elapsed().as_secs(), counters.headline());
        }
    });
    match result {
        Ok(counters) => {
            println!("no difference in {counters}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            println!("{failure}");
            ExitCode::FAILURE
        }
    }
}
