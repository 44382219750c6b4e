//! Contest nets are counted right, where they are at hand.

use lariat_budget::{Budget, Quiet, Stop};
use lariat_model::{Deadlock, read_model};
use lariat_space::symbolic::{OrderChoice, Reach, reach};
use std::path::PathBuf;

/// Every place/transition net with a known number of states that takes little work; the
/// example `statespaces` counts the others. Unbounded nets are called so.
#[test]
fn small_contest_nets_have_their_known_sizes() {
    let models = std::env::var_os("LARIAT_MODELS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"),
        PathBuf::from,
    );
    let mcc = models.join("mcc");
    let Ok(index) = std::fs::read_to_string(mcc.join("index.tsv")) else {
        println!("skipped: no contest nets in {}", mcc.display());
        return;
    };
    let mut counted = 0;
    for line in index.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, "PT", _, _, _, states, ..] = fields[..] else {
            continue;
        };
        let bytes = std::fs::read(mcc.join(name).join("model.pnml")).unwrap();
        let system = read_model(name, &bytes).unwrap();
        let budget = Budget::bytes(1 << 30).with_work(150_000);
        match reach(
            &system,
            &OrderChoice::Auto,
            Deadlock::Stutter,
            &budget,
            &Quiet,
        ) {
            Ok(Reach::All(mut reached)) => {
                let census = reached.space.census(&reached.states, false).unwrap();
                assert_eq!(census.states.to_string(), states, "{name}");
                counted += 1;
            }
            Ok(Reach::Unbounded(_)) => assert_eq!(states, "+inf", "{name}"),
            Err(Stop::Work(_)) => {}
            Err(stop) => panic!("{name}: {stop}"),
        }
    }
    assert!(counted >= 15, "only {counted} nets were counted");
}
