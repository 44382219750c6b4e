//! Exhausted limits and signals: the verdict is unknown.

use crate::kit::{
    Folder, GROWING, LARGE_HOLDS, MUTEX, Ran, command, large_net, lariat, ran, signal, started,
};
use crate::schema::follows;
use serde_json::Value as Json;
use std::fmt::Write as _;
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

/// Each property has one answer if two signals come while the model is read.
#[cfg(unix)]
#[test]
fn two_signals_while_reading_answer_once() {
    let folder = Folder::new();
    let pipe = format!("{}/model", folder.path());
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    for pause in [0, 5, 40] {
        let args = format!("check {pipe} -f true -f false --json");
        let child = started(command(args).stdin(Stdio::null()));
        std::thread::sleep(Duration::from_secs(1));
        signal(&child, "-TERM");
        std::thread::sleep(Duration::from_millis(pause));
        signal(&child, "-TERM");
        let ended = ran(child.wait_with_output().expect("the binary ends"));
        assert_eq!(ended.exits(130).json().len(), 2);
    }
}

/// The beginning and the end of a net.
const BEGIN: &str = "<pnml><net type=\"ptnet\"><page id=\"g\">";
const END: &str = "</page></net></pnml>";

/// A token on a ring of many places.
fn ring(folder: &Folder, places: usize) -> String {
    let mut net = BEGIN.to_owned();
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
    folder.file(&format!("ring-{places}.pnml"), net + END)
}

/// Clients that share a lock: its place is on the arcs of two thirds of the transitions.
fn clients(folder: &Folder, count: usize) -> String {
    let marked = |id: &str| {
        format!("<place id=\"{id}\"><initialMarking><text>1</text></initialMarking></place>")
    };
    let mut net = BEGIN.to_owned() + &marked("lock");
    let mut arcs = 0;
    for i in 0..count {
        net += &marked(&format!("idle{i}"));
        let _ = write!(net, "<place id=\"wait{i}\"/><place id=\"use{i}\"/>");
        let [idle, wait, uses] = ["idle", "wait", "use"].map(|state| format!("{state}{i}"));
        let lock = "lock".to_owned();
        for (name, from, to) in [
            ("ask", vec![&idle], vec![&wait]),
            ("enter", vec![&wait, &lock], vec![&uses]),
            ("leave", vec![&uses], vec![&idle, &lock]),
        ] {
            let name = format!("{name}{i}");
            let _ = write!(net, "<transition id=\"{name}\"/>");
            let arc = |(source, target): (&String, &String)| {
                arcs += 1;
                format!("<arc id=\"a{arcs}\" source=\"{source}\" target=\"{target}\"/>")
            };
            let inputs = from.into_iter().map(|place| (place, &name));
            let outputs = to.into_iter().map(|place| (&name, place));
            net.extend(inputs.chain(outputs).map(arc));
        }
    }
    folder.file("clients.pnml", net + END)
}

/// The peak of the process stays near its memory limit, however many questions, places and
/// transitions there are.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_questions_times_places() {
    let folder = Folder::new();
    let net = ring(&folder, 6000);
    let topics = ["bounds", "dead-transitions", "one-safe", "stable", "live"];
    let topics = topics.map(|topic| format!("ask {net} {topic}"));
    let engines = ["auto", "slap-fst", "explicit"];
    let checks = engines.map(|name| format!("check {net} -f 'G F deadlock' --engine {name}"));
    let others = ["states", "reduce", "draw", "info"].map(|name| format!("{name} {net}"));
    let clients = clients(&folder, 4000);
    let large = ["reduce", "states"].map(|name| format!("{name} {clients}"));
    for topic in topics.into_iter().chain(checks).chain(others).chain(large) {
        let mut child = command(format!("{topic} --memory 100M --timeout 2s"));
        let child = child.stdin(Stdio::null()).stdout(Stdio::null());
        let peak = peak_memory(&mut child.spawn().expect("it starts"));
        assert!(peak < (120 + 64) << 10, "{topic}: {peak} kB");
    }
}

/// The peak of a process in kB, when it has ended. `rusage` is of no use: it includes the peak of
/// the process that starts another one.
#[cfg(target_os = "linux")]
fn peak_memory(child: &mut Child) -> u64 {
    let mut peak = 0;
    while child.try_wait().expect("it ends").is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        peak = peak.max(now.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// Each name is answered even if the model cannot be read in time.
#[test]
fn questions_about_unread_models_are_unknown() {
    let folder = Folder::new();
    let net = ring(&folder, 20_000);
    for (asked, subjects) in [
        ("deadlock", &["deadlock"][..]),
        ("bounds p1 p7", &["p1", "p7"]),
        ("stable", &["stable"]),
    ] {
        let args = format!("ask {net} {asked} --timeout 1ms");
        let answers = lariat(format!("{args} --json")).exits(3).json();
        let about = answers.iter().map(|answer| answer["about"].as_str());
        assert_eq!(about.flatten().collect::<Vec<_>>(), subjects);
        for answer in &answers {
            follows("ask", answer);
            assert_eq!(answer["reason"], "time");
        }
        let line = format!("{}: unknown: time\n", subjects[0]);
        assert!(lariat(args).exits(3).out.starts_with(&line));
    }
}

/// `tokens` that move along a line of places: large numbers, and runs of many steps.
fn line(folder: &Folder, places: usize, tokens: usize) -> String {
    let mut net = BEGIN.to_owned();
    for i in 0..places {
        let start = if i == 0 { tokens } else { 0 };
        let _ = write!(
            net,
            "<place id=\"p{i}\"><initialMarking><text>{start}</text></initialMarking></place>"
        );
    }
    for i in 1..places {
        let last = i - 1;
        let _ = write!(
            net,
            "<transition id=\"t{i}\"/><arc id=\"a{i}\" source=\"p{last}\" target=\"t{i}\"/>\
             <arc id=\"b{i}\" source=\"t{i}\" target=\"p{i}\"/>"
        );
    }
    folder.file(&format!("line-{places}.pnml"), net + END)
}

/// A binary counter of `bits` places and their complements, which has one run of 2^bits steps.
fn counter(folder: &Folder, bits: usize) -> String {
    let mut net = BEGIN.to_owned();
    let mut arcs = 0;
    let mut arc = |source: String, target: String| {
        arcs += 1;
        format!("<arc id=\"a{arcs}\" source=\"{source}\" target=\"{target}\"/>")
    };
    for i in 0..bits {
        let _ = write!(
            net,
            "<place id=\"z{i}\"><initialMarking><text>1</text></initialMarking></place>\
             <place id=\"o{i}\"/><transition id=\"t{i}\"/>"
        );
        for j in 0..=i {
            let [from, to] = if j < i { ["o", "z"] } else { ["z", "o"] };
            net += &arc(format!("{from}{j}"), format!("t{i}"));
            net += &arc(format!("t{i}"), format!("{to}{j}"));
        }
    }
    folder.file("counter.pnml", net + END)
}

/// Seconds by which the phases of these properties exceed their shares, at most.
fn excess(model: &str, formulas: &str, limit: f64) -> f64 {
    let args = format!("check {model} {formulas} --timeout {limit}s --threads 1 --json");
    let mut worst = 0.0_f64;
    for line in lariat(args).out.lines() {
        let mut total = 0.0;
        // The runs are long.
        let (_, phases) = line.split_once("\"phases\":").expect("phases");
        let (phases, _) = phases.split_once(']').expect("a list");
        let phases: Json = serde_json::from_str(&format!("{phases}]")).expect("a list");
        for phase in phases.as_array().expect("a list") {
            let seconds = phase["seconds"].as_f64().expect("a number");
            // Evidence is shortened for half a second, or a tenth of the time that is left.
            let share = match phase["name"].as_str() {
                Some("shortening") => f64::max(0.5, limit / 10.0),
                _ => limit,
            };
            worst = worst.max(seconds - share);
            total += seconds;
        }
        assert!(total > 0.0, "{phases}");
        worst = worst.max(total - limit);
    }
    worst
}

/// No phase exceeds its share by more than half a second. A busy machine delays runs, so the best
/// of a few counts.
#[test]
fn phases_keep_their_shares() {
    let folder = Folder::new();
    let formulas = "-f 'G F deadlock' -f 'F G !deadlock' -f 'G !deadlock' -f 'X F G X deadlock'";
    let many: String = (0..300)
        .map(|i| format!("p{i}: G (p{i} -> F p7)\n"))
        .collect();
    let many = folder.file("many.ltl", many);
    for (net, formulas) in [
        (line(&folder, 26, 16_000), formulas),
        (
            line(&folder, 8, 2000),
            "-f 'F \"p7 >= 2000\"' -f 'G \"p7 <= 1999\"'",
        ),
        (
            counter(&folder, 16),
            "-f 'G F z15' -f 'G !(o15 & o14 & o0)' -f 'F o15'",
        ),
        (large_net(&folder), formulas),
        (ring(&folder, 3000), formulas),
        (ring(&folder, 301), &format!("-F {many}")),
    ] {
        let runs = (0..4).map(|_| excess(&net, formulas, 1.0));
        let best = runs.scan(false, |done, excess| {
            let was_done = std::mem::replace(done, excess <= 0.5);
            (!was_done).then_some(excess)
        });
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(best <= 0.5, "{net}: {best} s beyond a share");
    }
}
