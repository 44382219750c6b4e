//! JUnit, SARIF and ITF files, advice on undecided properties, and `check --watch`.

use crate::kit::{
    EXCLUSION, Folder, GROWING, LARGE_HOLDS, MUTEX, STARVATION, command, large_net, lariat,
};
use serde_json::Value as Json;

/// An element of a small XML document.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
}

impl Element {
    #[track_caller]
    fn attribute(&self, name: &str) -> &str {
        let mut found = self.attributes.iter().filter(|(known, _)| known == name);
        let (_, value) = found
            .next()
            .unwrap_or_else(|| panic!("no {name} in {self:?}"));
        assert!(found.next().is_none(), "{name} twice in {self:?}");
        value
    }
}

/// Parses a document of elements, attributes and escaped text; panics if it is not well formed.
fn xml(text: &str) -> Element {
    let rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut rest = rest.expect("a declaration");
    let mut open: Vec<Element> = Vec::new();
    loop {
        let (characters, tag) = rest.split_once('<').expect("a tag");
        for part in characters.split('&').skip(1) {
            let (entity, _) = part.split_once(';').expect("an entity");
            assert!(entity.starts_with('#') || ["amp", "lt", "gt", "quot"].contains(&entity));
        }
        assert!(!characters.contains(|c: char| c.is_control() && c != '\n'));
        let (tag, after) = tag.split_once('>').expect("the end of a tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().expect("an open element");
            assert_eq!(closed.name, name);
            match open.last_mut() {
                Some(outer) => outer.children.push(closed),
                None => {
                    assert_eq!(rest.trim(), "");
                    return closed;
                }
            }
            continue;
        }
        let (name, mut list) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while !list.trim().is_empty() {
            let (name, value) = list.split_once("=\"").expect("an attribute");
            let (value, after) = value.split_once('"').expect("its end");
            attributes.push((name.trim().to_owned(), value.to_owned()));
            list = after;
        }
        open.push(Element {
            name: name.to_owned(),
            attributes,
            children: Vec::new(),
        });
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Json {
    serde_json::from_str(&read(path)).expect("JSON")
}

/// Checks a JUnit file and returns per test case its name and the elements in it.
#[track_caller]
fn junit(path: &str) -> Vec<(String, Vec<String>)> {
    let suites = xml(&read(path));
    assert_eq!(suites.name, "testsuites");
    assert_eq!(suites.children.len(), 1);
    let suite = &suites.children[0];
    assert_eq!(suite.name, "testsuite");
    assert!(!suite.attribute("name").is_empty());
    let mut cases = Vec::new();
    for case in &suite.children {
        assert_eq!(case.name, "testcase");
        assert!(case.attribute("time").parse::<f64>().expect("a time") >= 0.0);
        assert_eq!(case.attribute("classname"), suite.attribute("name"));
        for problem in &case.children {
            assert!(!problem.attribute("message").is_empty());
            assert!(!problem.attribute("type").is_empty());
        }
        let inside = case.children.iter().map(|child| child.name.clone());
        cases.push((case.attribute("name").to_owned(), inside.collect()));
    }
    for (attribute, element) in [("failures", "failure"), ("errors", "error")] {
        let all = cases.iter().flat_map(|(_, inside)| inside);
        let count = all.filter(|name| *name == element).count();
        assert_eq!(suite.attribute(attribute), count.to_string());
        assert_eq!(suites.attribute(attribute), count.to_string());
    }
    assert_eq!(suite.attribute("tests"), cases.len().to_string());
    cases
}

/// Checks the required properties of a SARIF 2.1.0 log and returns rule and level of each result.
#[track_caller]
fn sarif(path: &str) -> Vec<(String, String)> {
    let log = json(path);
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .expect("a schema")
            .contains("sarif-2.1.0")
    );
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "lariat");
    let rules = driver["rules"].as_array().expect("rules");
    for rule in rules {
        assert!(rule["id"].is_string() && rule["shortDescription"]["text"].is_string());
    }
    let location = |location: &Json| {
        let uri = &location["physicalLocation"]["artifactLocation"]["uri"];
        let uri = uri.as_str().expect("a URI");
        assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
    };
    let mut results = Vec::new();
    for result in runs[0]["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["message"]["text"].is_string());
        location(&result["locations"][0]);
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            let steps = &flow["threadFlows"][0]["locations"];
            for step in steps.as_array().expect("locations") {
                location(&step["location"]);
                assert!(step["location"]["message"]["text"].is_string());
            }
        }
        let text = |field: &str| result[field].as_str().expect("a text").to_owned();
        assert!(["error", "warning", "note", "none"].contains(&&*text("level")));
        results.push((text("ruleId"), text("level")));
    }
    results
}

/// Checks a trace in ITF and returns it.
#[track_caller]
fn itf(path: &str) -> Json {
    let trace = json(path);
    assert_eq!(trace["#meta"]["format"], "ITF");
    assert!(trace["#meta"]["format-description"].is_string());
    let vars = trace["vars"].as_array().expect("vars");
    let states = trace["states"].as_array().expect("states");
    assert!(!states.is_empty());
    for (index, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], index);
        assert_eq!(state.as_object().expect("a state").len(), vars.len() + 1);
        for var in vars {
            let value = &state[var.as_str().expect("a name")];
            assert!(value.is_i64() || value.is_string() || value["#bigint"].is_string());
        }
    }
    if let Some(start) = trace.get("loop") {
        assert!((start.as_u64().expect("an index") as usize) < states.len());
    }
    trace
}

#[test]
fn files_for_build_servers() {
    let folder = Folder::new();
    let file = |name: &str| format!("{}/{name}", folder.path());
    let (xml, log) = (file("r.xml"), file("r.sarif"));
    let model = folder.file("a <net> & 'it'.pnml", crate::kit::shipped(MUTEX));
    let formulas = folder.file(
        "formulas.ltl",
        format!("holds: {EXCLUSION}\nstarved: {STARVATION}\nsafe: G !critical_1\n"),
    );
    let line = format!("check MODEL -F {formulas} --junit {xml} --sarif {log} --json --threads 1");
    let args: Vec<&str> = line.split(' ').collect();
    let args = args
        .iter()
        .map(|arg| if *arg == "MODEL" { model.as_str() } else { arg });
    let mut command = command("");
    let ran = crate::kit::ended(command.args(args)).exits(1);
    assert_eq!(ran.json().len(), 3);
    let cases = junit(&xml);
    let problems: Vec<(&str, usize)> = { cases.iter() }
        .map(|(name, inside)| (name.as_str(), inside.len()))
        .collect();
    assert_eq!(problems, [("holds", 0), ("starved", 1), ("safe", 1)]);
    assert_eq!(cases[1].1, ["failure"]);
    assert!(read(&xml).contains("enter_2"));
    let error = |name: &str| (name.to_owned(), "error".to_owned());
    assert_eq!(sarif(&log), [error("starved"), error("safe")]);
    assert!(read(&log).contains("enter_2"));
    // Undecided properties are no success.
    let net = large_net(&folder);
    let check = format!("check {net} -f '{LARGE_HOLDS}' --engine explicit --timeout 1ms");
    lariat(format!("{check} --junit {xml} --sarif {log}")).exits(3);
    assert_eq!(junit(&xml), [("1".to_owned(), vec!["error".to_owned()])]);
    assert_eq!(sarif(&log), [("1".to_owned(), "warning".to_owned())]);
    // Also if the model cannot be read within the limits.
    lariat(format!(
        "check {MUTEX} -f true -f false --memory 1 --junit {xml}"
    ))
    .exits(3);
    assert_eq!(junit(&xml).len(), 2);
    for option in ["--junit", "--sarif", "--itf"] {
        let nowhere = file("no/such/folder/file");
        lariat(format!("check {MUTEX} -f true {option} {nowhere}")).refuses("cannot write");
    }
    let left = std::fs::read_dir(folder.path()).expect("a folder");
    for entry in left {
        let name = entry.expect("an entry").file_name();
        assert!(!name.to_string_lossy().ends_with(".tmp"), "{name:?}");
    }
}

#[test]
fn traces_in_itf() {
    let folder = Folder::new();
    let file = |name: &str| format!("{}/{name}", folder.path());
    let path = file("run.itf.json");
    lariat(format!("check {MUTEX} -f '{STARVATION}' --itf {path}")).exits(1);
    let trace = itf(&path);
    assert_eq!(trace["loop"], 1);
    assert_eq!(trace["states"].as_array().map(Vec::len), Some(4));
    assert_eq!(trace["states"][0]["lock"], 1);
    assert_eq!(trace["states"][3]["#meta"]["event"], "leave_2");
    // Several properties: one file per violated property.
    let formulas = format!("-f '{EXCLUSION}' -f 'G !critical_1' -f '{STARVATION}'");
    lariat(format!(
        "check {MUTEX} {formulas} --itf {}",
        file("all.itf.json")
    ))
    .exits(1);
    assert!(std::fs::metadata(file("all.itf.json")).is_err());
    assert!(std::fs::metadata(file("all.1.itf.json")).is_err());
    assert_eq!(itf(&file("all.2.itf.json")).get("loop"), None);
    assert_eq!(itf(&file("all.3.itf.json"))["loop"], 1);
    // Programs have named values; rounds that add tokens are no loop.
    lariat(format!(
        "check examples/crossing.dve -f 'G !\"Train.cross\"' --itf {path}"
    ));
    let program = folder.file(
        "p.dve",
        "byte x; process P { state a, b; init a; trans a -> b { effect x = 7; }; } system async;",
    );
    lariat(format!("check {program} -f 'G \"P.a\"' --itf {path}")).exits(1);
    let trace = itf(&path);
    assert_eq!(trace["states"][0]["P"], "a");
    assert_eq!(trace["states"][1]["x"], 7);
    let grows = folder.file("grows.pnml", GROWING);
    lariat(format!(
        "check {grows} -f 'F G !p' --engine walk --itf {path}"
    ))
    .exits(1);
    assert_eq!(itf(&path).get("loop"), None);
    // A witness of EF is no counterexample.
    let none = file("none.json");
    lariat(format!("check {MUTEX} -f 'EF critical_1' --itf {none}")).exits(0);
    assert!(std::fs::metadata(&none).is_err());
}

#[test]
fn undecided_properties_say_what_to_try() {
    let folder = Folder::new();
    let net = large_net(&folder);
    let check = format!("check {net} -f '{LARGE_HOLDS}' --engine explicit --timeout 200ms");
    let ran = lariat(&check).exits(3);
    ran.prints("\n  explored ")
        .prints(" states; try --timeout 1s, --engine auto\n");
    let ran = lariat(format!("{check} --json")).exits(3);
    let answer = ran.answer();
    assert!(
        answer["advice"]["explored"]
            .as_str()
            .expect("a text")
            .ends_with("states")
    );
    assert_eq!(answer["advice"]["try"][0], "--timeout 1s");
    let ran = lariat(format!("ask {net} live --timeout 20ms")).exits(3);
    ran.prints("some answers are unknown; try --timeout 1s");
    let ran = lariat(format!("check {MUTEX} -f 'X lock' --engine sog")).exits(3);
    ran.prints("try --engine auto");
    let ran = lariat(format!("check {MUTEX} -f 'G lock' --json")).exits(1);
    assert_eq!(ran.answer().get("advice"), None);
}

/// The names that `info` lists can be used in formulas.
#[test]
fn info_lists_all_names() {
    let folder = Folder::new();
    let table = folder.file(
        "t.etf",
        "begin state\nx:num\nend state\nbegin edge\naction:act\nend edge\nbegin init\n0\nend init\nbegin trans\n0/1 0\nend trans\nbegin map even:bool\n0 1\n1 0\nend map\nbegin sort num\n\"zero\"\n\"one\"\nend sort\nbegin sort bool\n\"false\"\n\"true\"\nend sort\nbegin sort act\n\"step\"\nend sort\n",
    );
    for (model, wanted) in [
        (MUTEX, vec![("lock", "place"), ("enter_1", "transition")]),
        (
            "examples/printers.pnml",
            vec![("waiting", "place"), ("start", "transition")],
        ),
        (
            "examples/alternating-bit.dve",
            vec![
                ("Sender", "process"),
                ("Sender.wait", "state"),
                ("Sender.bit", "variable"),
                ("ack[0]", "channel"),
                ("Sender:wait->send", "event"),
                ("Line:up->up", "events"),
            ],
        ),
        (
            &table,
            vec![("x", "variable"), ("even", "map"), ("step", "event")],
        ),
    ] {
        let ran = lariat(format!("info {model} --names --json")).exits(0);
        let answer = ran.answer();
        let list = answer["names"].as_array().expect("names");
        for (name, kind) in wanted {
            let found = list.iter().find(|entry| entry["name"] == name);
            let found = found.unwrap_or_else(|| panic!("no {name} in {answer}"));
            assert_eq!(found["kind"], kind, "{found}");
        }
        let text = lariat(format!("info {model} --names")).exits(0).out;
        let mut atoms = Vec::new();
        for entry in list {
            let name = entry["name"].as_str().expect("a name");
            assert!(text.contains(&format!("  {name} ")), "{name} in\n{text}");
            atoms.push(match entry["kind"].as_str() {
                Some("transition" | "event" | "events") => format!("\"fireable({name})\""),
                Some("steps of a process") => continue,
                Some("state" | "map" | "assertion" | "overflow") => format!("\"{name}\""),
                _ => format!("\"{name} >= 0\""),
            });
        }
        // Every name is an atom: the property is decided, and no name is unknown.
        let formula = format!("EF ({})", atoms.join(" | "));
        let mut command = command("check");
        crate::kit::ended(command.args([model, "-f", &formula])).exits(0);
    }
    let text = lariat("info examples/alternating-bit.dve --names").exits(0);
    text.prints("process: send, wait, heard")
        .prints("variable, 0 to 255");
    lariat(format!("info {MUTEX} --names")).succeeds("place, at most 1");
}

#[cfg(unix)]
mod running {
    use super::*;
    use crate::kit::{signal, started};
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// Limit on the time until an expected line is printed.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn an_interrupted_check_writes_what_it_knows() {
        let folder = Folder::new();
        let net = large_net(&folder);
        let (xml, log) = (
            format!("{}/r.xml", folder.path()),
            format!("{}/r.json", folder.path()),
        );
        let args = format!(
            "check {net} -f true -f '{LARGE_HOLDS}' --engine explicit -q --memory 1G --junit {xml} --sarif {log}"
        );
        let mut child = started(command(args).stdin(Stdio::null()));
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        out.read_line(&mut first).expect("an answer");
        assert!(first.starts_with("HOLDS"), "{first}");
        // Before the end of the check the files exist and are complete.
        assert_eq!(junit(&xml).len(), 2);
        signal(&child, "-INT");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        let cases = junit(&xml);
        assert_eq!(cases[0], ("1".to_owned(), Vec::new()));
        assert_eq!(cases[1], ("2".to_owned(), vec!["error".to_owned()]));
        assert_eq!(sarif(&log), [("2".to_owned(), "warning".to_owned())]);
    }

    #[test]
    fn watch_checks_again_when_a_file_changes() {
        let folder = Folder::new();
        let model = folder.file("net.pnml", GROWING);
        let formulas = folder.file("formulas.ltl", "one: G !p\n");
        let args = format!("check {model} -F {formulas} --watch -q");
        let mut child = started(command(args).stdin(Stdio::null()));
        let out = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let (send, lines) = channel();
        let reader = std::thread::spawn(move || {
            for line in out.lines() {
                let _ = send.send(line.expect("a line"));
            }
        });
        let next = || lines.recv_timeout(PATIENCE).expect("an answer");
        assert_eq!(next(), "VIOLATED  one: G(!p)");
        folder.file("formulas.ltl", "other: G \"p >= 0\"\n");
        assert_eq!(next(), "HOLDS     other: G(\"p >= 0\")");
        folder.file("net.pnml", GROWING.replace("\"p\"", "\"pp\""));
        // The formula now has an error; the next version has none.
        folder.file("formulas.ltl", "third: F pp\n");
        let answer = std::iter::repeat_with(next).find(|line| line.contains("third"));
        assert_eq!(answer.as_deref(), Some("HOLDS     third: F(pp)"));
        signal(&child, "-INT");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        reader.join().expect("the reader ends");
        assert!(lines.try_recv().is_err());
        lariat(format!("check {model} -F - --watch")).refuses("cannot be watched");
    }
}
