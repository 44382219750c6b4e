//! State spaces of Promela models compared with those of SPIN.
//!
//! The models are in the folder that `LARIAT_MODELS` names, or beside the workspace; if there are
//! none, the test reports that and passes. Models of more than `LARIAT_STATES` (30 000) states are
//! skipped.

use lariat_budget::{Budget, RunContext};
use lariat_corpora::{models, number, table};
use lariat_model::{Deadlock, Finding, FindingKind};
use lariat_space::explicit::{Explicit, count};
use std::fs;

/// Models with another number of states, and the reason: a hidden variable is part of the state.
const DIFFERENT: [(&str, u64); 1] = [("own_typedef", 4551)];

#[test]
fn promela_models_have_the_states_of_spin() {
    let Some(folder) = models("promela") else {
        return;
    };
    let limit = number("LARIAT_STATES", 30_000);
    let mut explored = 0;
    for line in table(&folder.join("INDEX.tsv")) {
        let name = &line[0];
        let states: u64 = line[2].parse().expect("a number of states");
        if states > limit {
            continue;
        }
        let path = folder.join(format!("{name}.pml"));
        let text = fs::read(&path).expect("a readable model");
        let origin = path.display().to_string();
        let model = lariat_formats::promela::read(&origin, &text);
        let system = model.unwrap_or_else(|error| panic!("{error}")).system;
        let findings = &system.findings;
        let claims: Vec<_> = findings.iter().map(Finding::holds).collect();
        let space = Explicit::new(&system, Deadlock::Stutter);
        let found = count(&space, &claims, RunContext::quiet(&Budget::unlimited()));
        assert_eq!(found.stop, None, "{name}");
        let other = DIFFERENT.iter().find(|(model, _)| model == name);
        assert_eq!(found.states, other.map_or(states, |(_, n)| *n), "{name}");
        let failed = |kind: FindingKind| -> u64 {
            let of_kind = findings
                .iter()
                .zip(&found.failed)
                .filter(|(f, _)| f.kind == kind);
            of_kind.map(|(_, failed)| *failed).sum()
        };
        let rows = table(&folder.join(format!("{name}.tsv")));
        let row = |kind: &str| rows.iter().find(|row| row[0] == kind).expect("a row");
        let ends = format!("count={}", failed(FindingKind::EndState));
        if other.is_none() {
            assert_eq!(ends, row("deadlock")[7], "{name}");
        }
        let fails = failed(FindingKind::Assertion) > 0;
        assert_eq!(fails, row("assert")[3] == "yes", "{name}");
        explored += 1;
    }
    assert!(explored > 30, "{explored}");
}
