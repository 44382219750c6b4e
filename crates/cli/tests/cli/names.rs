//! Names of places and transitions besides their ids.

use crate::kit::{Folder, LARGE_HOLDS, MUTEX, lariat, lariat_reading, shipped};
use crate::pictures::data;
use serde_json::Value as Json;

/// The net with the ids `P1`, `P2`, … for its places and `T1`, `T2`, … for its transitions, and
/// their former ids as names.
fn renamed(net: &str) -> String {
    let mut text = net.to_owned();
    for (kind, letter) in [("place", 'P'), ("transition", 'T')] {
        let start = format!("<{kind} id=\"");
        let ids: Vec<String> = { net.split(&start).skip(1) }
            .map(|rest| rest.split('"').next().expect("an id").to_owned())
            .collect();
        for (i, name) in ids.iter().enumerate() {
            let id = format!("{letter}{}", i + 1);
            let label = format!("<name><text>\n  {name} </text></name>");
            let opened = format!("{start}{id}\">{label}");
            let (empty, whole) = (format!("{start}{name}\"/>"), format!("{start}{name}\">"));
            text = text.replace(&empty, &format!("{opened}</{kind}>"));
            text = text.replace(&whole, &opened);
            for end in ["source", "target"] {
                text = text.replace(&format!("{end}=\"{name}\""), &format!("{end}=\"{id}\""));
            }
        }
    }
    text
}

fn named() -> (Folder, String) {
    let folder = Folder::new();
    let net = folder.file("named.pnml", renamed(&shipped(MUTEX)));
    (folder, net)
}

/// `starved` by ids and by names.
const BY_NAME: &str = "G (waiting_1 -> F critical_1)";
const BY_ID: &str = "G (P3 -> F P4)";

#[test]
fn formulas_use_ids_and_names() {
    let (_folder, net) = named();
    for formula in [BY_NAME, BY_ID, "G (\"waiting_1 >= 1\" -> F P4)"] {
        let ran = lariat(format!("check {net} -f '{formula}'")).exits(1);
        ran.prints("G(waiting_1 -> F(critical_1))")
            .prints("with a = waiting_1\n")
            .prints("+waiting_1")
            .prints("→ enter_2");
        let ran = lariat(format!("check {net} -f '{formula}' --ids")).exits(1);
        ran.prints("G(P3 -> F(P4))").prints("+P3").prints("→ T5");
    }
    for formula in [
        "G !(critical_1 & critical_2)",
        "G \"critical_1 + P7 <= 1\"",
        "G \"tokens(critical_1, P7) <= 1\"",
        "G (fireable(enter_1) -> waiting_1)",
        "G \"fireable(enter_1, T5)\" -> G true",
        "G (enter_1 -> X P4)",
    ] {
        lariat(format!("check {net} -f '{formula}'")).exits(0);
    }
    lariat(format!(
        "check {net} -f '{BY_NAME}' --strong-fair 'enter_*'"
    ))
    .exits(0);
    lariat(format!("check {net} -f 'F critcal_1'"))
        .refuses("did you mean \"critical_1\"")
        .reports("no place or transition");
    // Names equal to ids change nothing.
    let ran = lariat(format!("check {MUTEX} -f '{BY_NAME}' --json")).exits(1);
    assert_eq!(ran.answer().get("names"), None);
}

#[test]
fn json_has_ids_and_the_names_beside_them() {
    let (folder, net) = named();
    let trace = format!("{}/trace.json", folder.path());
    let ran = lariat(format!("check {net} -f '{BY_NAME}' --json --trace {trace}")).exits(1);
    let answer = ran.answer();
    assert_eq!(answer["formula"], "G(P3 -> F(P4))");
    let run = &answer["counterexample"];
    assert_eq!(run["initial"]["P1"], 1);
    for (id, name) in [("P3", "waiting_1"), ("P4", "critical_1"), ("T1", "ask_1")] {
        assert_eq!(answer["names"][id], name, "{answer}");
    }
    let ran = lariat(format!("check {net} -f '{BY_NAME}' --json --ids")).exits(1);
    assert_eq!(ran.answer().get("names"), None);
    let ran = lariat(format!("ask {net} bounds --json")).exits(0);
    assert_eq!(ran.answer()["about"], "P1");
    assert_eq!(ran.answer()["names"]["P1"], "lock");
    // A trace identifies nodes by ids, and its page shows names.
    let html = format!("{}/page.html", folder.path());
    for (option, place) in [("", "waiting_1"), ("--ids", "P3")] {
        lariat(format!("view {trace} -o {html} {option}")).exits(0);
        let page = data(&std::fs::read_to_string(&html).unwrap());
        assert_eq!(page["vars"][2][0], place);
        assert!(page["runs"][0]["formula"].as_str().unwrap().contains(place));
    }
}

#[test]
fn every_command_shows_names() {
    let (folder, net) = named();
    lariat(format!("ask {net} live")).succeeds("enter_1 can always fire again");
    lariat(format!("ask {net} live --ids")).succeeds("T2 can always fire again");
    lariat(format!("ask {net} bounds critical_1 P4"))
        .succeeds("critical_1: 1")
        .prints("P4: 1");
    lariat(format!("draw {net}")).succeeds(">waiting_1</text>");
    lariat(format!("draw {net} --ids")).succeeds(">P3</text>");
    lariat(format!(
        "draw {net} --around waiting_1 --around P4 --nodes 3"
    ))
    .exits(0);
    lariat(format!("draw {net} --reach -o {}/reach.dot", folder.path())).exits(0);
    lariat_reading(format!("simulate {net}"), "ask_1\nT2\nl\n")
        .succeeds("0: lock idle_1 idle_2")
        .prints("2: enter_1  −lock −waiting_1 +critical_1");
    lariat(format!("info {net}")).succeeds("waiting_1, waiting_2 change places");
    let html = format!("{}/page.html", folder.path());
    lariat(format!("check {net} -f '{BY_ID}' --html {html}")).exits(1);
    let page = data(&std::fs::read_to_string(&html).unwrap());
    assert_eq!(page["vars"][2][0], "waiting_1");
    assert_eq!(page["runs"][0]["formula"], "G(waiting_1 -> F(critical_1))");
}

#[test]
fn facts_are_explained_by_names() {
    let folder = Folder::new();
    let net = renamed(&lariat("generate kanban 9").exits(0).out);
    let net = folder.file("kanban.pnml", net);
    let explain = format!("check {net} -f '{LARGE_HOLDS}' --explain");
    let ran = lariat(&explain).exits(0).prints("cards_1 + ");
    assert!(!ran.out.contains('P'), "{}", ran.out);
    let ran = lariat(format!("{explain} --ids")).exits(0);
    assert!(!ran.out.contains("cards"), "{}", ran.out);
}

#[test]
fn ambiguous_names_are_refused() {
    let folder = Folder::new();
    let text = renamed(&shipped(MUTEX));
    // Two places with one name, and a name that is the id of another place.
    let twice = text
        .replace(" waiting_2 ", "waiting_1")
        .replace(" lock ", "P4");
    let net = folder.file("twice.pnml", twice);
    let check = |formula: &str| lariat(format!("check {net} -f '{formula}'"));
    for formula in [
        "F waiting_1",
        "F \"waiting_1 + P1 >= 3\"",
        "F \"tokens(waiting_1) >= 3\"",
    ] {
        check(formula)
            .refuses("`waiting_1` is the name of 2 places")
            .reports("write the id: \"P3\" or \"P6\"");
    }
    check("F P4")
        .refuses("`P4` is both the id of a place and the name of another")
        .reports("write the id: \"id:P4\" or \"P1\"");
    // Output uses the id where the name would be ambiguous.
    check("G !\"id:P4\"")
        .exits(1)
        .prints("G(!critical_1)")
        .prints("P1 idle_1");
    check("G \"id:P4 <= 1\"").exits(0);
    lariat(format!("ask {net} bounds waiting_1")).refuses("write the id");
    let ran = lariat(format!("check {net} -f 'G !\"id:P4\"' --json")).exits(1);
    assert_eq!(ran.answer()["names"].get("P1"), None);
    // Operators keep their meaning.
    let odd = text.replace("\n  lock ", "GF");
    let odd = folder.file("odd.pnml", odd.replace("\n  idle_1 ", "F"));
    let check = |formula: &str| lariat(format!("check {odd} -f '{formula}' --ids"));
    check("GF P1").exits(0).prints("G(F(P1))");
    check("F P1").exits(0).prints("F(P1)");
    check("G F \"GF\"").exits(0).prints("G(F(P1))");
    // Names that can be read as something else.
    for (name, formula, message) in [
        ("GFP4", "GFP4", "is a name and also `G F P4`"),
        ("P2-P4", "F \"P2-P4 >= 1\"", "by ids"),
        ("P4 >= 1", "F \"P4 >= 1\"", "by ids"),
        ("ask_1", "F ask_1", "both a place and a transition"),
        ("P2, P4", "F \"tokens(P2, P4) >= 2\"", "by ids"),
    ] {
        let odd = text.replace("> lock <", "><");
        let odd = odd.replace("\n  lock ", &name.replace('>', "&gt;"));
        let net = folder.file("odd.pnml", odd);
        lariat(format!("check {net} -f '{formula}'")).refuses(message);
    }
}

#[test]
fn property_files_of_the_contest_use_ids() {
    let folder = Folder::new();
    // Every place is called as another one's id.
    let text = renamed(&shipped(MUTEX));
    let text = text.replace(" critical_1 ", "P1").replace(" lock ", "P4");
    folder.file("model.pnml", text);
    folder.file(
        "LTLCardinality.xml",
        "<property-set><property><id>A</id><description/><formula><all-paths><globally><integer-le><integer-constant>1</integer-constant><tokens-count><place>P1</place></tokens-count></integer-le></globally></all-paths></formula></property>\
         <property><id>B</id><description/><formula><all-paths><integer-le><integer-constant>1</integer-constant><tokens-count><place>P1</place></tokens-count></integer-le></all-paths></formula></property></property-set>",
    );
    let args = format!("mcc {} --examination LTLCardinality", folder.path());
    let ran = lariat(args).exits(0);
    ran.prints("FORMULA A FALSE").prints("FORMULA B TRUE");
    let (model, file) = (
        format!("{}/model.pnml", folder.path()),
        "LTLCardinality.xml",
    );
    let args = format!("check {model} --mcc {}/{file} --select B", folder.path());
    lariat(args).exits(0);
}

#[test]
fn coloured_nets_have_names_too() {
    let folder = Folder::new();
    let net = folder.file("printers.pnml", renamed(&shipped("examples/printers.pnml")));
    let ran = lariat(format!("check {net} -F examples/printers.ltl")).exits(1);
    ran.prints("+waiting(ann)")
        .prints("→ start(who=bob,on=laser)")
        .prints("G(\"waiting(ann) >= 1\" ->");
    let ran = lariat(format!("check {net} -f 'G \"waiting(ann) <= 0\"' --json")).exits(1);
    let answer: Json = ran.answer();
    assert_eq!(answer["formula"], "G(\"P2(ann) <= 0\")");
    assert_eq!(answer["names"]["P2(ann)"], "waiting(ann)");
    assert_eq!(answer["names"]["T1(who=ann)"], "ask(who=ann)");
    lariat(format!("check {net} -f 'G \"waiting(anna) <= 0\"'"))
        .refuses("the place `waiting` has no colour `anna`");
    lariat(format!("check {net} -f 'G F \"fires(start(who=bob))\"'")).exits(1);
    lariat(format!("ask {net} bounds")).succeeds("waiting: 3");
    lariat(format!("draw {net}")).succeeds(">waiting</text>");
}
