//! Fifty and a hundred philosophers have 10^31 and 10^62 states: what no list of states can hold, the
//! engines on sets decide, holding properties included.

use crate::asking::{about_philosophers, first_question};
use lariat::{Budget, Explored, Options, Plan, Quiet, Systems, Verdict, check};

fn holds(engine: &str, philosophers: u32, formula: &str) -> bool {
    let (system, properties) = about_philosophers(philosophers, formula);
    let (subject, property) = first_question(&system, &properties);
    let report = check(
        &subject,
        property,
        &Options {
            choice: Plan::of(engine).into(),
            ..Options::default()
        },
        &mut Explored::new(&Systems::new()),
        &Budget::unlimited(),
        &Quiet,
    );
    match report.verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("{reason}: {:?}", report.account),
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
