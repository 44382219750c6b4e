//! Second opinions: who is asked, and what becomes of answers that contradict each other.

use crate::asking::first_question;
use lariat::model::generate::{Family, generate};
use lariat::model::{Names, Properties};
use lariat::{
    Agreement, Budget, Choice, Explored, Options, Plan, Preset, Quiet, Reason, Report, Systems,
    Verdict, agreement, check, reconciled, unrelated,
};
use lariat_engines::Outcome;

fn checked(options: &Options) -> Report {
    let system = generate(Family::Philosophers, 2).unwrap();
    let mut properties = Properties::new();
    let names = Names::of(&system);
    let added = properties.add_formula(&names, "test", None, "G !deadlock");
    added.unwrap();
    let (subject, property) = first_question(&system, &properties);
    check(
        &subject,
        property,
        options,
        &mut Explored::new(&Systems::new()),
        &Budget::unlimited(),
        &Quiet,
    )
}

#[test]
fn the_second_engine_has_little_in_common_with_the_first() {
    for preset in Preset::ALL {
        let options = Options {
            choice: preset.plan().into(),
            ..Options::default()
        };
        let first = checked(&options);
        let other = unrelated(&first, &options);
        let Choice::Plan(plan) = &other.choice else {
            panic!("no single engine");
        };
        let single = preset.plan().has_single_states();
        assert_ne!(plan.has_single_states(), single, "{}", preset.name);
        let second = checked(&other);
        let agreement = agreement(&first.verdict, &second.verdict);
        assert_eq!(agreement, Agreement::Same, "{}", preset.name);
    }
}

#[test]
fn answers_that_contradict_each_other_are_taken_back() {
    let options = Options {
        choice: Plan::of("explicit").into(),
        ..Options::default()
    };
    let first = checked(&options);
    // An engine that is wrong.
    let second = Report {
        verdict: Verdict::earn(Ok(Outcome::Empty), Ok),
        engine: "slap-fst",
        ..first.clone()
    };
    for (one, other) in [(&first, &second), (&second, &first)] {
        let (report, agreement) = reconciled(one.clone(), other);
        assert_eq!(agreement, Agreement::Different);
        let Verdict::Unknown(Reason::Internal(what)) = report.verdict else {
            panic!("{:?}", report.verdict);
        };
        assert!(what.contains("explicit says violated"), "{what}");
        assert!(what.contains("slap-fst says holds"), "{what}");
    }
    let unknown = Report {
        verdict: Verdict::Unknown(Reason::Inconclusive("nobody asked".to_owned())),
        ..first.clone()
    };
    let (report, agreement) = reconciled(first.clone(), &unknown);
    assert_eq!(agreement, Agreement::Open);
    assert_eq!(report.verdict, first.verdict);
}
