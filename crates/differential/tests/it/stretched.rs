//! The façade about nets with steps in two parts, which agglomerations join.

use lariat::internals::{CheckOptions, EngineChoice, Plan, ReductionChoice, Rule, Rules};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case};

#[test]
fn nets_with_steps_in_two_parts_are_answered_as_the_oracle_does() {
    let subject = |(name, rules)| {
        let options = CheckOptions {
            engine: EngineChoice::from(Plan::of("explicit")),
            reduce: ReductionChoice::Only(rules),
            ..CheckOptions::default()
        };
        subjects::facade_with(name, options)
    };
    let subjects = [
        ("all", Rules::all()),
        ("post", Rules::only(&[Rule::PostAgglomeration])),
        ("pre", Rules::only(&[Rule::PreAgglomeration])),
    ]
    .map(subject);
    let campaign = Campaign::from_env(150).about(Case::stretched);
    match campaign.run(&subjects, |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}
