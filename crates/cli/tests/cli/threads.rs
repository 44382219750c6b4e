//! `--threads`: verdicts do not depend on the number of threads.

use crate::kit::{Folder, LARGE_HOLDS, Ran, large_net, lariat};
use std::collections::BTreeMap;

/// Name and verdict of every property, by name.
fn verdicts(ran: &Ran) -> BTreeMap<String, String> {
    let word = |value: &serde_json::Value| value.as_str().expect("a word").to_owned();
    let line = |json: serde_json::Value| (word(&json["property"]), word(&json["verdict"]));
    ran.json().into_iter().map(line).collect()
}

#[test]
fn verdicts_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    let formulas: String = (0..12)
        .map(|i| match i % 3 {
            0 => format!("p{i}: G !(\"critical_1 >= 1\" & \"critical_2 >= 1\")\n"),
            1 => format!("p{i}: G F \"critical_1 >= 1\"\n"),
            _ => format!("p{i}: F \"lock >= {i}\"\n"),
        })
        .collect();
    let file = folder.file("properties.ltl", formulas);
    let check = |threads: &str| {
        let args = format!("check examples/mutex.pnml -F {file}");
        let ran = lariat(format!("{args} --json --threads {threads}"));
        verdicts(&ran.exits(1))
    };
    let one = check("1");
    assert_eq!(one.len(), 12);
    for threads in ["2", "3", "64"] {
        assert_eq!(check(threads), one, "{threads} threads");
    }
}

#[test]
fn time_is_limited_per_property() {
    let folder = Folder::new();
    let net = large_net(&folder);
    let properties = format!("-f '{LARGE_HOLDS}' ").repeat(3);
    let args = format!("check {net} --engine explicit {properties}");
    let limits = "--timeout 1s --threads 3 --json";
    let ran = lariat(format!("{args} {limits}")).exits(3);
    let all = ran.json();
    assert_eq!(all.len(), 3);
    for json in all {
        assert_eq!(json["reason"], "time", "{json}");
        let seconds = json["seconds"].as_f64().expect("a number");
        assert!(seconds >= 1.0, "{json}");
    }
}

#[test]
fn zero_threads_are_refused() {
    let ran = lariat("check examples/mutex.pnml -f true --threads 0");
    ran.refuses("--threads");
}

/// Several workers give the verdict of one thread, and report their number.
#[test]
fn workers_have_the_verdict_of_one_thread() {
    let formulas = [
        "G !(\"critical_1 >= 1\" & \"critical_2 >= 1\")",
        "G F \"critical_1 >= 1\"",
        "F \"lock >= 2\"",
    ];
    for formula in formulas {
        let check = |threads: u64| {
            let args = "check examples/mutex.pnml --engine explicit";
            let ran = lariat(format!("{args} -f '{formula}' --json --threads {threads}"));
            let json = ran.answer();
            (json["verdict"].clone(), json["stats"]["workers"].as_u64())
        };
        let (verdict, workers) = check(1);
        assert_eq!(workers, None);
        for n in [2, 3] {
            assert_eq!(check(n), (verdict.clone(), Some(n)), "{formula}");
        }
    }
}

#[test]
fn a_limit_ends_all_workers() {
    let folder = Folder::new();
    let net = large_net(&folder);
    let check = format!("check {net} --engine explicit -f '{LARGE_HOLDS}'");
    let states = format!("states {net} --engine explicit");
    for args in [&check[..], &states] {
        for (limit, value, reason) in [("--timeout", "1s", "time"), ("--memory", "20M", "memory")] {
            let ran = lariat(format!("{args} {limit} {value} --threads 3 --json"));
            let json = ran.exits(3).answer();
            assert_eq!(json["reason"], reason, "{json}");
        }
    }
}

#[test]
fn state_counts_do_not_depend_on_threads() {
    let count = |threads: &str| {
        let args = "states examples/mutex.pnml --engine explicit";
        let ran = lariat(format!("{args} --json --threads {threads}")).exits(0);
        let json = ran.answer();
        let names = "states edges deadlocks max_tokens_in_place max_tokens";
        let figures = names.split(' ').map(|name| json[name].clone());
        figures.collect::<Vec<_>>()
    };
    assert_eq!(count("3"), count("1"));
}

/// Figures that `varying` does not list are equal in all runs.
#[test]
fn varying_figures_are_listed() {
    for args in [
        "check examples/mutex.pnml --engine explicit -f 'G F \"critical_1 >= 1\"'",
        "check examples/mutex.pnml --engine sog --reachable-first -f 'F \"lock >= 2\"'",
        "states examples/mutex.pnml --engine explicit",
    ] {
        let figures = |threads: &str| {
            let mut json = lariat(format!("{args} --json --threads {threads}")).answer();
            let varying = json["varying"].as_array().cloned().unwrap_or_default();
            let stats = json["stats"].as_object_mut().expect("figures");
            for name in &varying {
                let name = name.as_str().expect("a name");
                assert!(stats.remove(name).is_some(), "{name}");
            }
            stats.retain(|name, _| !name.ends_with("_seconds"));
            (varying.is_empty(), stats.clone())
        };
        let (repeats, one) = figures("1");
        assert!(repeats && figures("1").1 == one, "{args:?}");
        let (repeats, three) = figures("3");
        assert!(!repeats && figures("3").1 == three, "{args:?}");
    }
}
