//! The façade about nets with steps in two parts, which agglomerations join.

use lariat::{Choice, Options, Plan, Reduce, Rule, Rules, Schedule};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case};

#[test]
fn nets_with_steps_in_two_parts_are_answered_as_the_oracle_does() {
    let explicit = || Choice::from(Plan::of("explicit"));
    // Otherwise `auto` decides before it reduces anything.
    let hasty = Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        ..Schedule::default()
    };
    let subjects = [
        ("all", explicit(), Rules::all()),
        ("post", explicit(), Rules::only(&[Rule::PostAgglomeration])),
        ("pre", explicit(), Rules::only(&[Rule::PreAgglomeration])),
        ("auto", Choice::Auto(hasty), Rules::all()),
    ]
    .map(|(name, choice, rules)| {
        let options = Options {
            choice,
            reduce: Reduce::Only(rules),
            ..Options::default()
        };
        subjects::facade_with(name, options)
    });
    let campaign = Campaign::from_env(150).about(Case::stretched);
    match campaign.run(&subjects, |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}
