//! The programs in the folder `examples` run and print what they promise.

use std::path::PathBuf;
use std::process::Command;

/// The output of an example; `None` if cargo did not build the examples (`cargo test --test it`).
fn output(example: &str) -> Option<String> {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent()?.parent()?;
    let program: PathBuf = profile.join("examples").join(example);
    if !program.exists() {
        println!("skipped: {} was not built", program.display());
        return None;
    }
    let ran = Command::new(program).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    Some(String::from_utf8(ran.stdout).unwrap())
}

fn prints(example: &str, expected: &[&str]) {
    let Some(text) = output(example) else {
        return;
    };
    for line in expected {
        assert!(text.contains(line), "no `{line}` in:\n{text}");
    }
}

#[test]
fn check_prints_a_run_by_names() {
    prints("check", &["violated by", "loop ask_2"]);
}

#[test]
fn check_all_prints_a_report_per_property() {
    let reports = [
        "HOLDS     exclusion",
        "VIOLATED  progress",
        "HOLDS     reachable",
    ];
    prints("check_all", &reports);
}

#[test]
fn ask_prints_deadlocks_bounds_and_states() {
    prints(
        "ask",
        &["no deadlock", "at most 1 tokens in critical_1", "states"],
    );
}
