//! Counterexamples in text and JSON.

use crate::kit::{EXCLUSION, Folder, GROWING, MUTEX, STARVATION, every_engine, lariat};
use serde_json::Value as Json;

#[test]
fn the_position_that_violates_a_safety_property_is_marked() {
    let args = format!("check {MUTEX} -f 'G !critical_1' --shortest");
    let ran = lariat(&args).exits(1);
    ran.prints("✗").prints("→ any continuation");
    let answer = &lariat(format!("{args} --json")).exits(1).answer();
    let run = &answer["counterexample"];
    let bad = run["bad"].as_u64().unwrap() as usize;
    let steps = [&run["prefix"], &run["loop"]].map(|steps| steps.as_array().unwrap().clone());
    let state = &steps.concat()[bad - 1]["marking"];
    assert_eq!(state["critical_1"], 1, "{run}");
}

#[test]
fn a_stutter_step_fires_null() {
    let ran = lariat("check examples/philosophers.pnml -f 'F G !deadlock' --json").exits(1);
    let cycle = &ran.answer()["counterexample"]["loop"];
    assert_eq!(cycle.as_array().unwrap().len(), 1);
    assert_eq!(cycle[0]["fire"], Json::Null);
}

#[test]
fn events_are_echoed_as_events() {
    lariat(format!("check {MUTEX} -f 'G (enter_1 -> X critical_1)'"))
        .succeeds("G(fires(enter_1) -> X(critical_1))");
}

#[test]
fn traces_are_written_to_a_file() {
    let folder = Folder::new();
    let path = folder.file("trace.json", "old");
    let args = format!("check {MUTEX} -f '{EXCLUSION}' -f '{STARVATION}' -q --trace {path}");
    lariat(&args).exits(1);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1);
    let trace: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(trace["property"], "2");
    assert_eq!(trace["counterexample"]["replayed"], true);
    let nowhere = format!("{}/no/such/folder/trace", folder.path());
    lariat(format!("check {MUTEX} -f '{EXCLUSION}' --trace {nowhere}")).refuses("cannot write");
}

/// In an unbounded net a run may repeat rounds that add tokens.
#[test]
fn covering_runs_show_their_growth() {
    let folder = Folder::new();
    let grows = folder.file("grows.pnml", GROWING);
    let check = format!("check {grows} -f 'F G !p' --engine walk");
    let ran = lariat(&check).exits(1);
    ran.prints("rounds of 1 step that can be repeated indefinitely")
        .prints("each round adds +1 p");
    let answers = lariat(format!("{check} --json")).json();
    let run = &answers[0]["counterexample"];
    assert_eq!(run["kind"], "covering");
    assert_eq!(run["growth"], serde_json::json!({"p": 1}));
    // Growth beyond a bound is no evidence for a violation here.
    let check = format!("check {grows} -f 'F \"p >= 70\"' --engine walk --timeout 1s");
    lariat(&check).exits(3);
}

/// A prefix after which every continuation violates the property is evidence; the net has no loops.
#[test]
fn prefixes_are_evidence() {
    let folder = Folder::new();
    let grows = folder.file("grows.pnml", GROWING);
    let formula = "G !(\"p >= 3\" & \"p <= 9\")";
    for engine in every_engine() {
        let check = format!("check {grows} -f '{formula}' --engine {engine}");
        let ran = lariat(&check).exits(1);
        let ran = ran.prints("counterexample: 3 steps, after which every continuation violates the property (replayed)");
        ran.prints("✗  3  a b  +p").prints("→ any continuation");
        let answers = lariat(format!("{check} --json")).json();
        let run = &answers[0]["counterexample"];
        assert_eq!(run["kind"], "prefix", "{engine}");
        assert_eq!(run["bad"], 3, "{engine}");
        assert_eq!(run["loop"], serde_json::json!([]), "{engine}");
        assert_eq!(run["prefix"].as_array().unwrap().len(), 3, "{engine}");
    }
    folder.file("model.pnml", GROWING);
    folder.file(
        "LTLCardinality.xml",
        "<property-set><property><id>P-00</id><description>d</description><formula><all-paths><globally><integer-le><tokens-count><place>p</place></tokens-count><integer-constant>2</integer-constant></integer-le></globally></all-paths></formula></property></property-set>",
    );
    let args = format!("mcc {} --examination LTLCardinality", folder.path());
    assert_eq!(
        lariat(args).exits(0).out,
        "FORMULA P-00 FALSE TECHNIQUES EXPLICIT\n"
    );
    // If only infinite runs count, the counterexample is infinite.
    let check = format!("check {grows} -f '{formula}' --deadlock ignore");
    lariat(&check).exits(1).prints("each round adds +1 p");
    // Growth of an unrelated place.
    let beside = folder.file(
        "beside.pnml",
        GROWING.replace(
            "</page>",
            "<place id=\"q\"><initialMarking><text>1</text></initialMarking></place><place id=\"r\"/><transition id=\"u\"/><arc id=\"b\" source=\"q\" target=\"u\"/><arc id=\"c\" source=\"u\" target=\"r\"/></page>",
        ),
    );
    let check = format!("check {beside} -f 'G !r' --deadlock ignore");
    lariat(&check)
        .exits(1)
        .prints("counterexample: 1 step, then rounds of 1 step that can be repeated");
    // The prefix without steps.
    let check = format!("check {grows} -f p");
    lariat(&check)
        .exits(1)
        .prints("counterexample: the initial state, after which every continuation violates");
}
