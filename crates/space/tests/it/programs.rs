//! State spaces of DVE and ETF models compared with their published sizes.
//!
//! The models are in the folder that `LARIAT_MODELS` names, or beside the workspace; if there are
//! none, the tests report that and pass. Models of more than `LARIAT_STATES` (30 000) states are
//! skipped.

use crate::{counted, reached};
use lariat_budget::{Budget, RunContext};
use lariat_corpora::{each_case, models, number, table};
use lariat_model::{Deadlock, Domain, Finding, Overflow, System, Value};
use lariat_space::explicit::{Explicit, ExplicitCounts, count};
use lariat_space::symbolic::UBig;
use lariat_testkit::programs;
use std::fs;
use std::path::Path;

fn limit() -> u64 {
    number("LARIAT_STATES", 30_000)
}

fn explore(system: &System) -> ExplicitCounts {
    counted(&Explicit::new(system, Deadlock::Stutter), &system.name)
}

/// Compares with the same figures on diagrams, for systems that are small enough.
fn agrees_symbolically(system: &System, explicit: &ExplicitCounts, name: &str) {
    if explicit.states > limit() / 3 {
        return;
    }
    let Ok(Some(mut reached)) = reached(system, &Budget::bytes(2 << 30)) else {
        panic!("{name}: not all states were found");
    };
    let (space, states) = (&mut reached.space, &reached.states);
    let census = space.census(states, true).expect("figures");
    let dead = space.dead(states).expect("deadlocks");
    let dead = space.census(&dead, false).expect("figures");
    let figures = [census.states, census.edges.expect("asked for"), dead.states];
    let wanted = [explicit.states, explicit.edges, explicit.deadlocks];
    assert_eq!(figures, wanted.map(UBig::from), "{name}");
    let overflow = space.overflow(states).expect("an answer");
    assert_eq!(overflow.is_some(), explicit.overflow.is_some(), "{name}");
}

fn dve(path: &Path) -> lariat_formats::dve::Dve {
    let text = fs::read(path).expect("a readable model");
    let name = path.display().to_string();
    assert!(lariat_formats::dve::looks_like_dve(&text), "{name}");
    lariat_formats::dve::read(&name, &text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn dve_models_have_the_published_sizes() {
    let Some(folder) = models("dve") else { return };
    let mut explored = 0;
    for line in table(&folder.join("index.tsv")) {
        let model = dve(&folder.join(format!("{}.dve", line[0])));
        let states: u64 = line[4].parse().expect("a number of states");
        if states <= limit() {
            let found = explore(&model.system);
            let figures = (found.states, found.overflow);
            assert_eq!(figures, (states, None), "{}", line[0]);
            agrees_symbolically(&model.system, &found, &line[0]);
            explored += 1;
        }
    }
    assert!(explored > 10);
}

#[test]
fn dve_features_have_the_expected_sizes() {
    let Some(folder) = models("dve/features") else {
        return;
    };
    for line in table(&folder.join("expected.tsv")) {
        let model = dve(&folder.join(format!("{}.dve", line[0])));
        let found = explore(&model.system);
        agrees_symbolically(&model.system, &found, &line[0]);
        let figures = [found.states, found.edges, found.deadlocks];
        for (figure, want) in figures.iter().zip(&line[1..4]) {
            assert!(
                want == "?" || *want == figure.to_string(),
                "{line:?}: {figures:?}"
            );
        }
    }
}

#[test]
fn overflow_is_reported() {
    let text = |last: u32| {
        format!(
            "byte n; process P {{ state a; init a; trans a -> a {{ guard n < {last}; effect n = n + 100; }}; }} system async;"
        )
    };
    let found = |last| {
        let model = lariat_formats::dve::read("model", text(last).as_bytes());
        let system = model.unwrap_or_else(|e| panic!("{e}")).system;
        let found = explore(&system);
        agrees_symbolically(&system, &found, "overflow");
        found
    };
    assert_eq!((found(200).states, found(200).overflow), (3, None));
    assert_eq!(found(201).overflow.map(|var| var.index()), Some(0));
}

#[test]
fn assertions_are_evaluated_in_every_state() {
    let text = "byte n; process P { state a, b; init a; assert a: n < 2, b: n == 3;
        trans a -> a { guard n < 3; effect n = n + 1; }, a -> b { guard n == 3; }; } system async;";
    let model =
        lariat_formats::dve::read("model", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let claims: Vec<_> = model.system.findings.iter().map(Finding::holds).collect();
    let space = Explicit::new(&model.system, Deadlock::Stutter);
    let found = count(&space, &claims, RunContext::quiet(&Budget::unlimited()));
    assert_eq!((found.states, found.failed), (5, vec![2, 0]));
}

#[test]
fn property_processes_are_not_part_of_the_system() {
    let Some(folder) = models("dve/property-process") else {
        return;
    };
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (base, _) = name.split_once(".prop").expect("model and property");
        let with = dve(&path);
        let without = dve(&folder.join(format!("../{base}.dve")));
        assert_eq!(with.system, without.system, "{name}");
        let property = with.property.expect("a property process");
        assert!(!property.edges.is_empty() && !property.accepting.is_empty());
    }
}

#[test]
fn etf_models_have_the_published_sizes() {
    let Some(folder) = models("etf") else { return };
    for line in table(&folder.join("index.tsv")) {
        let path = folder.join(format!("{}.etf", line[0]));
        let text = fs::read(&path).expect("a readable model");
        assert!(lariat_formats::etf::looks_like_etf(&text));
        assert!(!lariat_formats::dve::looks_like_dve(&text));
        let model = lariat_formats::etf::read(&line[0], &text).unwrap_or_else(|e| panic!("{e}"));
        let found = explore(&model.system);
        agrees_symbolically(&model.system, &found, &line[0]);
        let figures = [found.states, found.edges, found.deadlocks].map(|n| n.to_string());
        assert_eq!(figures, line[1..4], "{}", line[0]);
        let sizes = [model.system.events.len(), model.maps.len()].map(|n| n.to_string());
        assert_eq!(sizes, line[5..7], "{}", line[0]);
    }
}

/// The condition for overflow agrees with the interpreter in random states of random programs.
#[test]
fn the_condition_for_overflow_is_exact() {
    let (mut exceeding, mut not, mut unknown) = (0, 0, 0);
    each_case(4_000, |random| {
        let system = programs::any(random);
        let overflow = system.overflow();
        for _ in 0..8 {
            let state: Vec<Value> = { system.variables.iter() }
                .map(|variable| match &variable.domain {
                    Domain::Count { bound } => random.below(bound.unwrap_or(2) + 1) as Value,
                    Domain::Range { low, high } => random.between(*low, *high),
                    Domain::Names(names) => random.below(names.len()) as Value,
                })
                .collect();
            let exceeds = system.exceeding_step(&state).is_some();
            match &overflow {
                Overflow::TooLarge => unknown += 1,
                Overflow::Never => assert!(!exceeds, "{system:?} {state:?}"),
                Overflow::When(bad) => {
                    assert_eq!(system.holds(bad, &state), exceeds, "{system:?} {state:?}");
                    *(if exceeds { &mut exceeding } else { &mut not }) += 1;
                }
            }
        }
    });
    assert!(exceeding > 100 && not > 100, "{exceeding} {not}");
    assert!(unknown < exceeding + not, "{unknown}");
}
