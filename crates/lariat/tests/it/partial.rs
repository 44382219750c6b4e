//! Atoms without a value: a verdict that depends on one is withdrawn.

use lariat::internals::ir::PropertyList;
use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, Plan, PropertyForm, Reason, RunContext, SpaceCache,
    Subject, Systems, check_subject,
};

/// `i` runs from 0 to 3 and around, over an array of three.
const PROGRAM: &str = "
byte flag[3];
byte i;
process P {
  state s;
  init s;
  trans s -> s { guard i < 3; effect i = i + 1; },
        s -> s { guard i == 3; effect i = 0; };
}
system async;
";

fn verdict(formula: &str, plan: Plan) -> EarnedVerdict {
    let model = lariat::internals::formats::read("flags.dve", PROGRAM.as_bytes()).expect("a model");
    let mut properties = PropertyList::new();
    properties
        .add_formula(&model.names(), "formula", None, formula)
        .expect("a formula");
    let subject = Subject::new(&model, &properties);
    check_subject(
        &subject,
        PropertyForm::Formula(properties.list[0].formula),
        &CheckOptions {
            engine: plan.into(),
            ..CheckOptions::default()
        },
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::bytes(1 << 30)),
    )
    .verdict
}

#[test]
fn verdicts_need_values_of_all_atoms() {
    for plan in ["explicit", "tgta", "slap", "hyb"].map(Plan::of) {
        // The element is missing only if `i` is 3; without the check the formula would hold.
        match verdict("G !\"flag[i] >= 1\"", plan) {
            EarnedVerdict::Unknown(Reason::Inconclusive(why)) => {
                assert!(why.contains("has no value after 3 steps"), "{why}");
            }
            other => panic!("{}: {other:?}", plan.id.name()),
        }
        // The violating run also visits the missing element.
        match verdict("F \"flag[i] >= 1\"", plan) {
            EarnedVerdict::Unknown(Reason::Inconclusive(why)) => {
                assert!(why.contains("has no value"), "{why}");
            }
            other => panic!("{}: {other:?}", plan.id.name()),
        }
        let guarded = verdict("G !(\"i < 3 && flag[i] >= 1\")", plan);
        assert!(
            matches!(guarded, EarnedVerdict::Holds(_)),
            "{}",
            plan.id.name()
        );
    }
}
