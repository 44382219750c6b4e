//! Verdicts on coloured nets of the contest against the published ones; every counterexample is
//! replayed on the coloured net itself.
//!
//! Instances of more than `LARIAT_STATES` (100 000) markings, or of unknown size, are skipped
//! unless `LARIAT_STATES=all`.

use crate::contest::report;
use crate::kit::{Instance, Tally, examine, instances};
use lariat::internals::formats::load_quotient;
use lariat::internals::{Budget, CheckOptions};
use lariat::{Checker, Model};
use lariat_corpora::models;
use std::sync::Arc;
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

/// Persons and their books are interchangeable, and one desk limits the pairs of both, so that the
/// quotient has a few places; the unfolding would have 90 000 bindings.
#[test]
fn a_net_that_is_large_once_unfolded_is_decided_modulo_colours() {
    let text = include_bytes!("library.pnml");
    let loaded = load_quotient("library.pnml", text, &Budget::bytes(1 << 30)).unwrap();
    assert!(loaded.coloured.is_none() && loaded.quotient.is_some());
    assert!(loaded.system.variables.len() < 10);
    let model = Model::from_loaded("library.pnml", Arc::new(loaded));
    let checker = Checker::new(&model);
    let holds = |formula: &str| checker.check(formula).unwrap().holds();
    assert_eq!(holds("G \"reading + desk == 1\""), Some(true));
    assert_eq!(holds("G (fires(borrow) -> X fireable(return))"), Some(true));
    assert_eq!(holds("G \"idle >= 300\""), Some(false));
    assert_eq!(holds("F G \"reading == 1\""), Some(false));
    assert_eq!(holds("G F fires(borrow)"), Some(true));
    assert!(checker.check("G \"reading(1,2) == 0\"").is_err());
}
