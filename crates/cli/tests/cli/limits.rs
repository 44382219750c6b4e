//! Exhausted limits and signals: the verdict is unknown.

use crate::kit::{
    Folder, GROWING, LARGE_HOLDS, MUTEX, Ran, command, large_net, lariat, ran, signal, started,
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

/// A check that never begins: its trace file is a pipe without a reader.
#[cfg(unix)]
fn hanging(folder: &Folder, options: &str) -> Child {
    let pipe = format!("{}/trace", folder.path());
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let args = format!("check {MUTEX} -f true -f false --json --trace {pipe} {options}");
    started(command(args).stdin(Stdio::null()))
}

#[cfg(unix)]
#[test]
fn the_watchdog_answers_for_work_that_hangs() {
    let folder = Folder::new();
    let child = hanging(&folder, "--timeout 100ms");
    let ended = ran(child.wait_with_output().expect("the binary ends"));
    let ended = ended.exits(3).reports("did not stop in time");
    let answers = ended.json();
    assert_eq!(answers.len(), 2);
    for answer in answers {
        assert_eq!(
            (&answer["verdict"], &answer["reason"]),
            (&"unknown".into(), &"time".into())
        );
    }
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_work_that_hangs() {
    let folder = Folder::new();
    let child = hanging(&folder, "");
    // The handler is installed before the properties are read.
    std::thread::sleep(Duration::from_secs(1));
    signal(&child, "-TERM");
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, "-TERM");
    let ended = ran(child.wait_with_output().expect("the binary ends")).exits(130);
    let answers = ended.json();
    assert_eq!(answers.len(), 2);
    assert!(
        answers
            .iter()
            .all(|answer| answer["reason"] == "interrupted")
    );
}

/// A token on a ring of many places.
fn ring(folder: &Folder, places: usize) -> String {
    let mut net = String::from("<pnml><net type=\"ptnet\"><page id=\"g\">");
    for i in 0..places {
        let next = (i + 1) % places;
        let token = match i {
            0 => "<initialMarking><text>1</text></initialMarking>",
            _ => "",
        };
        net += &format!(
            "<place id=\"p{i}\">{token}</place><transition id=\"t{i}\"/>\
             <arc id=\"a{i}\" source=\"p{i}\" target=\"t{i}\"/>\
             <arc id=\"b{i}\" source=\"t{i}\" target=\"p{next}\"/>"
        );
    }
    folder.file("ring.pnml", net + "</page></net></pnml>")
}

/// The peak of the process stays near its memory limit, however many questions and places there
/// are.
#[cfg(unix)]
#[test]
fn memory_does_not_grow_with_questions_times_places() {
    use wait4::Wait4 as _;
    let folder = Folder::new();
    let net = ring(&folder, 6000);
    for topic in ["bounds", "dead-transitions", "one-safe", "stable", "live"] {
        let args = format!("ask {net} {topic} --memory 100M --timeout 2s --json");
        let mut child = command(args);
        let mut child = child
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        let usage = child.wait4().expect("it ends").rusage;
        assert!(
            usage.maxrss < (120 + 64) << 20,
            "{topic}: {} bytes",
            usage.maxrss
        );
    }
}

/// No phase outlives the limit of the property. The slack is for busy machines.
#[test]
fn phases_stay_within_the_limit() {
    let folder = Folder::new();
    let nets = [large_net(&folder), ring(&folder, 3000)];
    for net in nets {
        let formulas = "-f 'G F deadlock' -f 'F G !deadlock' -f 'G !deadlock'";
        let args = format!("check {net} {formulas} --timeout 1s --json");
        for answer in lariat(args).json() {
            let phases = answer["phases"].as_array().expect("a list").clone();
            assert!(!phases.is_empty());
            for phase in phases {
                let seconds = phase["seconds"].as_f64().expect("a number");
                assert!(seconds < 4.0, "{phase}");
            }
        }
    }
}
