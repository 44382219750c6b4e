//! The façade about nets on which rules of reduction find something, or almost.

use lariat::internals::{CheckOptions, EngineChoice, Plan, ReductionChoice, Rules, Schedule};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case};

const REPLAY: &str = "cargo test -p lariat-differential --test it reducible";

#[test]
fn nets_on_which_rules_find_something_are_answered_as_the_oracle_does() {
    let after_reductions = |name: &str, engine: EngineChoice| {
        let options = CheckOptions {
            engine,
            reduce: ReductionChoice::Only(Rules::all()),
            ..CheckOptions::default()
        };
        subjects::facade_with(name, options)
    };
    // Otherwise `auto` decides before it reduces anything.
    let hasty = Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        ..Schedule::default()
    };
    let subjects = [
        after_reductions("explicit", Plan::of("explicit").into()),
        after_reductions("auto", EngineChoice::Auto(hasty)),
        after_reductions("slap", Plan::of("slap").into()).only(|case| case.fairness.is_empty()),
    ];
    let campaign = Campaign::from_env(60)
        .about(Case::reducible)
        .replayed_by(REPLAY);
    match campaign.run(&subjects, |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}
