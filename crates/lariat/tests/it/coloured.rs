//! Verdicts on coloured nets of the contest against the published ones; every counterexample is
//! replayed on the coloured net itself.
//!
//! Instances of more than `LARIAT_STATES` (100 000) markings, or of unknown size, are skipped
//! unless `LARIAT_STATES=all`.

use crate::contest::report;
use crate::kit::{Instance, Tally, examine, instances};
use lariat::internals::{Budget, CheckOptions};
use lariat_corpora::models;
use std::time::Duration;

#[test]
fn verdicts_and_lassos_of_coloured_nets() {
    let Some(folder) = models("mcc") else { return };
    let limit = std::env::var("LARIAT_STATES").unwrap_or("100000".to_owned());
    let limit: Option<u64> = limit.parse().ok();
    let is_small = |i: &Instance| limit.is_none_or(|most| i.states.is_some_and(|n| n <= most));
    let (mut all, mut count) = (Tally::default(), 0);
    for instance in instances(&folder, "COL").iter().filter(|i| is_small(i)) {
        for examination in ["LTLCardinality", "LTLFireability"] {
            let (options, budget) = (CheckOptions::default(), Budget::bytes(2 << 30));
            let time = Duration::from_secs(10);
            let name = &instance.name;
            all.add(examine(&folder, name, examination, &options, &budget, time));
            count += 1;
        }
    }
    report(&all, count);
}
