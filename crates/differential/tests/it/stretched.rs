//! The façade on nets on which agglomerations apply, or almost.

use lariat::{Choice, Options, Plan, Reduce, Rule, Rules, Schedule};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case};

#[test]
fn agglomerated_nets_agree_with_the_oracle() {
    let explicit = || Choice::from(Plan::of("explicit"));
    // Small limits, so that `auto` does not decide before it reduces the net.
    let small_limits = Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        ..Schedule::default()
    };
    let subjects = [
        ("all", explicit(), Rules::all()),
        ("post", explicit(), Rules::only(&[Rule::PostAgglomeration])),
        ("pre", explicit(), Rules::only(&[Rule::PreAgglomeration])),
        ("auto", Choice::Auto(small_limits), Rules::all()),
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
