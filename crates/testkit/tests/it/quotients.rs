//! The oracle on quotients of random coloured nets and on their unfoldings.

use lariat_budget::Budget;
use lariat_testkit::oracle::Reachable;
use lariat_testkit::quotients::Asked;
use lariat_testkit::{Campaign, Random};

#[test]
fn quotients_agree_with_unfoldings() {
    let campaign = Campaign::from_env(300);
    let (mut nets, mut smaller, mut verdicts, mut violated) = (0, 0, 0, 0);
    for seed in campaign.seeds() {
        let Some(asked) = Asked::random(&mut Random::new(seed)) else {
            continue;
        };
        let again = format!("replay with LARIAT_SEED={seed} LARIAT_CASES=1");
        let system = &asked.quotient.system;
        let states = |system| Reachable::explore(system, 1000).map(|graph| graph.states.len());
        let (before, after) = (states(&asked.unfolded.system), states(system));
        assert!(
            after.is_some() && after <= before,
            "{before:?} {after:?} {again}"
        );
        nets += 1;
        smaller += u64::from(after < before);
        let lift = asked.model.quotient.as_deref().expect("a quotient");
        let variants = asked.unfolded.variants().into_iter();
        for (unfolded, quotient) in variants.zip(asked.quotient.variants()) {
            let violates = unfolded.oracle().is_some();
            let run = quotient.oracle();
            assert_eq!(violates, run.is_some(), "\n{unfolded}\n{quotient}\n{again}");
            if let Some(run) = run {
                let replayed = lift.replay(&run, &Budget::unlimited());
                assert!(replayed.is_ok(), "{replayed:?}\n{quotient}\n{again}");
            }
            verdicts += 1;
            violated += u64::from(violates);
        }
    }
    println!(
        "{verdicts} verdicts on {nets} nets, {smaller} with fewer states; {violated} violated"
    );
    let cases = campaign.cases;
    assert!(cases < 100 || (nets * 4 > cases && smaller * 10 > cases));
}
