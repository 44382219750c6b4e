//! Fair runs: engines with fairness agree with the oracle, and the others refuse fairness.

use lariat::internals::{Plan, Strength};
use lariat_differential::subjects;
use lariat_testkit::{Answer, Campaign, Case, cases};

const REPLAY: &str = "cargo test -p lariat-differential --test it fairness";

#[test]
fn subjects_agree_with_the_oracle_on_fair_runs() {
    let campaign = Campaign::from_env(150).about(Case::fair);
    campaign.replayed_by(REPLAY).pass(&subjects::fair());
}

#[test]
fn subjects_decide_the_fixed_cases_about_fair_runs() {
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

#[test]
fn engines_refuse_unsupported_fairness() {
    let mut refused = 0;
    for seed in Campaign::from_env(20).seeds() {
        let case = Case::fair(seed);
        let strength = case.fairness.iter().map(|c| c.strength).max();
        for (name, plan) in subjects::plans() {
            let supported = (plan.engine.fairness)(plan.automaton);
            if strength <= supported {
                continue;
            }
            let answer = subjects::on_translation(&name, plan).answer(&case);
            assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?}");
            refused += 1;
        }
    }
    assert!(refused > 0);
    let message = Plan::of("hyb").accepts(Strength::Strong).unwrap_err();
    assert!(message.len() > 20, "{message}");
    assert_eq!(Plan::of("explicit").accepts(Strength::Strong), Ok(()));
}
