//! The scripts of the GitHub Action, as a runner calls them.
#![cfg(unix)]

use crate::kit::{Folder, Ran, ran};
use std::path::Path;
use std::process::Command;

/// Runs a script of the action with the variables of a runner, in the root of the workspace.
fn run(script: &str, folder: &Folder, variables: &[(&str, &str)]) -> Ran {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = Path::new(env!("CARGO_BIN_EXE_lariat")).parent();
    let program = program.expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let file = |name: &str| format!("{}/{name}", folder.path());
    let output = Command::new(root.join("action").join(script))
        .current_dir(root)
        .env("PATH", format!("{program}:{path}"))
        .env("RUNNER_TEMP", folder.path())
        .env("GITHUB_OUTPUT", file("output"))
        .env("GITHUB_STEP_SUMMARY", file("summary"))
        .env("GITHUB_PATH", file("path"))
        .envs(variables.iter().copied())
        .output();
    ran(output.expect("the script starts"))
}

fn written(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(format!("{}/{name}", folder.path())).unwrap_or_default()
}

#[test]
fn the_action_writes_results_and_fails_like_the_check() {
    let folder = Folder::new();
    let check = [
        ("LARIAT_MODEL", "examples/mutex.pnml"),
        ("LARIAT_FORMULAS", "examples/mutex.ltl\n"),
        ("LARIAT_ARGUMENTS", "--timeout 60s --select no-starvation"),
    ];
    run("check.sh", &folder, &check).exits(1).prints("VIOLATED");
    let results = format!("{}/lariat-results", folder.path());
    assert_eq!(
        written(&folder, "output"),
        format!("exit-code=1\nfiles={results}\n")
    );
    assert!(written(&folder, "summary").contains("VIOLATED  no-starvation"));
    for file in ["lariat.html", "lariat.xml", "lariat.sarif", "lariat.txt"] {
        assert!(
            !written(&folder, &format!("lariat-results/{file}")).is_empty(),
            "{file}"
        );
    }
}

#[test]
fn the_action_reports_wrong_input() {
    let folder = Folder::new();
    let check = [
        ("LARIAT_MODEL", "examples/$(touch mutex).pnml"),
        ("LARIAT_FORMULAS", "examples/mutex.ltl"),
    ];
    run("check.sh", &folder, &check)
        .exits(2)
        .reports("cannot read examples/$(touch mutex).pnml");
    assert_eq!(written(&folder, "output"), "exit-code=2\n");
    // An installed program is used.
    run("install.sh", &folder, &[]).succeeds("/lariat");
    assert_eq!(written(&folder, "path"), "");
}
