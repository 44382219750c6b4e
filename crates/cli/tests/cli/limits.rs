//! Exhausted limits and signals: the verdict is unknown.

use crate::kit::{
    Folder, GROWING, LARGE_HOLDS, Ran, command, large_net, lariat, ran, signal, started,
};
use serde_json::Value as Json;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

#[test]
fn exhausted_limits_are_unknown() {
    let folder = Folder::new();
    let net = large_net(&folder);
    for (limit, value, reason) in [("--memory", "20K", "memory"), ("--timeout", "1ms", "time")] {
        // `auto` would decide it without a search.
        let check = format!("check {net} -f '{LARGE_HOLDS}' --engine explicit");
        let ran = lariat(format!("{check} {limit} {value} --json")).exits(3);
        let answer = ran.answer();
        assert_eq!(answer["verdict"], "unknown");
        assert_eq!(answer["reason"], reason);
        assert_eq!(answer["counterexample"], Json::Null);
        let ran = lariat(format!("{check} {limit} {value}")).exits(3);
        assert!(ran.out.starts_with("UNKNOWN ") && ran.out.contains(reason));
        let ran = lariat(format!("states {net} {limit} {value} --json"));
        let answer = ran.exits(3).answer();
        assert_eq!(answer["states"], Json::Null);
        assert_eq!(answer["bounded"], Json::Null);
        assert_eq!(answer["reason"], reason);
    }
    lariat(format!("check {net} -f '{LARGE_HOLDS}' --memory 0")).exits(2);
}

#[test]
fn the_search_for_infinite_runs_ends_on_unbounded_nets() {
    let folder = Folder::new();
    let net = folder.file("grows.pnml", GROWING);
    for engine in ["auto", "explicit", "hyb"] {
        let args = format!("check {net} -f true --deadlock ignore --engine {engine}");
        lariat(args).succeeds("HOLDS");
    }
}

/// Starts a check, and returns it after its first answer, while it searches for the others.
fn busy(folder: &Folder) -> (Child, BufReader<std::process::ChildStdout>, String) {
    let net = large_net(folder);
    let formulas = format!("-f true -f '{LARGE_HOLDS}' -f '{LARGE_HOLDS}'");
    // `auto` would decide them without a search. The memory limit ends the process if a test does
    // not.
    let args = format!("check {net} {formulas} --engine explicit --json --memory 1G");
    let mut child = started(command(args).stdin(Stdio::null()));
    let mut out = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a first answer");
    (child, out, first)
}

#[cfg(unix)]
#[test]
fn ctrl_c_reports_open_properties() {
    let folder = Folder::new();
    let (child, mut out, first) = busy(&folder);
    let start = Instant::now();
    signal(&child, "-INT");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the other answers");
    let Ran { code, err, .. } = ran(child.wait_with_output().expect("the binary ends"));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(code, Some(130), "{err}");
    let all = Ran {
        code,
        out: first + &rest,
        err,
    };
    let answers = all.json();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0]["verdict"], "holds");
    for answer in &answers[1..] {
        assert_eq!(answer["verdict"], "unknown");
        assert_eq!(answer["reason"], "interrupted");
    }
}

#[test]
fn a_killed_run_prints_nothing_more() {
    let folder = Folder::new();
    let (mut child, mut out, first) = busy(&folder);
    assert!(first.contains("\"verdict\":\"holds\""));
    child.kill().expect("it is killed");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the rest of stdout");
    assert_eq!(rest, "");
    assert_ne!(child.wait().expect("it ends").code(), Some(0));
}
