//! Long differential campaigns: all subjects against the oracle.
//!
//! ```text
//! LARIAT_CASES=100000 cargo run --release -p lariat-differential [CAMPAIGN] [SUBJECT]…
//! ```
//!
//! Campaigns: `fair` (fairness), `claims` (false claims in files), `shadows` (nets with implicit
//! places), `stretched` (agglomerations), `interleaved` (processes with local steps), `guarded` (inhibitor, reset and read arcs), `questions`
//! (reachable states), `promela` and `fair-promela` (processes with channels and atomic sequences), `spin` (the same
//! against SPIN), `processes` (clusters of 1, 2 and 4 processes), `threads` (4 to 32 threads,
//! stopped at random). `LARIAT_SEED` sets the first seed. The first difference gives exit code 1 and the
//! command that replays it.

use lariat_differential::watchdog::Watchdog;
use lariat_differential::{processes, questions, spin, subjects};
use lariat_testkit::{Campaign, Case};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut campaign = Campaign::from_env(5000);
    if names.first().is_some_and(|name| name == "questions") {
        return about_states(&campaign, &names[1..]);
    }
    if names.first().is_some_and(|name| name == "spin") {
        return with_spin(&campaign);
    }
    if names.first().is_some_and(|name| name == processes::WORKER) {
        return processes::work(&names[1..]);
    }
    let mut subjects = match names.first().map(String::as_str) {
        Some("processes") => {
            names.remove(0);
            let program = std::env::current_exe().expect("this program");
            let all = [1, 2, 4].map(|n| processes::subjects(n, &program));
            all.into_iter().flatten().collect()
        }
        Some("threads") => {
            names.remove(0);
            subjects::stressed()
        }
        Some(
            name @ ("fair" | "claims" | "shadows" | "stretched" | "guarded" | "interleaved"
            | "promela" | "fair-promela"),
        ) => {
            let (case, subjects): (fn(u64) -> Case, _) = match name {
                "fair" => (Case::fair, subjects::fair()),
                "claims" => (Case::claimed, subjects::all()),
                "shadows" => (Case::shadowed, subjects::all()),
                "guarded" => (Case::guarded, subjects::all()),
                "interleaved" => (Case::interleaved, subjects::all()),
                "promela" => (Case::promela, subjects::all()),
                "fair-promela" => (Case::fair_promela, subjects::fair()),
                _ => (Case::stretched, subjects::all()),
            };
            names.remove(0);
            campaign = campaign.about(case);
            subjects
        }
        _ => subjects::all(),
    };
    subjects.retain(|s| names.is_empty() || names.iter().any(|n| n == s.name()));
    if subjects.is_empty() {
        eprintln!("no subject has the name {}", names.join(", "));
        return ExitCode::from(2);
    }
    eprintln!("seed {}, {} systems", campaign.seed, campaign.cases);
    let start = Instant::now();
    let mut reported = start;
    let watchdog = Watchdog::start();
    let result = campaign.run(&subjects, |counters| {
        watchdog.progress();
        if reported.elapsed() >= Duration::from_secs(5) {
            reported = Instant::now();
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

/// Runs the campaign of questions about reachable states.
fn about_states(campaign: &Campaign, names: &[String]) -> ExitCode {
    let mut subjects = questions::subjects();
    subjects.retain(|s| names.is_empty() || names.iter().any(|n| n == s.name));
    if subjects.is_empty() {
        eprintln!("no subject has the name {}", names.join(", "));
        return ExitCode::from(2);
    }
    eprintln!("seed {}, {} models", campaign.seed, campaign.cases);
    let mut reported = Instant::now();
    let mut tally = questions::Tally::default();
    for seed in campaign.seeds() {
        let case = questions::Case::random(seed);
        if let Err(what) = questions::judge(&case, &subjects, &mut tally) {
            println!("{what}\nLARIAT_SEED={seed} LARIAT_CASES=1 replays it");
            return ExitCode::FAILURE;
        }
        if reported.elapsed() >= Duration::from_secs(5) {
            reported = Instant::now();
            eprintln!("{tally:?}");
        }
    }
    println!("no difference in {tally:?}");
    ExitCode::SUCCESS
}

/// Compares random Promela models with SPIN.
fn with_spin(campaign: &Campaign) -> ExitCode {
    let Some(installed) = spin::Spin::installed("campaign") else {
        return ExitCode::from(2);
    };
    match spin::compare(&installed, campaign.seeds()) {
        Ok(tally) => {
            println!("no difference in {tally:?}");
            ExitCode::SUCCESS
        }
        Err(difference) => {
            println!("{difference}");
            ExitCode::FAILURE
        }
    }
}
