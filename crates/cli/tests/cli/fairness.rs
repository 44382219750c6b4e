//! Fairness: the chapter of the book, messages, formula files, JSON.

use crate::kit::{Folder, STARVATION, lariat, shipped};

#[test]
fn commands_of_the_page_have_the_quoted_verdicts() {
    let run = check_commands("docs/fairness.md");
    assert!(run >= 14, "{run}");
}

/// The protocols of the threads: the page, and every property of the models.
#[test]
fn protocols_of_the_threads_have_the_quoted_verdicts() {
    let run = check_commands("docs/protocols.md");
    assert!(run >= 9, "{run}");
    let check = |model: &str, properties: &str| {
        let folder = "examples/protocols";
        lariat(format!(
            "check {folder}/{model}.dve -F {folder}/{properties}.ltl -q"
        ))
    };
    check("segments", "segments").exits(0);
    let ran = check("segments-nested", "segments").exits(1);
    let ran = ran
        .prints("VIOLATED  no-deadlock")
        .prints("VIOLATED  reserved");
    ran.prints("HOLDS     exclusion");
}

/// Runs every command of a page, and compares the verdict with the word behind it; returns the
/// number of commands.
fn check_commands(page: &str) -> usize {
    let page = shipped(page);
    let mut run = 0;
    for line in page
        .lines()
        .filter_map(|line| line.strip_prefix("    lariat "))
    {
        let (args, expected) = line.rsplit_once('#').expect(line);
        let code = match expected.trim() {
            "holds" => 0,
            "violated" => 1,
            "refused" => 2,
            other => panic!("{other}: {line}"),
        };
        lariat(args).exits(code);
        run += 1;
    }
    run
}

#[test]
fn answers_name_the_assumptions() {
    let args = format!("check examples/mutex.pnml -f '{STARVATION}' --weak-fair all");
    for engine in [
        "auto", "explicit", "ba", "slap", "slap-fst", "bcz", "el", "owcty", "sog", "sop",
    ] {
        let ran = lariat(format!("{args} --engine {engine}")).exits(1);
        let ran = ran.prints("fair: weak all").prints("fair to ");
        assert!(ran.err.is_empty(), "{}", ran.err);
    }
    let ran = lariat(format!("{args} --json")).exits(1);
    let answer = ran.answer();
    assert_eq!(answer["fairness"][0], "weak all");
    let fair = answer["counterexample"]["fair"].as_array().unwrap();
    assert_eq!(fair.len(), 6, "{answer}");
    let taken = fair.iter().filter(|met| met["met"] == "taken").count();
    assert!(taken >= 3, "{answer}");
    for engine in ["auto", "explicit", "slap-fst", "el", "owcty"] {
        let strong = format!("--strong-fair enter_* --engine {engine}");
        let ran = lariat(format!("{args} {strong}")).exits(0);
        ran.prints("weak all, strong enter_*");
    }
}

#[test]
fn unsupported_constraints_are_refused() {
    let few = "`slap-fst`, `el` and `owcty` support strong fairness";
    let steps = "fairness, which is about steps";
    for (constraint, why) in [
        ("--weak-fair enter1", "enter_1"),
        ("--weak-fair exit_*", "no event name matches `exit_*`"),
        ("--weak-fair processes", "no processes"),
        ("--strong-fair 'lock >= 1'", "about events"),
        ("--strong-fair all --engine hyb", few),
        ("--weak-fair all --engine tgta", steps),
        ("--strong-fair all --engine sop", "only weak fairness"),
    ] {
        let args = format!("check examples/mutex.pnml -f '{STARVATION}' {constraint}");
        lariat(args).refuses(why);
    }
    let peterson = "check examples/peterson.dve -f 'G F \"P0.critical\"'";
    let ran = lariat(format!("{peterson} --weak-fair process:P2"));
    ran.refuses("P0, P1");
}

/// Constraints in a formula file apply to the formulas of this file only.
#[test]
fn formula_files_state_fairness() {
    let folder = Folder::new();
    let text =
        format!("fair weak all   # the scheduler\nfair strong \"enter_1\"\none: {STARVATION}\n");
    let file = folder.file("fair.ltl", text);
    let args = format!("check examples/mutex.pnml -F {file}");
    lariat(&args).succeeds("weak all, strong enter_1");
    let ran = lariat(format!("{args} -f '{STARVATION}' --json")).exits(1);
    let answers = ran.json();
    let fairness = |name: &str| {
        let of_name = |answer: &&serde_json::Value| answer["property"] == name;
        let answer = answers.iter().find(of_name).unwrap();
        answer["fairness"].as_array().unwrap().len()
    };
    assert_eq!((fairness("1"), fairness("one")), (0, 2));
    let defined = "#define waits waiting_1\nfair strong enter_1\nfair weak all\n#property G (waits -> F critical_1)\n";
    let file = folder.file("defined.ltl", defined);
    lariat(format!("check examples/mutex.pnml -F {file}")).exits(0);
    let wrong = folder.file("wrong.ltl", "G lock\nfair weak nobody_*\n");
    let ran = lariat(format!("check examples/mutex.pnml -F {wrong}")).exits(2);
    ran.reports("wrong.ltl:2").reports("nobody_*");
}
