//! `plot`: tables, plots and a page.

use crate::kit::{Folder, lariat};
use serde_json::json;
use std::fs;

/// One record of results.
fn line(engine: &str, property: &str, answer: Option<&str>, cpu: f64) -> String {
    let record = json!({
        "schema": 1, "campaign": "small", "job": format!("{engine}-{property}"), "model": "kanban-5", "family": "kanban",
        "property": property, "formula": "G a", "group": "", "engine": engine, "repetition": 1, "seed": null,
        "command": ["check", "kanban-5.pnml", "-f", "G a", "--engine", engine],
        "limits": {"seconds": 10.0, "bytes": 1 << 30}, "outcome": answer.unwrap_or("time"), "reason": null, "signal": null,
        "last_words": null, "known": null, "answer": answer, "cpu": cpu, "wall": cpu, "peak_bytes": 1 << 24,
        "engine_seconds": cpu, "order": null, "stats": {}, "version": "0.1.0", "commit": null, "host": "here",
    });
    format!("{record}\n")
}

#[test]
fn files_are_written_beside_the_results() {
    let folder = Folder::new();
    let results = [
        line("sop", "p", Some("holds"), 1.0),
        line("slap", "p", Some("holds"), 2.0),
        line("sop", "q", Some("violated"), 0.5),
        line("slap", "q", None, 10.0),
    ];
    let file = folder.file("results.jsonl", results.concat());
    lariat(format!("plot {file}"))
        .succeeds("answer    cases  result       slap        sop\n")
        .prints("violated      1  fail    1 (100 %)    0 (0 %)\n")
        .prints("index.html");
    let read = |name: &str| fs::read_to_string(format!("{}/plots/{name}", folder.path())).unwrap();
    assert!(read("index.html").contains("lariat check kanban-5.pnml -f 'G a' --engine slap"));
    assert!(read("scatter-slap-sop.svg").starts_with("<svg"));
    assert!(read("cactus.svg").contains("sop (2)"));
    assert_eq!(read("runs.csv").lines().count(), 5);

    // With a folder as input, one kind of plot, and another output folder.
    let out = format!("{}/elsewhere", folder.path());
    let args = format!("plot {} --out {out} --kind cactus", folder.path());
    lariat(args).exits(0);
    let entries = fs::read_dir(&out).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["cactus.svg", "index.html", "runs.csv"]);
}

#[test]
fn contradictions_are_printed_first() {
    let folder = Folder::new();
    let results = [
        line("sop", "p", Some("holds"), 1.0),
        line("slap", "p", Some("violated"), 2.0),
    ];
    let file = folder.file("results.jsonl", results.concat());
    let ran = lariat(format!("plot {file}"))
        .exits(1)
        .prints("other answers: holds");
    assert!(ran.out.starts_with("Contradictions\n"), "{}", ran.out);
}

#[test]
fn wrong_results_are_refused() {
    let folder = Folder::new();
    let good = line("sop", "p", Some("holds"), 1.0);
    let file = folder.file("good.jsonl", &good);
    lariat(format!("plot {file} --engines slap"))
        .refuses("no results of the engine `slap`; there are results of: sop");
    let file = folder.file("bad", format!("{good}{{}}\n"));
    lariat(format!("plot {file}")).refuses("bad: line 2, column 2: not a record");
    let file = folder.file("empty", "");
    lariat(format!("plot {file}")).refuses("there are no results");
    lariat("plot does-not-exist").refuses("does-not-exist: ");
}
