//! Statistics of contest nets, if they are available.

use crate::{counted, reached};
use lariat_budget::{Budget, Stop};
use lariat_corpora::{cases, models, table};
use lariat_formats::read_model;
use lariat_model::{Deadlock, System};
use lariat_space::explicit::Explicit;
use lariat_space::symbolic::{Reached, UBig};

/// The place/transition nets with their known number of states; empty, with a message, if they are
/// not available.
fn nets() -> Vec<(String, String, System)> {
    let Some(mcc) = models("mcc") else {
        return Vec::new();
    };
    let mut nets = Vec::new();
    for fields in table(&mcc.join("index.tsv")) {
        let [name, kind, _, _, _, states, ..] = &fields[..] else {
            continue;
        };
        if kind != "PT" {
            continue;
        }
        let bytes = std::fs::read(mcc.join(name).join("model.pnml")).unwrap();
        let system = read_model(name, &bytes).unwrap();
        nets.push((name.to_owned(), states.to_owned(), system));
    }
    nets
}

/// Every net with a known number of states that takes little work; the bench `statespaces` counts
/// the others. Unbounded nets are recognized.
#[test]
fn small_contest_nets_have_their_known_sizes() {
    let nets = nets();
    let mut known = 0;
    for (name, states, system) in &nets {
        let budget = Budget::bytes(1 << 30).with_work(150_000);
        match reached(system, &budget) {
            Ok(Some(mut reached)) => {
                let census = reached.space.census(&reached.states, false).unwrap();
                assert_eq!(census.states.to_string(), *states, "{name}");
                known += 1;
            }
            Ok(None) => assert_eq!(states, "+inf", "{name}"),
            Err(Stop::Work(_)) => {}
            Err(stop) => panic!("{name}: {stop}"),
        }
    }
    assert!(nets.is_empty() || known >= 15, "only {known} were counted");
}

/// States, edges, tokens and deadlocks equal those of an explicit exploration, on nets with up to a
/// thousand states per case (`LARIAT_CASES`).
#[test]
fn figures_agree_with_explicit_exploration() {
    let most = 1000 * cases(20) as u64;
    for (name, states, system) in nets() {
        if !states.parse::<u64>().is_ok_and(|s| s <= most) {
            continue;
        }
        let space = Explicit::new(&system, Deadlock::Stutter);
        let single = counted(&space, &name);
        let Ok(Some(mut reached)) = reached(&system, &Budget::bytes(2 << 30)) else {
            panic!("{name}: not reached");
        };
        let Reached { space, states, .. } = &mut *reached;
        let census = space.census(states, true).unwrap();
        assert_eq!(census.states, UBig::from(single.states), "{name}");
        assert_eq!(census.edges, Some(UBig::from(single.edges)), "{name}");
        let tokens = (census.max_tokens_in_place, census.max_tokens);
        let expected = (single.max_tokens_in_place, single.max_tokens);
        assert_eq!(tokens, expected, "{name}");
        let dead = space.dead(states).unwrap();
        let dead = space.store().count(&dead);
        assert_eq!(dead, UBig::from(single.deadlocks), "{name}");
        println!("{name}: {} states, {} edges", single.states, single.edges);
    }
}
