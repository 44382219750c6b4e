//! Nets on which rules of reduction find something, or almost.

use lariat::{Choice, Options, Plan, Reduce, Rule, Rules};
use lariat_budget::Budget;
use lariat_differential::subjects;
use lariat_model::passes::{Support, no_advice, reduce};
use lariat_testkit::{Campaign, Case, Subject};

const REPLAY: &str = "cargo test -p lariat-differential --test it reducible";

/// Rules that random nets hardly ever give anything to do.
const RARE: [Rule; 3] = [Rule::EqualFuture, Rule::TokenRings, Rule::PrefixOfInterest];

/// Engines after all rules, and the explicit one after each of the rare rules alone.
fn after_reductions() -> Vec<Subject> {
    let subject = |name: String, plan: &str, rules| {
        let options = Options {
            choice: Choice::from(Plan::of(plan)),
            reduce: Reduce::Only(rules),
            ..Options::default()
        };
        subjects::facade_with(&name, options)
    };
    let alone = |rule: Rule| subject(rule.name().to_owned(), "explicit", Rules::only(&[rule]));
    let mut subjects: Vec<Subject> = RARE.map(alone).into();
    for plan in ["explicit", "slap"] {
        subjects.push(subject(format!("all-{plan}"), plan, Rules::all()));
    }
    let rare = Rules::only(&RARE);
    subjects.push(subject("rare".to_owned(), "explicit", rare));
    subjects
}

/// Does the rule by itself find something?
fn finds(case: &Case, rule: Rule) -> bool {
    let mut seen = case.propositions();
    let constraints = case.fairness.iter().flat_map(|c| c.propositions());
    seen.extend(constraints);
    let support = Support::of(&case.system, &seen, !case.formula.uses_next());
    let rules = Rules::only(&[rule]);
    let budget = Budget::unlimited();
    reduce(&case.system, &support, rules, &mut no_advice, &budget).is_some()
}

#[test]
fn nets_on_which_rules_find_something_are_answered_as_the_oracle_does() {
    let campaign = Campaign::from_env(120)
        .about(Case::reducible)
        .replayed_by(REPLAY);
    match campaign.run(&after_reductions(), |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
    // Each rule finds something in one of ten nets at least.
    for rule in RARE {
        let found = |seed: &u64| finds(&Case::reducible(*seed), rule);
        let found = campaign.seeds().filter(found).count() as u64;
        println!("{}: {found} of {}", rule.name(), campaign.cases);
        assert!(found >= campaign.cases / 10, "{}: {found}", rule.name());
    }
}
