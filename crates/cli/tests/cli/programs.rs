//! What is told of programs: assertions that fail, values that wrap around, errors in traces.

use crate::kit::{Folder, lariat};

const COUNTER: &str = "byte x = 250;
process P { state a; init a; assert a: x < 253; trans a -> a { effect x = x + 1; }; }
system async;";

#[test]
fn assertions_and_overflow() {
    let folder = Folder::new();
    let model = folder.file("counter.dve", COUNTER);
    let warning = "`x` is assigned a value beyond its range";
    for engine in ["explicit", "symbolic"] {
        lariat(&["states", &model, "--engine", engine])
            .exits(0)
            .says("assertion P.a fails in 3 states")
            .complains(warning);
        let ran = lariat(&["states", &model, "--engine", engine, "--json"]).exits(0);
        let answer = ran.json().remove(0);
        assert_eq!(answer["states"], "256");
        assert_eq!(answer["overflow"], "x");
        assert_eq!(answer["failed_assertions"]["P.a"], "3");
    }
    for engine in ["explicit", "slap", "hyb"] {
        let ran = lariat(&["check", &model, "-f", "F \"x == 3\"", "--engine", engine]);
        ran.exits(0).complains(warning);
    }
    let ran = lariat(&["check", &model, "-f", "G \"x >= 250\"", "--json"]);
    let ran = ran.exits(1).complains("assertion P.a fails");
    let mistakes = &ran.json()[0]["mistakes"];
    assert_eq!(mistakes["failed_assertions"], serde_json::json!(["P.a"]));
    assert_eq!(mistakes["overflow"], "x");
    assert_eq!(mistakes["error_state"], serde_json::Value::Null);
    assert_eq!(ran.err.matches(warning).count(), 1, "{}", ran.err);
    lariat(&["info", &model]).exits(0).says("P.a");
}

#[test]
fn an_error_is_a_state_of_the_trace() {
    let folder = Folder::new();
    let text = "byte a[2]; byte i;
process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; }
system async;";
    let model = folder.file("index.dve", text);
    for engine in ["explicit", "slap-fst"] {
        // The atom is what the trace calls it.
        let args = ["check", &model, "-f", "G !fault", "--engine", engine];
        let told = lariat(&args).exits(1);
        let told = told.says("fault (an index is out of range)");
        told.complains("the program can go wrong");
        let ran = lariat(&[&args[..], &["--json"]].concat()).exits(1);
        let answer = ran.json().remove(0);
        assert_eq!(answer["mistakes"]["error_state"], "fault");
        let trace = &answer["counterexample"];
        assert_eq!(trace["initial"]["fault"], "no");
        assert_eq!(trace["prefix"][2]["marking"]["fault"], "yes");
        // Nothing happens there any more.
        let args = ["check", &model, "-f", "F G !fault", "--engine", engine];
        lariat(&args).exits(1).says("→ nothing: error");
    }
    // Names of the model's own come first.
    let text = text.replace("byte i;", "byte i; byte fault;");
    let model = folder.file("named.dve", text);
    lariat(&["check", &model, "-f", "G !fault"]).exits(0);
    lariat(&["check", &model, "-f", "G !fault_"]).exits(1);
}
