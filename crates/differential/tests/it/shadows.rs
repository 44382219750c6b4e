//! Nets with places that follow others, by whom it is told, or almost, that there is enough in them.

use lariat::internals::{CheckOptions, EngineChoice, Plan, ReductionChoice, Rule, Rules};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case, Subject};

/// The explicit engine after all rules, and after the one alone that looks at such places.
fn after_reductions() -> Vec<Subject> {
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
fn nets_with_places_that_follow_others_are_answered_as_the_oracle_does() {
    let campaign = Campaign::from_env(250).about(Case::shadowed);
    match campaign.run(&after_reductions(), |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}
