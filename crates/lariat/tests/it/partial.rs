//! Atoms without a value: a verdict that depends on one is withdrawn.

use crate::asking::{by, check_anew, one_property};
use lariat::internals::{Budget, EarnedVerdict, Plan, PropertyForm, Reason, Subject};

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
    let properties = one_property(&model.names(), formula);
    let subject = Subject::new(&model, &properties);
    let property = PropertyForm::Formula(properties.list[0].formula);
    check_anew(&subject, property, &by(plan), &Budget::bytes(1 << 30)).verdict
}

#[test]
fn verdicts_need_values_of_all_atoms() {
    for plan in ["explicit", "tgta", "slap", "hyb"].map(Plan::of) {
        for (formula, missing) in [
            // The element is missing only if `i` is 3; without the check the formula would hold.
            ("G !\"flag[i] >= 1\"", "has no value after 3 steps"),
            // The violating run also visits the missing element.
            ("F \"flag[i] >= 1\"", "has no value"),
        ] {
            match verdict(formula, plan) {
                EarnedVerdict::Unknown(Reason::Inconclusive(why)) => {
                    assert!(why.contains(missing), "{why}");
                }
                other => panic!("{}: {other:?}", plan.id.name()),
            }
        }
        let guarded = verdict("G !(\"i < 3 && flag[i] >= 1\")", plan);
        let holds = matches!(guarded, EarnedVerdict::Holds(_));
        assert!(holds, "{}", plan.id.name());
    }
}
