//! The layout of runs: widths, folded loops, shared runs.

use crate::kit::{Folder, Ran, command, ended, lariat};

/// Runs the binary on a terminal of this width, as `COLUMNS` tells.
fn in_columns(width: usize, line: &str) -> Ran {
    ended(command(line).env("COLUMNS", width.to_string()))
}

/// The longest line of stdout that belongs to a run.
fn widest(ran: &Ran) -> usize {
    let rows = ran.out.lines().filter(|line| line.starts_with("  "));
    rows.map(|line| line.chars().count()).max().unwrap_or(0)
}

/// A net with 30 marked places with long names; its only transition takes all tokens.
fn wide_net(folder: &Folder) -> String {
    let mut nodes = String::new();
    for i in 0..30 {
        let id = format!("a_place_with_a_long_name_{i}");
        nodes += &format!(
            "<place id=\"{id}\"><initialMarking><text>1</text></initialMarking></place><arc id=\"arc{i}\" source=\"{id}\" target=\"a_transition_with_a_long_name\"/>"
        );
    }
    nodes += "<transition id=\"a_transition_with_a_long_name\"/>";
    let net = format!("<pnml><net type=\"ptnet\"><page id=\"g\">{nodes}</page></net></pnml>");
    folder.file("wide.pnml", net)
}

#[test]
fn rows_fit_the_width_of_the_terminal() {
    let folder = Folder::new();
    let net = wide_net(&folder);
    let check = format!(
        "check {net} -f 'G \"a_place_with_a_long_name_7 + a_place_with_a_long_name_8 >= 1\"'"
    );
    let ran = lariat(&check).exits(1);
    assert!(widest(&ran) > 100, "{}", ran.out);
    for width in [40, 60, 80, 100] {
        for line in [
            check.clone(),
            format!("{check} --full"),
            format!("ask {net} deadlock"),
        ] {
            let ran = in_columns(width, &line);
            assert!(widest(&ran) <= width, "{width}: {}", ran.out);
        }
    }
    // Every word is still there.
    let ran = in_columns(80, &format!("{check} --full"));
    for i in 0..30 {
        assert!(ran.out.contains(&format!("a_place_with_a_long_name_{i}")));
    }
}

#[test]
fn hidden_values_are_announced_with_the_option() {
    let folder = Folder::new();
    let check = format!("check {} -f 'G !deadlock'", wide_net(&folder));
    let ran = lariat(&check).exits(1);
    ran.prints("… and 18 more")
        .prints("some rows omit values, as `… and N more`; --full shows whole states");
    let ran = lariat(format!("{check} --full")).exits(1);
    assert!(!ran.out.contains("omit"), "{}", ran.out);
    let ask = format!("ask {} deadlock", wide_net(&folder));
    lariat(&ask).succeeds("; --full shows whole states");
    let ran = lariat(format!("{ask} --full")).exits(0);
    assert!(!ran.out.contains("omit"), "{}", ran.out);
}

/// A counter whose runs are loops of 100 steps.
const COUNTER: &str = "byte x; process P { state a; init a; trans a -> a { effect x = (x + 1) % 100; }; } system async;";

#[test]
fn long_loops_are_folded() {
    let folder = Folder::new();
    let model = folder.file("counter.dve", COUNTER);
    let check = format!("check {model} -f 'F \"x == 200\"'");
    let ran = lariat(&check).exits(1);
    let ran = ran.prints("… 60 more steps; --full shows them");
    let rows = |ran: &Ran| ran.out.lines().filter(|line| line.contains('↻')).count();
    assert_eq!(rows(&ran), 40);
    ran.prints("back to 0");
    let ran = lariat(format!("{check} --full")).exits(1);
    assert_eq!(rows(&ran), 100);
    let json = lariat(format!("{check} --json")).exits(1).answer();
    let cycle = json["counterexample"]["loop"].as_array().map(Vec::len);
    assert_eq!(cycle, Some(100));
}

#[test]
fn a_run_of_several_answers_is_printed_once() {
    let folder = Folder::new();
    let model = folder.file(
        "stop.pnml",
        "<pnml><net type=\"ptnet\"><page id=\"g\">\
         <place id=\"on\"><initialMarking><text>1</text></initialMarking></place>\
         <transition id=\"tick\"/><transition id=\"tock\"/><transition id=\"stop\"/>\
         <arc id=\"a\" source=\"on\" target=\"tick\"/><arc id=\"b\" source=\"tick\" target=\"on\"/>\
         <arc id=\"c\" source=\"on\" target=\"tock\"/><arc id=\"d\" source=\"tock\" target=\"on\"/>\
         <arc id=\"e\" source=\"on\" target=\"stop\"/></page></net></pnml>",
    );
    let ran = lariat(format!("ask {model} live")).exits(0);
    assert_eq!(ran.out.matches("    start  on").count(), 1, "{}", ran.out);
    assert_eq!(ran.out.matches("can be lost").count(), 3, "{}", ran.out);
    assert_eq!(
        ran.out.matches(" above (replayed)").count(),
        2,
        "{}",
        ran.out
    );
}
