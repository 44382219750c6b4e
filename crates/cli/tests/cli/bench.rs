//! Campaigns, with real processes: limits, crashes, kills, contradictions.

use crate::kit::{Folder, Ran, command, ended, ran, signal, started};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A campaign of one small model and one formula.
fn campaign(folder: &Folder, engines: &str, time: &str, extra: &str) -> String {
    let text = format!(
        r#"
name = "test"
engines = [{engines}]
limits = {{ time = "{time}", memory = "64M" }}
{extra}
[[models]]
generate = "kanban"
sizes = [1]

[[properties]]
formulas = ["true"]
"#
    );
    folder.file("test.toml", text)
}

/// An executable shell script.
#[cfg(unix)]
fn script(folder: &Folder, name: &str, lines: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.file(name, format!("#!/bin/sh\n{lines}\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("a script");
    path
}

fn bench(folder: &Folder, campaign: &str, more: &str) -> Ran {
    let out = format!("{}/out", folder.path());
    let mut command = command(format!("bench {campaign} --out {out} {more}"));
    ended(command.env_remove("LARIAT_MODELS").stdin(Stdio::null()))
}

/// The records of a campaign.
#[track_caller]
fn records(folder: &Folder) -> Vec<Json> {
    let path = format!("{}/out/results.jsonl", folder.path());
    let text = std::fs::read_to_string(path).expect("results");
    let parse = |line| serde_json::from_str(line).expect("a record");
    text.lines().map(parse).collect()
}

#[track_caller]
fn of<'r>(records: &'r [Json], engine: &str) -> &'r Json {
    let found = records.iter().find(|record| record["engine"] == engine);
    found.expect(engine)
}

#[test]
fn the_tiny_campaign_agrees_and_is_not_repeated() {
    let folder = Folder::new();
    let tiny = "campaigns/tiny.toml";
    bench(&folder, tiny, "--dry-run")
        .succeeds("check campaigns/../examples/mutex.pnml")
        .prints("to be chosen");
    bench(&folder, tiny, "--jobs 2")
        .succeeds("slap-pub")
        .prints("lariat plot");
    let first = records(&folder);
    // Formulas: two of mutex, two random ones per kanban net, two with events. Six counts.
    assert_eq!(first.len(), (2 + 4 + 2) * 3 + 6);
    for record in &first {
        let outcome = record["outcome"].as_str().unwrap();
        assert!(
            ["holds", "violated", "counted"].contains(&outcome),
            "{record}"
        );
        assert!(record["peak_bytes"].as_u64() > Some(100_000), "{record}");
        assert!(record["cpu"].as_f64() > Some(0.0), "{record}");
    }
    let ids: BTreeSet<&str> = first.iter().filter_map(|r| r["job"].as_str()).collect();
    assert_eq!(ids.len(), first.len());
    bench(&folder, tiny, "").exits(0).reports("30 already done");
    assert_eq!(records(&folder), first);
    let record = first.iter().find(|r| r["outcome"] == "violated").unwrap();
    let words = record["command"].as_array().unwrap();
    let words = words.iter().filter_map(Json::as_str);
    ended(command("").args(words).stdin(Stdio::null())).exits(1);
}

#[test]
fn shards_partition_the_jobs() {
    let folder = Folder::new();
    let net = "[[models]]\ngenerate = \"kanban\"\nsizes = [1, 2, 3]\n";
    let text = format!(
        "states = [\"explicit\", \"symbolic\"]\nlimits = {{ time = \"20s\", memory = \"1G\" }}\n{net}"
    );
    let path = folder.file("shards.toml", text);
    let jobs = |more: &str| -> BTreeSet<String> {
        let ran = bench(&folder, &path, &format!("--dry-run {more}")).exits(0);
        let lines = ran.out.lines().filter(|line| line.contains(" states "));
        lines.map(str::to_owned).collect()
    };
    let all = jobs("");
    assert_eq!(all.len(), 6);
    let parts = ["1/3", "2/3", "3/3"].map(|shard| jobs(&format!("--shard {shard}")));
    assert_eq!(parts.iter().map(BTreeSet::len).sum::<usize>(), 6);
    assert_eq!(parts.into_iter().flatten().collect::<BTreeSet<_>>(), all);
    bench(&folder, &path, "--shard 4/3").exits(2);
}

#[cfg(unix)]
#[test]
fn crashes_and_limits_do_not_affect_other_jobs() {
    let folder = Folder::new();
    let words = "echo some words >&2; echo last words >&2; kill -SEGV $$";
    let programs = [
        ("segv", words, "crash"),
        ("panic", "echo it panicked >&2; exit 101", "crash"),
        ("babble", "echo '{\"verdict\":'; exit 0", "crash"),
        ("lie", "echo '{\"verdict\":\"holds\"}'; exit 1", "crash"),
        // These ignore their limits, which the runner enforces.
        ("sleeper", "sleep 1000 & sleep 1000", "time"),
        ("glutton", "exec tail /dev/zero", "memory"),
    ];
    let of_program = |name: &str| {
        let path = format!("{}/{name}", folder.path());
        format!("{{ name = \"{name}\", args = \"x\", program = \"{path}\" }}")
    };
    let mut engines = format!("\"explicit\", {}", of_program("gone"));
    for (name, lines, _) in programs {
        script(&folder, name, lines);
        engines += &format!(", {}", of_program(name));
    }
    let campaign = campaign(&folder, &engines, "2s", "");
    let start = Instant::now();
    bench(&folder, &campaign, "--jobs 2").exits(0);
    assert!(start.elapsed() < Duration::from_secs(60));
    let records = records(&folder);
    let outcome = |engine: &str| of(&records, engine)["outcome"].as_str().unwrap();
    for (name, _, expected) in programs {
        assert_eq!(outcome(name), expected, "{name}");
    }
    assert_eq!(of(&records, "segv")["signal"], 11);
    assert_eq!(of(&records, "segv")["last_words"], "some words\nlast words");
    assert_eq!(of(&records, "panic")["last_words"], "it panicked");
    assert_eq!(outcome("gone"), "crash");
    assert_eq!(outcome("explicit"), "holds");
}

/// Processor time is limited separately if the campaign limits the clock.
#[cfg(target_os = "linux")]
#[test]
fn the_system_limits_processor_time() {
    let folder = Folder::new();
    script(&folder, "busy", "while :; do :; done");
    let program = format!("program = \"{}/busy\"", folder.path());
    let path = campaign(&folder, "\"a\"", "1s", &program);
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("\"64M\"", "\"64M\", clock = \"2min\"");
    let path = folder.file("clock.toml", text);
    bench(&folder, &path, "").exits(0);
    let record = records(&folder).remove(0);
    assert_eq!(record["outcome"], "time");
    assert_eq!(record["signal"], 24);
    assert!(record["cpu"].as_f64() < Some(1.5), "{record}");
    assert!(record["wall"].as_f64() < Some(60.0), "{record}");
}

#[test]
fn lariat_respects_its_limits() {
    let folder = Folder::new();
    let text = |limits: &str| {
        format!(
            "engines = [\"explicit\"]\nlimits = {{ {limits} }}\n[[models]]\ngenerate = \"kanban\"\nsizes = [9]\n\
             [[properties]]\nformulas = ['G \"cards_1 <= 9\"']\n"
        )
    };
    for (name, limits) in [
        ("time", "time = \"200ms\", memory = \"1G\""),
        ("memory", "time = \"60s\", memory = \"8M\""),
    ] {
        let path = folder.file(&format!("{name}.toml"), text(limits));
        let out = format!("{}/{name}", folder.path());
        ended(command(format!("bench {path} --out {out}")).stdin(Stdio::null())).exits(0);
        let results = std::fs::read_to_string(format!("{out}/results.jsonl")).unwrap();
        let record: Json = serde_json::from_str(&results).unwrap();
        assert_eq!(record["outcome"], name);
        assert_eq!(record["reason"], name);
        assert_eq!(record["signal"], Json::Null);
    }
}

#[cfg(unix)]
#[test]
fn contradictions_are_printed_first() {
    let folder = Folder::new();
    let violated = "echo '{\"verdict\":\"violated\"}'; exit 1";
    script(&folder, "wrong", violated);
    let program = format!("{}/wrong", folder.path());
    let wrong = format!("{{ name = \"wrong\", args = \"x\", program = \"{program}\" }}");
    let both = campaign(&folder, &format!("\"explicit\", {wrong}"), "20s", "");
    for _ in 0..2 {
        // In the second round all results are already recorded.
        let ran = bench(&folder, &both, "").exits(101);
        assert!(ran.out.starts_with("DISAGREE"), "{}", ran.out);
        ran.prints("explicit says holds, wrong says violated")
            .prints("    lariat check ")
            .prints(&format!("    {program} check "));
    }
    let other = Folder::new();
    let text = std::fs::read_to_string(campaign(&other, &wrong, "20s", "")).unwrap();
    let text = text.replace("[\"true\"]", "[{ formula = \"true\", known = \"holds\" }]");
    let known = other.file("known.toml", text);
    let ran = bench(&other, &known, "").exits(1);
    assert!(ran.out.starts_with("WRONG"), "{}", ran.out);
}

/// A campaign of six jobs that sleep.
#[cfg(unix)]
fn slow(folder: &Folder, seconds: &str) -> String {
    let lines = format!("sleep {seconds}; echo '{{\"verdict\":\"holds\"}}'");
    script(folder, "slow", &lines);
    let program = format!("{}/slow", folder.path());
    let engines = "\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"";
    campaign(folder, engines, "20s", &format!("program = \"{program}\""))
}

#[cfg(unix)]
fn wait_for_lines(folder: &Folder, lines: usize) {
    let path = format!("{}/out/results.jsonl", folder.path());
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if text.lines().count() >= lines {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no results");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Number of processes whose command line contains `text`.
#[cfg(target_os = "linux")]
fn alive(text: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let lines = processes.filter_map(|entry| {
        let line = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.filter(|line| line.contains(text)).count()
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_campaign_leaves_no_process_and_resumes() {
    let folder = Folder::new();
    let path = slow(&folder, "0.3");
    let out = format!("{}/out", folder.path());
    let mut child = command(format!("bench {path} --out {out} --jobs 2"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    wait_for_lines(&folder, 2);
    child.kill().expect("kill -9");
    child.wait().expect("it is dead");
    let before = records(&folder).len();
    assert!((2..6).contains(&before), "{before}");
    // Workers detect the end of the runner, and end their jobs.
    let start = Instant::now();
    let program = format!("{}/slow", folder.path());
    while alive(&program) > 0 {
        assert!(start.elapsed() < Duration::from_secs(10), "a job survived");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(records(&folder).len(), before, "a process still writes");
    // Simulates a kill in the middle of a line.
    let results = format!("{out}/results.jsonl");
    let mut text = std::fs::read_to_string(&results).unwrap();
    text.push_str("{\"schema\":1,\"campaign\":\"te");
    std::fs::write(&results, text).unwrap();
    bench(&folder, &path, "--jobs 2").exits(0);
    let records = records(&folder);
    let engines = records.iter().filter_map(|r| r["engine"].as_str());
    let engines: BTreeSet<&str> = engines.collect();
    assert_eq!(records.len(), 6);
    assert_eq!(engines, BTreeSet::from(["a", "b", "c", "d", "e", "f"]));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_a_campaign_which_holds_a_lock() {
    let folder = Folder::new();
    let path = slow(&folder, "1");
    let out = format!("{}/out", folder.path());
    let mut command = command(format!("bench {path} --out {out}"));
    let child = started(command.stdin(Stdio::null()));
    wait_for_lines(&folder, 1);
    bench(&folder, &path, "").refuses("another campaign is writing to it");
    signal(&child, "-INT");
    ran(child.wait_with_output().expect("it ends"))
        .exits(130)
        .prints("interrupted: ");
    let done = records(&folder).len();
    assert!((1..6).contains(&done), "{done}");
}

#[test]
fn missing_models_are_reported() {
    let folder = Folder::new();
    let text = "states = [\"explicit\"]\nlimits = { time = \"20s\", memory = \"1G\" }\n\
                [[models]]\ncontest = [\"Nowhere-PT-1\"]\n[[models]]\nfiles = [\"no/such.pnml\"]\n";
    let path = folder.file("missing.toml", text);
    bench(&folder, &path, "")
        .refuses("missing: Nowhere-PT-1")
        .reports("no/such.pnml")
        .reports("nothing to run");
    let some = format!("{text}[[models]]\ngenerate = \"kanban\"\nsizes = [1]\n");
    let path = folder.file("some.toml", some);
    bench(&folder, &path, "")
        .exits(0)
        .reports("missing: Nowhere-PT-1");
    assert_eq!(records(&folder).len(), 1);
}

#[test]
fn errors_in_campaigns_have_positions() {
    let folder = Folder::new();
    let wrong = |engines: &str, formulas: &str| {
        let path = campaign(&folder, engines, "1s", "");
        let text = std::fs::read_to_string(&path).unwrap();
        let path = folder.file("test.toml", text.replace("[\"true\"]", formulas));
        bench(&folder, &path, "--dry-run").exits(2)
    };
    wrong("\"slab\"", "[\"true\"]")
        .reports("slab")
        .reports("test.toml:3:12");
    wrong("\"explicit --fast\"", "[\"true\"]").reports("--fast");
    wrong("\"owcty --emptiness iec\"", "[\"true\"]").reports("fixpoint");
    wrong("\"explicit\"", "[\"G card_1\"]")
        .reports("no place or transition is called `card_1`")
        .reports("did you mean")
        .reports("test.toml:11:13");
    wrong("\"explicit\"", "[true]").reports("expected a formula");
    bench(&folder, "no/such.toml", "").exits(2);
}

#[test]
fn shipped_campaigns_are_valid() {
    let campaigns = format!("{}/../../campaigns", env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for entry in std::fs::read_dir(campaigns).expect("campaigns") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "toml") {
            let folder = Folder::new();
            let text = std::fs::read_to_string(&path).expect("a campaign");
            if !text.contains("[[models]]") {
                // Definitions of other tools, which campaigns include.
                continue;
            }
            lariat_campaign::file::read(&path, &text).expect("a valid campaign");
            // Expands presets and families, without generating random formulas.
            let cut = text.split("[[properties]]").next().unwrap_or_default();
            let property = "\n[[properties]]\nformulas = [\"true\"]\n";
            let has_engines = cut.contains("\nengines");
            let cut = cut.to_owned() + if has_engines { property } else { "" };
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
            let cut = cut
                .replace("../examples", &format!("{root}/examples"))
                .replace("\"symmetry/", &format!("\"{root}/campaigns/symmetry/"));
            let file = folder.file("cut.toml", cut);
            let ran = bench(&folder, &file, "--dry-run");
            // Some campaigns are about external models only.
            if !ran
                .err
                .contains("every model or property of the campaign is missing")
            {
                ran.exits(0);
            }
            seen += 1;
        }
    }
    assert!(seen >= 9, "{seen}");
}
