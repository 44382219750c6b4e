//! The example protocols: planted bugs are found, and corrected versions are correct.

use lariat::modelling::{Checker, Model};
use std::time::{Duration, Instant};

#[allow(dead_code, reason = "the `main` of an example is not called")]
#[path = "../../examples/paxos.rs"]
mod paxos;
#[allow(dead_code, reason = "the `main` of an example is not called")]
#[path = "../../examples/raft_election.rs"]
mod raft_election;
#[allow(dead_code, reason = "the `main` of an example is not called")]
#[path = "../../examples/replicated_register.rs"]
mod replicated_register;
#[allow(dead_code, reason = "the `main` of an example is not called")]
#[path = "../../examples/two_phase_commit.rs"]
mod two_phase_commit;

/// Checks the corrected protocol, then the one with a bug, whose page shows messages.
fn check<M: Model>(checker: impl Fn(bool) -> Checker<M>, safety: &str, liveness: &str) {
    for formula in [safety, liveness] {
        let report = checker(false).check(formula).unwrap();
        assert_eq!(report.holds(), Some(true), "{report}");
    }
    let begun = Instant::now();
    let report = checker(true).check(safety).unwrap();
    assert_eq!(report.holds(), Some(false), "{report}");
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    let page = report.page();
    let messages = page.split(r#""messages":"#).nth(1).expect("a page");
    assert!(!messages.starts_with("{}"), "no arrows");
    assert!(
        page.contains(r#""always":true"#),
        "no lanes for silent nodes"
    );
}

#[test]
fn two_phase_commit_is_atomic() {
    use two_phase_commit::{LIVENESS, SAFETY, checker};
    check(|impatient| checker(3, impatient), SAFETY, LIVENESS);
}

#[test]
fn paxos_agrees() {
    use paxos::{LIVENESS, SAFETY, checker};
    check(checker, SAFETY, LIVENESS);
}

#[test]
fn raft_elects_one_leader_per_term() {
    use raft_election::{LIVENESS, SAFETY, checker};
    check(|generous| checker(1, generous), SAFETY, LIVENESS);
}

#[test]
fn reads_of_a_replicated_register_do_not_go_back() {
    use replicated_register::{LIVENESS, SAFETY, checker};
    check(checker, SAFETY, LIVENESS);
}
