//! Statistics of the random systems by family: sizes, deadlocks, infinite runs.
//!
//! `LARIAT_CASES=5000 cargo run -p lariat-testkit --bin families`

use lariat_model::Deadlock;
use lariat_testkit::case::MOST_STATES;
use lariat_testkit::oracle::Reachable;
use lariat_testkit::{Campaign, Case};
use std::collections::BTreeMap;

fn main() {
    let mut families: BTreeMap<String, (Vec<usize>, usize, usize)> = BTreeMap::new();
    for seed in Campaign::from_env(2000).seeds() {
        let system = Case::random(seed).system;
        let Some(all) = Reachable::explore(&system, MOST_STATES + 1) else {
            continue;
        };
        let entry = families.entry(system.name).or_default();
        entry.0.push(all.states.len());
        entry.1 += usize::from(all.steps.iter().any(Vec::is_empty));
        entry.2 += usize::from(all.under(Deadlock::Ignore).has_infinite_run());
    }
    for (name, (mut sizes, dead, infinite)) in families {
        sizes.sort_unstable();
        let n = sizes.len();
        println!(
            "{name:10} {n:5} systems, states: median {}, 90% {}, most {}; {}% with deadlocks, {}% with infinite runs",
            sizes[n / 2],
            sizes[n * 9 / 10],
            sizes[n - 1],
            dead * 100 / n,
            infinite * 100 / n
        );
    }
}
