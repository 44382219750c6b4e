//! A reader that goes away is no reason to panic.

use crate::kit::{command, ran};
use std::process::Stdio;

#[test]
fn nobody_listens() {
    for args in [
        &["generate", "philosophers", "5000"][..],
        &["check", "examples/mutex.pnml", "-F", "examples/mutex.ltl"],
        &[
            "check",
            "examples/mutex.pnml",
            "-F",
            "examples/mutex.ltl",
            "--json",
        ],
        &["states", "examples/mutex.pnml"],
        &["info", "examples/mutex.pnml"],
        &["translate", "GFa"],
    ] {
        let mut child = command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // Closes the reading end before anything is written, or soon after.
        drop(child.stdout.take());
        let ended = ran(child.wait_with_output().expect("the binary ends"));
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        assert!(matches!(ended.code, Some(0 | 1 | 3)), "{ended:?}");
    }
}
