//! Fairness: the chapter of the book, messages, formula files, JSON.

use crate::kit::{Folder, lariat};

/// Splits a command line into words, with single quotes as in a shell.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.trim().chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words[..].last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs every command of the page, and compares the verdict.
#[test]
fn commands_of_the_page_have_the_quoted_verdicts() {
    let page = include_str!("../../../../docs/fairness.md");
    let mut run = 0;
    for line in page.lines().filter(|line| line.starts_with("    lariat ")) {
        let (command, expected) = line.rsplit_once('#').expect(line);
        let words = words(command);
        let args: Vec<&str> = words[1..].iter().map(|word| &**word).collect();
        let code = match expected.trim() {
            "holds" => 0,
            "violated" => 1,
            "refused" => 2,
            other => panic!("{other}: {line}"),
        };
        lariat(&args).exits(code);
        run += 1;
    }
    assert!(run >= 14, "{run}");
}

const STARVES: &str = "G (waiting_1 -> F critical_1)";

#[test]
fn answers_name_the_assumptions() {
    let args = [
        "check",
        "examples/mutex.pnml",
        "-f",
        STARVES,
        "--weak-fair",
        "all",
    ];
    for engine in [
        "auto", "explicit", "ba", "slap", "slap-fst", "bcz", "el", "owcty", "sog", "sop",
    ] {
        let ran = lariat(&[&args[..], &["--engine", engine]].concat()).exits(1);
        let ran = ran.prints("fair: weak all").prints("fair to ");
        assert!(ran.err.is_empty(), "{}", ran.err);
    }
    let ran = lariat(&[&args[..], &["--json"]].concat()).exits(1);
    let answer = ran.json().remove(0);
    assert_eq!(answer["fairness"][0], "weak all");
    let fair = answer["counterexample"]["fair"].as_array().unwrap();
    assert_eq!(fair.len(), 6, "{answer}");
    let taken = fair.iter().filter(|met| met["met"] == "taken").count();
    assert!(taken >= 3, "{answer}");
    for engine in ["auto", "explicit", "slap-fst", "el", "owcty"] {
        let strong = ["--strong-fair", "enter_*", "--engine", engine];
        let ran = lariat(&[&args[..], &strong].concat()).exits(0);
        ran.prints("weak all, strong enter_*");
    }
}

#[test]
fn unsupported_constraints_are_refused() {
    let check = |more: &[&str]| {
        let args = ["check", "examples/mutex.pnml", "-f", STARVES];
        lariat(&[&args[..], more].concat())
    };
    check(&["--weak-fair", "enter1"])
        .exits(2)
        .reports("enter_1");
    check(&["--weak-fair", "exit_*"])
        .exits(2)
        .reports("no event name matches `exit_*`");
    check(&["--weak-fair", "processes"])
        .exits(2)
        .reports("no processes");
    check(&["--strong-fair", "lock >= 1"])
        .exits(2)
        .reports("about events");
    check(&["--strong-fair", "all", "--engine", "hyb"])
        .exits(2)
        .reports("`slap-fst`, `el` and `owcty` support strong fairness");
    check(&["--weak-fair", "all", "--engine", "tgta"])
        .exits(2)
        .reports("fairness, which is about steps");
    check(&["--strong-fair", "all", "--engine", "sop"])
        .exits(2)
        .reports("only weak fairness");
    let peterson = [
        "check",
        "examples/peterson.dve",
        "-f",
        "G F \"P0.critical\"",
    ];
    let ran = lariat(&[&peterson[..], &["--weak-fair", "process:P2"]].concat());
    ran.exits(2).reports("P0, P1");
}

/// Constraints in a formula file apply to the formulas of this file only.
#[test]
fn formula_files_state_fairness() {
    let folder = Folder::new();
    let text =
        format!("fair weak all   # the scheduler\nfair strong \"enter_1\"\none: {STARVES}\n");
    let file = folder.file("fair.ltl", text);
    let args = ["check", "examples/mutex.pnml", "-F", &file];
    lariat(&args).exits(0).prints("weak all, strong enter_1");
    let ran = lariat(&[&args[..], &["-f", STARVES, "--json"]].concat()).exits(1);
    let answers = ran.json();
    let fairness = |name: &str| {
        let of_name = |answer: &&serde_json::Value| answer["property"] == name;
        answers.iter().find(of_name).unwrap()["fairness"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!((fairness("1"), fairness("one")), (0, 2));
    let defined = "#define waits waiting_1\nfair strong enter_1\nfair weak all\n#property G (waits -> F critical_1)\n";
    let file = folder.file("defined.ltl", defined);
    lariat(&["check", "examples/mutex.pnml", "-F", &file]).exits(0);
    let wrong = folder.file("wrong.ltl", "G lock\nfair weak nobody_*\n");
    let ran = lariat(&["check", "examples/mutex.pnml", "-F", &wrong]).exits(2);
    ran.reports("wrong.ltl:2").reports("nobody_*");
}
