//! Reductions of nets with (almost) implicit places.

use lariat::internals::{CheckOptions, EngineChoice, Plan, ReductionChoice, Rule, Rules};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case, Subject};

/// The explicit engine with all rules, and with the rule for implicit places alone.
fn reduced() -> Vec<Subject> {
    let rules = [
        ("all", Rules::all()),
        ("implicit-places", Rules::only(&[Rule::ImplicitPlaces])),
    ];
    let subject = |(name, rules)| {
        let options = CheckOptions {
            engine: EngineChoice::from(Plan::of("explicit")),
            reduce: ReductionChoice::Only(rules),
            ..CheckOptions::default()
        };
        subjects::facade_with(&format!("explicit-{name}"), options)
    };
    rules.map(subject).into()
}

#[test]
fn nets_with_implicit_places_agree_with_the_oracle() {
    let campaign = Campaign::from_env(250).about(Case::shadowed);
    match campaign.run(&reduced(), |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}
