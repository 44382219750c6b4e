//! The progress line on a terminal. `script` provides the terminal; without it nothing is tested.

use crate::kit::{Folder, LARGE_HOLDS, ended, large_net};
use std::path::Path;
use std::process::Command;

/// The output of the binary to a terminal, run by the command `before` (such as `timeout`); `None`
/// without a terminal.
pub fn on_a_terminal(before: &str, args: &str) -> Option<String> {
    if !Path::new("/usr/bin/script").exists() {
        eprintln!("no `script`: not tested");
        return None;
    }
    let line = format!("{before} {} {args}", env!("CARGO_BIN_EXE_lariat"));
    let mut script = Command::new("/usr/bin/script");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    script
        .current_dir(root)
        .args(["-qec", &line, "/dev/null"])
        .env_remove("NO_COLOR");
    Some(ended(&mut script).out)
}

/// Characters of the spinner that begins every progress line: Braille patterns.
const SPINNER: fn(char) -> bool = |c| ('\u{2800}'..='\u{28ff}').contains(&c);
const ERASE: &str = "\u{1b}[2K";

#[test]
fn short_runs_draw_nothing() {
    for args in [
        "check examples/mutex.pnml -f 'G F critical_1' --color never",
        "states examples/mutex.pnml --color never",
    ] {
        let Some(seen) = on_a_terminal("", args) else {
            return;
        };
        assert!(!seen.contains(SPINNER), "{seen}");
        assert!(!seen.contains('\u{1b}'), "{seen:?}");
    }
}

#[test]
fn progress_names_the_engine_and_is_erased() {
    let folder = Folder::new();
    let model = large_net(&folder);
    for engine in ["explicit", "auto"] {
        let args = format!("check {model} -f '{LARGE_HOLDS}' --engine {engine}");
        let limits = "--no-reduce --timeout 2s --color never";
        let Some(seen) = on_a_terminal("", &format!("{args} {limits}")) else {
            return;
        };
        // `auto` decides the invariant by structural facts.
        if engine == "explicit" {
            assert!(seen.contains("explicit, emptiness check: "), "{seen:?}");
            assert!(seen.contains(" product states"), "{seen:?}");
        }
        let last = seen.rfind(SPINNER);
        let erased = seen.rfind(ERASE);
        assert!(last <= erased, "{seen:?}");
        let verdict = seen.find("HOLDS ").or(seen.find("UNKNOWN "));
        assert!(verdict > last, "{seen:?}");
    }
}

/// The verdict names the engine that was running when the signal came.
#[test]
fn ctrl_c_names_the_running_engine() {
    let folder = Folder::new();
    let model = large_net(&folder);
    let args = format!("check {model} -f '{LARGE_HOLDS}' --engine explicit --color never");
    // Sends one signal, to the binary only: a second one would kill it.
    let Some(seen) = on_a_terminal("timeout --foreground -s INT 1", &args) else {
        return;
    };
    assert!(seen.contains("UNKNOWN"), "{seen:?}");
    assert!(seen.contains("[interrupted; explicit, "), "{seen:?}");
    let last = seen.rfind(SPINNER);
    assert!(last < seen.rfind("UNKNOWN"), "{seen:?}");
}
