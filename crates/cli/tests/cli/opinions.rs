//! What is asked about answers: second opinions, and properties that hold for no good reason.

use crate::kit::{Folder, MUTEX, lariat};

#[test]
fn a_second_engine_is_asked() {
    for (engine, second) in [
        ("auto", "slap-fst"),
        ("explicit", "slap-fst"),
        ("walk", "slap-fst"),
        ("slap", "explicit"),
        ("hyb", "explicit"),
    ] {
        let args = ["check", MUTEX, "-f", "G !critical_1", "--engine", engine];
        let args = [&args[..], &["--cross-check"]].concat();
        let says = format!("cross-check: {second} agrees");
        lariat(&args).exits(1).says(&says);
        let ran = lariat(&[&args[..], &["--json"]].concat()).exits(1);
        let opinion = &ran.json()[0]["cross_check"];
        assert_eq!(opinion["engine"], second, "{engine}");
        assert_eq!(opinion["verdict"], "violated", "{engine}");
        assert_eq!(opinion["agrees"], true, "{engine}");
    }
    let args = ["check", MUTEX, "-f", "G !(critical_1 & critical_2)"];
    let ran = lariat(&[&args[..], &["--cross-check", "--json"]].concat()).exits(0);
    assert_eq!(ran.json()[0]["cross_check"]["verdict"], "holds");
    assert!(lariat(&[&args[..], &["--json"]].concat()).json()[0]["cross_check"].is_null());
}

#[test]
fn a_second_engine_that_does_not_know_says_so() {
    let folder = Folder::new();
    let grows = folder.file(
        "grows.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/></page></net></pnml>",
    );
    // Tokens pile up for ever, which no set of states shows.
    let args = ["check", &grows, "-f", "G F !p", "--cross-check"];
    lariat(&[&args[..], &["--timeout", "1s"]].concat())
        .exits(1)
        .says("not cross-checked: slap-fst: ");
}

#[test]
fn properties_that_hold_for_no_good_reason_are_told() {
    let never = "note: vacuous: `(critical_1 & critical_2)` never happens";
    let formula = "G ((critical_1 & critical_2) -> F idle_1)";
    for engine in ["auto", "explicit", "slap-fst", "hyb"] {
        let args = ["check", MUTEX, "-f", formula, "--engine", engine];
        lariat(&args).exits(0).says(never);
        let ran = lariat(&[&args[..], &["--json"]].concat()).exits(0);
        let parts = &ran.json()[0]["vacuity"];
        assert_eq!(parts[0]["never"], "(critical_1 & critical_2)", "{engine}");
        assert_eq!(parts[0]["may_be"], false, "{engine}");
        let quiet = lariat(&[&args[..], &["--no-vacuity"]].concat()).exits(0);
        assert!(!quiet.out.contains("vacuous"), "{}", quiet.out);
    }
    // A disjunct that is not needed.
    let formula = "G (!(critical_1 & critical_2) | X X idle_1)";
    let args = ["check", MUTEX, "-f", formula];
    lariat(&args)
        .exits(0)
        .says("vacuous: the property also holds with `false` in place of `X(X(idle_1))`");
    // Everything matters here.
    let args = [
        "check",
        MUTEX,
        "-f",
        "G !(critical_1 & critical_2)",
        "--json",
    ];
    let ran = lariat(&args).exits(0);
    assert!(ran.json()[0]["vacuity"].is_null(), "{}", ran.out);
}
