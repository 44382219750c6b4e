//! The façade on nets on which reduction rules apply, or almost.

use lariat::internals::{CheckOptions, EngineChoice, Plan, ReductionChoice, Rules, Schedule};
use lariat_differential::subjects;
use lariat_testkit::{Campaign, Case};

const REPLAY: &str = "cargo test -p lariat-differential --test it reducible";

#[test]
fn reduced_nets_agree_with_the_oracle() {
    let reduced = |name: &str, engine: EngineChoice| {
        let options = CheckOptions {
            engine,
            reduce: ReductionChoice::Only(Rules::all()),
            ..CheckOptions::default()
        };
        subjects::facade_with(name, options)
    };
    // Small limits, so that `auto` does not decide before it reduces the net.
    let small_limits = Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        ..Schedule::default()
    };
    let subjects = [
        reduced("explicit", Plan::of("explicit").into()),
        reduced("auto", EngineChoice::Auto(small_limits)),
        reduced("slap", Plan::of("slap").into()).only(|case| case.fairness.is_empty()),
    ];
    let campaign = Campaign::from_env(60)
        .about(Case::reducible)
        .replayed_by(REPLAY);
    match campaign.run(&subjects, |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}
