//! Questions about reachable states: a slice of the campaign.

use lariat_differential::questions::{Case, Tally, judge, subjects};
use lariat_testkit::Campaign;

#[test]
fn answers_are_those_of_brute_force() {
    let campaign = Campaign::from_env(150);
    let subjects = subjects();
    let mut tally = Tally::default();
    for seed in campaign.seeds() {
        let case = Case::random(seed);
        if let Err(what) = judge(&case, &subjects, &mut tally) {
            panic!("{what}\nLARIAT_SEED={seed} LARIAT_CASES=1 repeats it");
        }
    }
    // Every kind of model and evidence has been seen, if there were enough of them.
    if campaign.cases >= 150 {
        assert!(tally.coloured > 10 && tally.endless > 5, "{tally:?}");
        assert!(tally.dead > 10 && tally.unbounded > 5, "{tally:?}");
        assert!(tally.runs > 1000, "{tally:?}");
    }
}

/// The same where reductions leave something out.
#[test]
fn answers_about_nets_that_become_smaller_are_those_of_brute_force() {
    let subjects = subjects();
    let mut tally = Tally::default();
    for seed in Campaign::from_env(40).seeds() {
        if let Err(what) = judge(&Case::reducible(seed), &subjects, &mut tally) {
            panic!("{what}\nLARIAT_SEED={seed} LARIAT_CASES=1 repeats it");
        }
    }
    println!("{tally:?}");
}

/// On this net every engine by itself once asked for more and more work, and did none.
#[test]
fn rounds_end_where_nobody_works() {
    let case = Case::random(221);
    let mut tally = Tally::default();
    judge(&case, &subjects(), &mut tally).unwrap();
}
