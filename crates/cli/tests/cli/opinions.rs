//! Cross-checks and vacuity.

use crate::kit::{EXCLUSION, Folder, GROWING, MUTEX, lariat};

#[test]
fn cross_checks_run_a_second_engine() {
    for (engine, second) in [
        ("auto", "slap-fst"),
        ("explicit", "slap-fst"),
        ("walk", "slap-fst"),
        ("slap", "explicit"),
        ("hyb", "explicit"),
    ] {
        let args = format!("check {MUTEX} -f 'G !critical_1' --engine {engine} --cross-check");
        let agreement = format!("cross-check: {second} agrees");
        lariat(&args).exits(1).prints(&agreement);
        let ran = lariat(format!("{args} --json")).exits(1);
        let opinion = &ran.answer()["cross_check"];
        assert_eq!(opinion["engine"], second, "{engine}");
        assert_eq!(opinion["verdict"], "violated", "{engine}");
        assert_eq!(opinion["agrees"], true, "{engine}");
    }
    let args = format!("check {MUTEX} -f '{EXCLUSION}'");
    let ran = lariat(format!("{args} --cross-check --json")).exits(0);
    assert_eq!(ran.answer()["cross_check"]["verdict"], "holds");
    assert!(lariat(format!("{args} --json")).answer()["cross_check"].is_null());
}

#[test]
fn undecided_cross_checks_are_reported() {
    let folder = Folder::new();
    let grows = folder.file("grows.pnml", GROWING);
    // The net is unbounded: the engine on sets cannot decide the property.
    lariat(format!(
        "check {grows} -f 'G F !p' --cross-check --timeout 1s"
    ))
    .exits(1)
    .prints("not cross-checked: slap-fst: ");
}

#[test]
fn vacuous_properties_are_reported() {
    let never = "note: vacuous: `(critical_1 & critical_2)` never happens";
    let formula = "G ((critical_1 & critical_2) -> F idle_1)";
    for engine in ["auto", "explicit", "slap-fst", "hyb"] {
        let args = format!("check {MUTEX} -f '{formula}' --engine {engine}");
        lariat(&args).succeeds(never);
        let ran = lariat(format!("{args} --json")).exits(0);
        let parts = &ran.answer()["vacuity"];
        assert_eq!(parts[0]["never"], "(critical_1 & critical_2)", "{engine}");
        assert_eq!(parts[0]["may_be"], false, "{engine}");
        let quiet = lariat(format!("{args} --no-vacuity")).exits(0);
        assert!(!quiet.out.contains("vacuous"), "{}", quiet.out);
    }
    // A disjunct that does not matter.
    let formula = "G (!(critical_1 & critical_2) | X X idle_1)";
    let args = format!("check {MUTEX} -f '{formula}'");
    lariat(&args)
        .succeeds("vacuous: the property also holds with `false` in place of `X(X(idle_1))`");
    // A property that is not vacuous.
    let args = format!("check {MUTEX} -f '{EXCLUSION}' --json");
    let ran = lariat(&args).exits(0);
    assert!(ran.answer()["vacuity"].is_null(), "{}", ran.out);
}
