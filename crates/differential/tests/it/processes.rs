//! The distributed engine on several processes against the oracle.

use lariat_differential::processes;
use lariat_testkit::Campaign;
use std::path::Path;

#[test]
fn several_processes_agree_with_the_oracle() {
    let program = Path::new(env!("CARGO_BIN_EXE_lariat-differential"));
    let replay = "cargo test -p lariat-differential processes";
    let campaign = Campaign::from_env(8).replayed_by(replay);
    let mut subjects = processes::subjects(2, program);
    subjects.extend(processes::subjects(4, program));
    campaign.pass(&subjects);
}
