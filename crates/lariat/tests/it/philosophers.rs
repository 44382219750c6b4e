//! Engines on sets decide properties of systems with more states than can be listed.

use crate::asking::{about_philosophers, first_question};
use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, Plan, RunContext, SpaceCache, Systems, check_subject,
};

fn holds(engine: &str, philosophers: u32, formula: &str) -> bool {
    let (system, properties) = about_philosophers(philosophers, formula);
    let (subject, property) = first_question(&system, &properties);
    let report = check_subject(
        &subject,
        property,
        &CheckOptions {
            engine: Plan::of(engine).into(),
            ..CheckOptions::default()
        },
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited()),
    );
    match report.verdict {
        EarnedVerdict::Holds(_) => true,
        EarnedVerdict::Violated(_) => false,
        EarnedVerdict::Unknown(reason) => panic!("{reason}: {:?}", report.account),
    }
}

#[test]
fn many_philosophers() {
    let cases = [
        (r#"G !("HasLeft_2 = 1" & "HasRight_1 = 1")"#, true),
        ("F deadlock", false),
        (r#"G ("WaitsLeft_1 = 1" -> F "HasLeft_1 = 1")"#, false),
        (r#"G ("HasLeft_1 = 1" -> "Fork_1 = 0")"#, true),
    ];
    for (formula, expected) in cases {
        for (philosophers, engine) in [(50, "slap"), (50, "el"), (50, "owcty"), (100, "slap-fst")] {
            let found = holds(engine, philosophers, formula);
            assert_eq!(found, expected, "{engine}: {formula} of {philosophers}");
        }
    }
}
