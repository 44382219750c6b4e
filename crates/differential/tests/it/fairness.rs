//! Fair runs: every engine that knows fairness against the oracle, and those that do not refuse it.

use lariat::internals::{Plan, Strength};
use lariat_differential::subjects;
use lariat_testkit::{Answer, Campaign, Case, cases};

const REPLAY: &str = "cargo test -p lariat-differential --test it fairness";

#[test]
fn no_subject_differs_from_the_oracle_about_fair_runs() {
    let campaign = Campaign::from_env(150)
        .about(Case::fair)
        .replayed_by(REPLAY);
    match campaign.run(&subjects::fair(), |_| {}) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}

#[test]
fn every_subject_knows_the_fixed_cases_about_fair_runs() {
    for fixed in cases::fair() {
        let expected = fixed.case.oracle();
        assert_eq!(expected.is_none(), fixed.holds, "{}", fixed.name);
        for subject in subjects::fair().iter().filter(|s| s.supports(&fixed.case)) {
            if let Err(complaint) = subject.judge(&fixed.case, expected.as_ref()) {
                let (name, case) = (fixed.name, &fixed.case);
                panic!("{name}: {} {complaint}\n{case}", subject.name());
            }
        }
    }
}

/// An engine that does not know what is assumed never answers as if it did.
#[test]
fn who_does_not_know_fairness_refuses_it() {
    let mut refused = 0;
    for seed in Campaign::from_env(20).seeds() {
        let case = Case::fair(seed);
        let asked = case.fairness.iter().map(|c| c.strength).max();
        for (name, plan) in subjects::plans() {
            let known = (plan.engine.fairness)(plan.automaton);
            if asked <= known {
                continue;
            }
            let answer = subjects::on_translation(&name, plan).answer(&case);
            assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?}");
            refused += 1;
        }
    }
    assert!(refused > 0);
    let sentence = Plan::of("hyb").accepts(Strength::Strong).unwrap_err();
    assert!(sentence.len() > 20, "{sentence}");
    assert_eq!(Plan::of("explicit").accepts(Strength::Strong), Ok(()));
}
