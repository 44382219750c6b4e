//! State spaces of unfolded coloured nets compared with their published sizes, including dead
//! markings.
//!
//! The models are in the folder that `LARIAT_MODELS` names, or beside the workspace; if there are
//! none, the test reports that and passes. Nets of more than `LARIAT_STATES` (100 000) markings are
//! skipped.

use crate::counted;
use lariat_corpora::{models, number, table};
use lariat_formats::read_model;
use lariat_model::Deadlock;
use lariat_space::explicit::Explicit;
use std::fs;

#[test]
fn coloured_nets_have_the_published_sizes() {
    let Some(folder) = models("mcc") else { return };
    let limit = number("LARIAT_STATES", 100_000);
    let mut explored = 0;
    for columns in table(&folder.join("index.tsv")) {
        let (name, states) = (&columns[0], columns[5].parse().unwrap_or(u64::MAX));
        if states > limit || columns[1] != "COL" {
            continue;
        }
        let bytes = fs::read(folder.join(name).join("model.pnml")).expect("a readable model");
        let system = read_model(name, &bytes).unwrap_or_else(|error| panic!("{error}"));
        let found = counted(&Explicit::new(&system, Deadlock::Stutter), name);
        assert_eq!(found.states, states, "{name}");
        let dead = if found.deadlocks > 0 { "T" } else { "F" };
        assert_eq!(dead, columns[9], "{name}");
        explored += 1;
    }
    println!("{explored} nets were explored");
}
