//! Formulas as automata.

use crate::kit::lariat;

#[test]
fn every_format() {
    let hoa = lariat("translate GFa").exits(0);
    let expected = "\
HOA: v1
name: \"G(F(a))\"
States: 1
Start: 0
AP: 1 \"a\"
acc-name: Buchi
Acceptance: 1 Inf(0)
";
    assert!(hoa.out.starts_with(expected), "{}", hoa.out);
    assert!(hoa.out.ends_with("--END--\n"));
    let never = lariat("translate !GFa --format never").exits(0);
    assert!(never.out.starts_with("never { /* !"), "{}", never.out);
    assert!(never.out.contains("accept_"));
    lariat("translate 'GFa & GFb' --format dot").succeeds("digraph");
    let json = lariat("translate 'GFa & GFb' --format json").exits(0);
    assert_eq!(json.answer()["marks"], 2);
    let json = lariat("translate 'GFa & GFb' --to ba --format json").exits(0);
    assert_eq!(json.answer()["marks"], 1);
}

/// The published testing automata have further edges.
#[test]
fn testing_automata_as_published() {
    let edges = |options: &str| {
        let automaton = lariat(format!(
            "translate 'a U G b' --to tgta --format json {options}"
        ));
        let states = automaton.exits(0).answer()["states"].clone();
        let edges = |state: &serde_json::Value| state["changes"].as_array().map_or(0, Vec::len);
        states
            .as_array()
            .expect("states")
            .iter()
            .map(edges)
            .sum::<usize>()
    };
    assert!(edges("--published") > edges(""));
    lariat("translate GFa --published").refuses("--to ta");
}

#[test]
fn refusals() {
    lariat("translate 'G (a'").refuses("--> formula:1:");
    lariat("translate ''").refuses("--> formula:1:");
    lariat("translate").exits(2);
    let many: Vec<String> = (0..80).map(|i| format!("a{i}")).collect();
    lariat(format!("translate '{}'", many.join(" & ")))
        .exits(3)
        .reports("unsupported");
    lariat("translate GFa --timeout 0s")
        .exits(3)
        .reports("time");
}

/// Testing automata are written to HOA with explicit letters.
#[test]
fn testing_automata() {
    for kind in ["ta", "tgta"] {
        let json = lariat(format!("translate GFa --to {kind} --format json")).exits(0);
        assert_eq!(json.answer()["kind"], kind);
        lariat(format!("translate GFa --to {kind} --format dot")).succeeds("digraph");
        let hoa = lariat(format!("translate GFa --to {kind}")).exits(0);
        assert!(hoa.out.contains("letters spelt out"), "{}", hoa.out);
        assert!(hoa.out.ends_with("--END--\n"), "{}", hoa.out);
        lariat(format!("translate GFa --to {kind} --format never"))
            .refuses("--to ba --format never");
        lariat(format!("translate 'X a' --to {kind}"))
            .exits(3)
            .reports("not stutter-invariant");
    }
}
