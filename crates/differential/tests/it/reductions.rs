//! The façade on nets on which reduction rules apply, or almost.

use lariat::internals::{EngineChoice, Plan, Rule, Rules};
use lariat_differential::subjects::{facade_reduced, rounds};
use lariat_testkit::{Campaign, Case};

const REPLAY: &str = "cargo test -p lariat-differential --test it reductions";

/// The engine `auto` with small limits, so that it does not decide before it reduces the net.
fn auto() -> EngineChoice {
    EngineChoice::Auto(rounds())
}

fn explicit() -> EngineChoice {
    Plan::of("explicit").into()
}

#[test]
fn reduced_nets_agree_with_the_oracle() {
    let slap = facade_reduced("slap", Plan::of("slap").into(), Rules::all());
    let subjects = [
        facade_reduced("explicit", explicit(), Rules::all()),
        facade_reduced("auto", auto(), Rules::all()),
        slap.only(|case| case.fairness.is_empty()),
    ];
    let campaign = Campaign::from_env(60).about(Case::reducible);
    campaign.replayed_by(REPLAY).pass(&subjects);
}

/// The explicit engine with all rules, and with the rule for implicit places alone.
#[test]
fn nets_with_implicit_places_agree_with_the_oracle() {
    let subjects = [
        ("explicit-all", Rules::all()),
        ("explicit-implicit", Rules::only(&[Rule::ImplicitPlaces])),
    ]
    .map(|(name, rules)| facade_reduced(name, explicit(), rules));
    let campaign = Campaign::from_env(250).about(Case::shadowed);
    campaign.replayed_by(REPLAY).pass(&subjects);
}

#[test]
fn agglomerated_nets_agree_with_the_oracle() {
    let subjects = [
        ("all", explicit(), Rules::all()),
        ("post", explicit(), Rules::only(&[Rule::PostAgglomeration])),
        ("pre", explicit(), Rules::only(&[Rule::PreAgglomeration])),
        ("auto", auto(), Rules::all()),
    ]
    .map(|(name, engine, rules)| facade_reduced(name, engine, rules));
    let campaign = Campaign::from_env(150).about(Case::stretched);
    campaign.replayed_by(REPLAY).pass(&subjects);
}

/// Nets with inhibitor, reset and read arcs, which no rule reduces.
#[test]
fn nets_with_conditions_agree_with_the_oracle() {
    let subjects = [
        facade_reduced("explicit", explicit(), Rules::all()),
        facade_reduced("auto", auto(), Rules::all()),
        facade_reduced("slap-fst", Plan::of("slap-fst").into(), Rules::all()),
        facade_reduced("hyb", Plan::of("hyb").into(), Rules::all()),
    ];
    let campaign = Campaign::from_env(150).about(Case::guarded);
    campaign.replayed_by(REPLAY).pass(&subjects);
}
