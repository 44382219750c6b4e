//! The façade on nets on which agglomerations apply, or almost.

use lariat::internals::{CheckOptions, EngineChoice, Plan, ReductionChoice, Rule, Rules, Schedule};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case};

#[test]
fn agglomerated_nets_agree_with_the_oracle() {
    let explicit = || EngineChoice::from(Plan::of("explicit"));
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
        ("auto", EngineChoice::Auto(small_limits), Rules::all()),
    ]
    .map(|(name, engine, rules)| {
        let options = CheckOptions {
            engine,
            reduce: ReductionChoice::Only(rules),
            ..CheckOptions::default()
        };
        subjects::facade_with(name, options)
    });
    let campaign = Campaign::from_env(150).about(Case::stretched);
    match campaign.run(&subjects, |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}
