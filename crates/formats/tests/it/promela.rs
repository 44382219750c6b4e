//! Promela: accepted and refused input, sizes of small state spaces, formulas, damaged input.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use lariat_corpora::{Random, cases, seed};
use lariat_formats::promela::{Promela, looks_like_promela, read};
use lariat_formats::{ModelFormat, load};
use lariat_model::{FindingKind, Names, PropertyList, State, System};

const MUTEX: &str = include_str!("../../../../examples/mutex.pml");
const RING: &str = include_str!("../../../../examples/leader-ring.pml");

fn model(text: &str) -> Promela {
    read("model.pml", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn states(system: &System) -> HashSet<State> {
    let mut seen: HashSet<State> = system.initial.iter().cloned().collect();
    let mut open: Vec<State> = system.initial.clone();
    while let Some(state) = open.pop() {
        for event in system.event_ids() {
            for next in system.successors(&state, event) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    seen
}

/// The number of states of a model, and of those that show a finding of a kind.
fn counted(text: &str, kind: FindingKind) -> (usize, usize) {
    let system = model(text).system;
    let states = states(&system);
    let bad = |state: &&State| {
        let mut findings = system.findings.iter().filter(|f| f.kind == kind);
        findings.any(|finding| system.holds(&finding.bad, state))
    };
    (states.len(), states.iter().filter(bad).count())
}

/// Numbers of states, and of invalid end states, that SPIN reports for the same text.
#[test]
fn states_are_those_of_spin() {
    for (text, wanted) in [
        (MUTEX, (38, 0)),
        (RING, (1134, 0)),
        // A process ends, and is removed in a further step.
        ("byte x; active proctype P() { x = 1 }", (3, 0)),
        // Nothing inside an atomic sequence is a state.
        (
            "byte g; active proctype P() { atomic { g = 1; g = 2; g = 3 } }",
            (3, 0),
        ),
        // A process that has to wait inside loses the turn.
        (
            "byte g; active proctype P() { atomic { g = 1; g == 2; g = 3 } } active proctype Q() { g == 1; g = 2 }",
            (8, 0),
        ),
        ("byte g; active proctype P() { g == 1 }", (1, 1)),
        ("byte g; active proctype P() { end: g == 1 }", (1, 0)),
        // The braces of a main part make no state, unless it has a label, which marks its beginning.
        (
            "bit b; active proctype P() { { do :: b = 1 - b -> true od } unless { b == 3 } }",
            (4, 0),
        ),
        (
            "bit b; active proctype P() { L: { do :: b = 1 - b -> true od } unless { b == 3 } }",
            (5, 0),
        ),
        (
            "bit b; active proctype P() { end: { b } unless { b } }",
            (1, 0),
        ),
        // A process that sent inside an atomic sequence rests behind `fi`, before the next statement.
        (
            "byte x; chan c = [0] of { byte }; active proctype Q() { c?_ }
             active proctype P() { atomic { if :: c!2 fi; x == 3 } }",
            (3, 1),
        ),
        (
            "byte x; chan c = [0] of { byte }; active proctype Q() { c?_ }
             active proctype P() { atomic { do :: c!2; break od; x == 3 } }",
            (3, 1),
        ),
        // In the middle of the sequence it rests at the next statement.
        (
            "bit b; byte x; active proctype Q() { do :: b = 1 - b od }
             active proctype P() provided (b) { atomic { if :: b = 1 - b fi; if :: x == 3 fi; 3 } }",
            (4, 0),
        ),
    ] {
        assert_eq!(counted(text, FindingKind::EndState), wanted, "{text}");
    }
}

#[test]
fn assertions_are_findings() {
    let text = "byte g; active [2] proctype P() { g++; atomic { skip; assert(g < 2) } }";
    assert!(counted(text, FindingKind::Assertion).1 > 0);
    let text = text.replace("g < 2", "g < 3");
    assert_eq!(counted(&text, FindingKind::Assertion).1, 0);
}

#[test]
fn arithmetic_is_that_of_c() {
    let text = "byte b = 250; short s = 32767; unsigned u : 3; bit t; int i;
        active proctype P() { b = b + 10; s++; u = u - 1; t = 3; i = 7 / -2; assert(b == 4 && s == -32768 && u == 7 && t == 1 && i == -3) }";
    assert_eq!(counted(text, FindingKind::Assertion).1, 0);
}

#[test]
fn the_preprocessor_replaces_tokens() {
    let text = "#define N 2\n#define inc(v, m) v = (v + 1) % (m)\n#if N > 1 && defined(inc)\nbyte x;\n#else\nbyte y;\n#endif
        active [N] proctype P() { inc(x, 3); /* a * b */ x++ // end\n }";
    let system = model(text).system;
    assert_eq!(system.variables[0].name, "x");
}

/// A missing `;` at the end of a line is inserted; a line that ends in an operator continues.
#[test]
fn lines_end_statements() {
    let text = "byte x\nactive proctype P() {\n x = 1\n x = x +\n 1\n (x == 2)\n if\n :: x == 2 -> skip\n :: else\n fi\n}";
    assert_eq!(counted(text, FindingKind::EndState).1, 0);
}

#[test]
fn refused_input_is_named() {
    for (text, message) in [
        ("init { c_code { x = 1; } }", "c_code"),
        ("active proctype P() priority 2 { skip }", "priority"),
        ("trace { do :: skip od } init { skip }", "trace"),
        ("init { x = 1 }", "no variable is called `x`"),
        ("byte x; init { goto L }", "labelled `L`"),
        ("byte a[2]; init { a = 1 }", "whole array"),
        ("chan c = [1] of { byte }; init { c!1,2 }", "2 values"),
        ("init { break }", "outside of a loop"),
        ("init { run P() }", "no process is called `P`"),
        ("byte x;", "no process"),
        ("init { atomic { skip }", "expected"),
        ("byte b = 1; init { b = (enabled(0)) }", "enabled"),
        (
            "init { d_step { goto L }; L: skip; skip; goto M; d_step { skip; M: skip } }",
            "d_step",
        ),
        ("#include <stdio.h>\ninit { skip }", "local files"),
        ("#if 1\ninit { skip }", "#endif"),
        ("inline f(a) { f(a) } init { f(1) }", "calls itself"),
    ] {
        let error = read("model.pml", text.as_bytes())
            .expect_err(text)
            .to_string();
        assert!(error.contains(message), "{text}\n{error}");
        assert!(
            error.contains("model.pml:") || message == "no process",
            "{error}"
        );
    }
    let deep = format!("init {{ x = {}1 }}", "(".repeat(100_000));
    let error = read("model.pml", format!("byte x; {deep}").as_bytes()).expect_err("too deep");
    assert!(error.to_string().contains("nested too deeply"), "{error}");
}

#[test]
fn formulas_are_those_of_spin() {
    let loaded = load(
        "mutex.pml",
        MUTEX.as_bytes(),
        &lariat_budget::Budget::unlimited(),
    );
    let loaded = loaded.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.format, ModelFormat::Promela);
    let names: Names<'_> = loaded.names();
    let mut properties = PropertyList::new();
    let mut add = |text: &str| properties.add_formula(&names, "formula", None, text);
    for formula in [
        "[] (inside <= 1)",
        "[] ((inside > 2) -> <> (wants[0] == 0))",
        "always (P[0]@wait implies eventually P[0]@cs)",
        "([] <> (turn == 1)) -> ([] <> (turn == 0))",
        "G (\"inside <= 1\") && !deadlock",
        "<> (inside + turn > 1)",
        "\"turn == 1\" | (<> (inside == 1)) & \"turn == 0\"",
    ] {
        add(formula).unwrap_or_else(|error| panic!("{formula}: {error}"));
    }
    for (formula, message) in [
        ("<> inside == 1", "binds tighter"),
        ("[] (insid <= 1)", "insid"),
        ("[] P[0]@ws", "no label `ws`"),
        ("[] (inside <= 1", "not closed"),
    ] {
        let error = add(formula).expect_err(formula).to_string();
        assert!(error.contains(message), "{formula}\n{error}");
    }
    // All binary operators associate to the left; `->` and `<->` bind equally.
    for (text, bracketed) in [
        ("P U Q U R", "(P U Q) U R"),
        ("P -> Q -> R", "(P -> Q) -> R"),
        ("P -> Q <-> R", "(P -> Q) <-> R"),
        ("P W Q U R && P", "((P W Q) U R) && P"),
        ("P V ! Q -> [] P U R", "(P V (!Q)) -> (([] P) U R)"),
        ("P || Q && R || P", "P || (Q && R) || P"),
        (
            "P & Q | \"turn == 1\" | R & P",
            "(P & Q) || (\"turn == 1\") || (R & P)",
        ),
    ] {
        let atoms = |text: &str| {
            let text = text.replace('P', "(turn == 0)").replace('Q', "(turn == 1)");
            text.replace('R', "(inside == 1)")
        };
        add(&atoms(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        add(&atoms(bracketed)).unwrap_or_else(|error| panic!("{bracketed}: {error}"));
    }
    let texts: Vec<&str> = properties.list.iter().map(|p| &*p.text).collect();
    assert_eq!(texts[0], "G(\"inside <= 1\")");
    for pair in texts[7..].chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
}

/// Damages a text at a few places.
fn damage(random: &mut Random, text: &mut Vec<u8>) {
    const WORDS: [&str; 20] = [
        "do",
        "od",
        "if",
        "fi",
        "::",
        "atomic {",
        "}",
        "run P()",
        "d_step {",
        "goto cs",
        "c!1",
        "#define",
        "\n",
        "unless {",
        "else",
        "->",
        " 99999999999 ",
        "[255]",
        "active [200]",
        "for (i : 1 .. 1000000)",
    ];
    for _ in 0..=random.below(4_usize) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(30_usize)).min(text.len());
        match random.below(4_usize) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece);
            }
            2 if at < text.len() => text[at] = random.bits() as u8,
            _ => drop(text.splice(at..at, random.one_of(&WORDS).bytes())),
        }
        if text.is_empty() {
            break;
        }
    }
}

/// Reads damaged versions of these texts: errors have a message, and none takes long.
fn read_damaged(texts: &[(String, Vec<u8>)], count: usize) {
    let mut random = Random::new(seed(2026));
    let mut slowest = (Duration::ZERO, String::new());
    for _ in 0..count {
        let (origin, text) = random.one_of(texts);
        let mut text = text.clone();
        damage(&mut random, &mut text);
        let begun = Instant::now();
        if let Err(error) = read(origin, &text) {
            assert!(!error.to_string().is_empty());
        }
        looks_like_promela(&text);
        let taken = begun.elapsed();
        assert!(taken < LONGEST, "{}", String::from_utf8_lossy(&text));
        if taken > slowest.0 {
            slowest = (taken, origin.clone());
        }
    }
    println!("{count} texts, slowest {slowest:?}");
}

/// The longest time for reading a model of a few kilobytes, in an optimised test.
const LONGEST: Duration = Duration::from_secs(90);

#[test]
fn damaged_models() {
    let own = [("mutex.pml", MUTEX), ("leader-ring.pml", RING)];
    let own = own.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    read_damaged(&own, cases(5000));
}

/// More with `LARIAT_CASES=5000`.
#[test]
fn damaged_external_models() {
    let Some(folder) = lariat_corpora::models("promela") else {
        return;
    };
    let texts = lariat_corpora::table(&folder.join("INDEX.tsv"));
    let texts = texts.iter().map(|line| {
        let path = folder.join(format!("{}.pml", line[0]));
        let text = std::fs::read(&path).expect("a readable model");
        (path.display().to_string(), text)
    });
    read_damaged(&texts.collect::<Vec<_>>(), cases(1000));
}
