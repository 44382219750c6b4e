//! The example protocols: planted bugs are found, and corrected versions are correct.

use lariat::modelling::{Checker, Model};
use std::time::{Duration, Instant};

#[path = "../../examples/paxos.rs"]
mod paxos;
#[path = "../../examples/raft_election.rs"]
mod raft_election;
#[path = "../../examples/replicated_register.rs"]
mod replicated_register;
#[path = "../../examples/two_phase_commit.rs"]
mod two_phase_commit;

/// Makes the checks of an example's `_main`: of the corrected protocol, then of the one with a bug,
/// whose page shows messages.
fn check<M: Model>(
    _main: fn() -> Result<(), lariat::Error>,
    checker: impl Fn(bool) -> Checker<M>,
    [safety, liveness]: [&str; 2],
) {
    for formula in [safety, liveness] {
        let report = checker(false).check(formula).unwrap();
        assert_eq!(report.holds(), Some(true), "{report}");
    }
    let begun = Instant::now();
    let report = checker(true).check(safety).unwrap();
    assert_eq!(report.holds(), Some(false), "{report}");
    // Two seconds without optimisation of dependencies, on a loaded machine.
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
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
    use two_phase_commit::{LIVENESS, SAFETY, checker, main};
    check(main, checker, [SAFETY, LIVENESS]);
}

#[test]
fn paxos_agrees() {
    use paxos::{LIVENESS, SAFETY, checker, main};
    check(main, checker, [SAFETY, LIVENESS]);
}

#[test]
fn raft_elects_one_leader_per_term() {
    use raft_election::{LIVENESS, SAFETY, checker, main};
    check(main, checker, [SAFETY, LIVENESS]);
}

#[test]
fn reads_of_a_replicated_register_do_not_go_back() {
    use replicated_register::{LIVENESS, SAFETY, checker, main};
    check(main, checker, [SAFETY, LIVENESS]);
}
