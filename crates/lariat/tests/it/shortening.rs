//! Counterexamples are short for every engine, and end where a safety property is violated.

use crate::asking::{by, check, philosophers};
use lariat::internals::{Budget, CheckOptions, Decision, EarnedVerdict, Preset, Shortening};

fn checked(preset: &Preset, formula: &str, shortening: Shortening) -> Decision {
    let options = CheckOptions {
        shortening,
        ..by(preset.plan())
    };
    check(&philosophers(4), formula, &options, &Budget::unlimited())
}

fn length(report: &Decision) -> usize {
    let EarnedVerdict::Violated(replayed) = &report.verdict else {
        panic!("{}: {:?}", report.engine.name(), report.verdict);
    };
    let lasso = replayed.lasso();
    lasso.prefix.len() + lasso.cycle.len()
}

#[test]
fn all_engines_show_a_run_of_the_same_length() {
    for formula in [
        "F deadlock",
        r#"G !("HasLeft_1 = 1" & "HasRight_3 = 1")"#,
        r#"G ("WaitsLeft_1 = 1" -> F "HasLeft_1 = 1")"#,
        r#"!(G F "HasLeft_1 = 1" & G F "HasLeft_3 = 1")"#,
    ] {
        let lengths = |shortening| -> Vec<usize> {
            let presets = Preset::ALL.iter();
            presets
                .map(|preset| length(&checked(preset, formula, shortening)))
                .collect()
        };
        let (short, found) = (lengths(Shortening::Counted), lengths(Shortening::Never));
        let are_short = short.iter().all(|length| *length == short[0])
            && found.iter().all(|length| *length >= short[0]);
        assert!(are_short, "{formula}: {short:?}, found {found:?}");
        assert_eq!(lengths(Shortening::Insist), short, "{formula}");
    }
}

#[test]
fn the_bad_position_is_the_first_without_a_satisfying_continuation() {
    let explicit = Preset::named("explicit").unwrap();
    let bad = |formula| checked(&explicit, formula, Shortening::Counted).bad;
    assert_eq!(bad("deadlock"), Some(0));
    assert_eq!(bad("X X deadlock"), Some(2));
    // After two steps the first philosopher has a left fork.
    assert_eq!(bad(r#"G "HasLeft_1 = 0""#), Some(2));
    assert_eq!(bad("F deadlock"), None);
}
