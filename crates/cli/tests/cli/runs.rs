//! What is told about counterexamples, in text and in JSON.

use crate::kit::{EXCLUSION, Folder, MUTEX, STARVATION, every_engine, lariat};
use serde_json::Value as Json;

#[test]
fn the_position_that_violates_a_safety_property_is_marked() {
    let args = ["check", MUTEX, "-f", "G !critical_1", "--shortest"];
    let ran = lariat(&args).exits(1);
    ran.says("✗").says("→ any continuation");
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
        .says("G(fires(enter_1) -> X(critical_1))");
}

#[test]
fn traces_are_kept_in_a_file() {
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
        .complains("cannot write");
}

/// Where a net grows for ever no state comes back: the run is told with what each of its rounds adds.
#[test]
fn covering_runs_are_told() {
    let folder = Folder::new();
    let grows = folder.file(
        "grows.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/></page></net></pnml>",
    );
    let check = ["check", &grows, "-f", "F G !p", "--engine", "walk"];
    let told = lariat(&check).exits(1);
    assert!(
        told.out
            .contains("rounds of 1 step that can be repeated indefinitely"),
        "{}",
        told.out
    );
    assert!(told.out.contains("each round adds +1 p"), "{}", told.out);
    let answers = lariat(&[&check[..], &["--json"]].concat()).json();
    let run = &answers[0]["counterexample"];
    assert_eq!(run["kind"], "covering");
    assert_eq!(run["growth"], serde_json::json!({"p": 1}));
    // What grows is no reason to say more than is known.
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

/// What is violated whatever follows needs no loop, and a net that never comes back has none.
#[test]
fn prefixes_are_told() {
    let folder = Folder::new();
    let grows = folder.file(
        "grows.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\"><place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"t\" target=\"p\"/></page></net></pnml>",
    );
    let formula = "G !(\"p >= 3\" & \"p <= 9\")";
    for engine in every_engine() {
        let engine = engine.as_str();
        let check = ["check", &grows, "-f", formula, "--engine", engine];
        let told = lariat(&check).exits(1);
        let told = told.says("counterexample: 3 steps, after which every continuation violates the property (replayed)");
        told.says("✗  3  a b  +p").says("→ any continuation");
        let answers = lariat(&[&check[..], &["--json"]].concat()).json();
        let run = &answers[0]["counterexample"];
        assert_eq!(run["kind"], "prefix", "{engine}");
        assert_eq!(run["bad"], 3, "{engine}");
        assert_eq!(run["loop"], serde_json::json!([]), "{engine}");
        assert_eq!(run["prefix"].as_array().unwrap().len(), 3, "{engine}");
    }
    // Contest mode.
    folder.file("model.pnml", std::fs::read(&grows).unwrap());
    folder.file(
        "LTLCardinality.xml",
        "<property-set><property><id>P-00</id><description>d</description><formula><all-paths><globally><integer-le><tokens-count><place>p</place></tokens-count><integer-constant>2</integer-constant></integer-le></globally></all-paths></formula></property></property-set>",
    );
    let ran = lariat(&["mcc", &folder.path(), "--examination", "LTLCardinality"]).exits(0);
    assert_eq!(ran.out, "FORMULA P-00 FALSE TECHNIQUES EXPLICIT\n");
    // A continuation has to be shown where finite runs do not count.
    let check = ["check", &grows, "-f", formula, "--deadlock", "ignore"];
    lariat(&check).exits(1).says("each round adds +1 p");
    // What grows elsewhere has no part in the way there.
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
        .says("counterexample: 1 step, then rounds of 1 step that can be repeated");
    // Nothing but the initial state.
    let check = ["check", &grows, "-f", "p"];
    lariat(&check)
        .exits(1)
        .says("counterexample: the initial state, after which every continuation violates");
}
