//! A reader that closes stdout causes no panic.

use crate::kit::{command, ran, started};
use std::process::Stdio;

#[test]
fn closed_stdout_is_no_panic() {
    for args in [
        "generate philosophers 5000",
        "check examples/mutex.pnml -F examples/mutex.ltl",
        "check examples/mutex.pnml -F examples/mutex.ltl --json",
        "states examples/mutex.pnml",
        "info examples/mutex.pnml",
        "translate GFa",
    ] {
        let mut child = started(command(args).stdin(Stdio::null()));
        // Closes the reading end, often before the first write.
        drop(child.stdout.take());
        let ended = ran(child.wait_with_output().expect("the binary ends"));
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        assert!(matches!(ended.code, Some(0 | 1 | 3)), "{ended:?}");
    }
}
