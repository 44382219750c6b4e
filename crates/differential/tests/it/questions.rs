//! A short campaign of questions about reachable states.

use lariat_differential::questions::{Case, Tally, judge, subjects};
use lariat_testkit::Campaign;

#[test]
fn answers_agree_with_brute_force() {
    let campaign = Campaign::from_env(150);
    let subjects = subjects();
    let mut tally = Tally::default();
    for seed in campaign.seeds() {
        let case = Case::random(seed);
        if let Err(what) = judge(&case, &subjects, &mut tally) {
            panic!("{what}\nLARIAT_SEED={seed} LARIAT_CASES=1 replays it");
        }
    }
    // Enough seeds cover every kind of model and evidence.
    if campaign.cases >= 150 {
        assert!(tally.coloured > 10 && tally.endless > 5, "{tally:?}");
        assert!(tally.dead > 10 && tally.unbounded > 5, "{tally:?}");
        assert!(tally.runs > 1000, "{tally:?}");
    }
}

#[test]
fn answers_on_reduced_nets_agree_with_brute_force() {
    let subjects = subjects();
    let mut tally = Tally::default();
    for seed in Campaign::from_env(40).seeds() {
        if let Err(what) = judge(&Case::reducible(seed), &subjects, &mut tally) {
            panic!("{what}\nLARIAT_SEED={seed} LARIAT_CASES=1 replays it");
        }
    }
    println!("{tally:?}");
}

#[test]
fn answers_on_nets_with_conditions_agree_with_brute_force() {
    let subjects = subjects();
    let mut tally = Tally::default();
    for seed in Campaign::from_env(60).seeds() {
        if let Err(what) = judge(&Case::guarded(seed), &subjects, &mut tally) {
            panic!("{what}\nLARIAT_SEED={seed} LARIAT_CASES=1 replays it");
        }
    }
    println!("{tally:?}");
}

/// Regression: on this net engines requested ever more work without using it.
#[test]
fn rounds_terminate_if_no_engine_works() {
    let case = Case::random(221);
    let mut tally = Tally::default();
    judge(&case, &subjects(), &mut tally).unwrap();
}
