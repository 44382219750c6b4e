//! Counterexamples in text and JSON.

use crate::kit::{EXCLUSION, Folder, MUTEX, STARVATION, every_engine, lariat};
use serde_json::Value as Json;

#[test]
fn the_position_that_violates_a_safety_property_is_marked() {
    let args = ["check", MUTEX, "-f", "G !critical_1", "--shortest"];
    let ran = lariat(&args).exits(1);
    ran.prints("✗").prints("→ any continuation");
    let answer = &lariat(&[&args[..], &["--json"]].concat()).exits(1).json()[0];
    let run = &answer["counterexample"];
    let bad = run["bad"].as_u64().unwrap() as usize;
    let steps = [&run["prefix"], &run["loop"]].map(|steps| steps.as_array().unwrap().clone());
    let state = &steps.concat()[bad - 1]["marking"];
    assert_eq!(state["critical_1"], 1, "{run}");
}

#[test]
fn a_stutter_step_fires_null() {
    let model = "examples/philosophers.pnml";
    let ran = lariat(&["check", model, "-f", "F G !deadlock", "--json"]).exits(1);
    let cycle = &ran.json()[0]["counterexample"]["loop"];
    assert_eq!(cycle.as_array().unwrap().len(), 1);
    assert_eq!(cycle[0]["fire"], Json::Null);
}

#[test]
fn events_are_echoed_as_events() {
    lariat(&["check", MUTEX, "-f", "G (enter_1 -> X critical_1)"])
        .exits(0)
        .prints("G(fires(enter_1) -> X(critical_1))");
}

#[test]
fn traces_are_written_to_a_file() {
    let folder = Folder::new();
    let path = folder.file("trace.json", "old");
    let args = [
        "check", MUTEX, "-f", EXCLUSION, "-f", STARVATION, "-q", "--trace", &path,
    ];
    lariat(&args).exits(1);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1);
    let trace: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(trace["property"], "2");
    assert_eq!(trace["counterexample"]["replayed"], true);
    let nowhere = format!("{}/no/such/folder/trace", folder.path());
    lariat(&["check", MUTEX, "-f", EXCLUSION, "--trace", &nowhere])
        .exits(2)
        .reports("cannot write");
}

/// In an unbounded net a run may repeat rounds that add tokens.
#[test]
fn covering_runs_show_their_growth() {
    let folder = Folder::new();
    let grows = folder.file(
        "grows.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/></page></net></pnml>",
    );
    let check = ["check", &grows, "-f", "F G !p", "--engine", "walk"];
    let ran = lariat(&check).exits(1);
    assert!(
        ran.out
            .contains("rounds of 1 step that can be repeated indefinitely"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("each round adds +1 p"), "{}", ran.out);
    let answers = lariat(&[&check[..], &["--json"]].concat()).json();
    let run = &answers[0]["counterexample"];
    assert_eq!(run["kind"], "covering");
    assert_eq!(run["growth"], serde_json::json!({"p": 1}));
    // Growth beyond a bound is no evidence for a violation here.
    let check = [
        "check",
        &grows,
        "-f",
        "F \"p >= 70\"",
        "--engine",
        "walk",
        "--timeout",
        "1s",
    ];
    lariat(&check).exits(3);
}

/// A prefix after which every continuation violates the property is evidence; the net has no loops.
#[test]
fn prefixes_are_evidence() {
    let folder = Folder::new();
    let grows = folder.file(
        "grows.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/></page></net></pnml>",
    );
    let formula = "G !(\"p >= 3\" & \"p <= 9\")";
    for engine in every_engine() {
        let engine = engine.as_str();
        let check = ["check", &grows, "-f", formula, "--engine", engine];
        let ran = lariat(&check).exits(1);
        let ran = ran.prints("counterexample: 3 steps, after which every continuation violates the property (replayed)");
        ran.prints("✗  3  a b  +p").prints("→ any continuation");
        let answers = lariat(&[&check[..], &["--json"]].concat()).json();
        let run = &answers[0]["counterexample"];
        assert_eq!(run["kind"], "prefix", "{engine}");
        assert_eq!(run["bad"], 3, "{engine}");
        assert_eq!(run["loop"], serde_json::json!([]), "{engine}");
        assert_eq!(run["prefix"].as_array().unwrap().len(), 3, "{engine}");
    }
    folder.file("model.pnml", std::fs::read(&grows).unwrap());
    folder.file(
        "LTLCardinality.xml",
        "<property-set><property><id>P-00</id><description>d</description><formula><all-paths><globally><integer-le><tokens-count><place>p</place></tokens-count><integer-constant>2</integer-constant></integer-le></globally></all-paths></formula></property></property-set>",
    );
    let ran = lariat(&["mcc", &folder.path(), "--examination", "LTLCardinality"]).exits(0);
    assert_eq!(ran.out, "FORMULA P-00 FALSE TECHNIQUES EXPLICIT\n");
    // If only infinite runs count, the counterexample is infinite.
    let check = ["check", &grows, "-f", formula, "--deadlock", "ignore"];
    lariat(&check).exits(1).prints("each round adds +1 p");
    // Growth of an unrelated place.
    let beside = folder.file(
        "beside.pnml",
        std::fs::read_to_string(&grows).unwrap().replace(
            "</page>",
            "<place id=\"q\"><initialMarking><text>1</text></initialMarking></place><place id=\"r\"/><transition id=\"u\"/><arc id=\"b\" source=\"q\" target=\"u\"/><arc id=\"c\" source=\"u\" target=\"r\"/></page>",
        ),
    );
    let check = ["check", &beside, "-f", "G !r", "--deadlock", "ignore"];
    lariat(&check)
        .exits(1)
        .prints("counterexample: 1 step, then rounds of 1 step that can be repeated");
    // The prefix without steps.
    let check = ["check", &grows, "-f", "p"];
    lariat(&check)
        .exits(1)
        .prints("counterexample: the initial state, after which every continuation violates");
}
