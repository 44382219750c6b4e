//! Finite prefixes as evidence: violations are found in nets without recurring markings.

use crate::asking::{by, check, event, one_property, system};
use lariat::internals::ir::{EvidenceKind, Lasso, Names};
use lariat::internals::{
    Budget, CheckOptions, Deadlock, Decision, EarnedVerdict, EngineChoice, Interpretation, Plan,
    ReplayedProperty, Schedule, Shortening, replay,
};
use lariat_model::{EventId, State, System};

/// A token moves from `p0` to `r` in five steps, and `leave` moves it on to `s`. Every transition
/// adds to `heap`, so that no marking recurs; `idle` does nothing else.
fn growing() -> System {
    let names = ["p0", "p1", "p2", "p3", "p4", "r", "s", "heap"];
    let moves = |from: u32| [(from, 1, -1), (from + 1, 0, 1), (7, 0, 1)];
    let mut events = vec![event("idle", &[(7, 0, 1)])];
    events.extend((0..5).map(|i| event(&format!("t{i}"), &moves(i))));
    events.push(event("leave", &moves(5)));
    system(&names, events, &[1, 0, 0, 0, 0, 0, 0, 0])
}

fn checked(
    engine: EngineChoice,
    deadlock: Deadlock,
    formula: &str,
    shortening: Shortening,
) -> Decision {
    let options = CheckOptions {
        deadlock,
        shortening,
        ..by(engine)
    };
    let budget = Budget::unlimited().with_work(2_000_000);
    check(&growing(), formula, &options, &budget)
}

fn by_engine(name: &str, formula: &str) -> Decision {
    let engine = EngineChoice::Plan(Plan::of(name));
    checked(engine, Deadlock::Stutter, formula, Shortening::Counted)
}

fn lasso(report: &Decision) -> &Lasso {
    match &report.verdict {
        EarnedVerdict::Violated(replayed) => replayed.lasso(),
        other => panic!("{}: {other:?}", report.engine.name()),
    }
}

/// The atom `heap <= 900` is not settled in any covering run, so that only a prefix is evidence.
const NEVER_R: &str = r#"G !("r >= 1" & "heap <= 900")"#;

#[test]
fn prefixes_are_found_in_nets_without_recurring_markings() {
    let plans = ["explicit", "ba", "ta", "tgta", "walk", "hyb"]
        .map(|name| EngineChoice::Plan(Plan::of(name)));
    // With little work in its first searches `auto` proceeds to facts and reductions.
    let rounds = Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        ..Schedule::default()
    };
    let auto = [EngineChoice::default(), EngineChoice::Auto(rounds)];
    for choice in plans.into_iter().chain(auto) {
        for shortening in [Shortening::Counted, Shortening::Insist] {
            let report = checked(choice.clone(), Deadlock::Stutter, NEVER_R, shortening);
            let run = lasso(&report);
            assert_eq!(run.kind(), EvidenceKind::Prefix, "{}", report.engine.name());
            assert_eq!(run.prefix.len(), 5, "{}", report.engine.name());
            assert_eq!(report.bad, Some(5), "{}", report.engine.name());
        }
        let report = checked(choice, Deadlock::Stutter, NEVER_R, Shortening::Never);
        assert!(lasso(&report).prefix.len() >= 5, "{}", report.engine.name());
    }
}

#[test]
fn prefixes_include_the_event_that_the_property_names() {
    let formula = r#"G !(fires(leave) & X "heap <= 900")"#;
    for engine in ["explicit", "walk"] {
        let report = by_engine(engine, formula);
        let run = lasso(&report);
        assert_eq!((run.prefix.len(), run.cycle.len()), (6, 0), "{engine}");
        assert_eq!(report.bad, Some(6), "{engine}");
    }
    // The letter of the last state needs the event that is taken from it.
    let report = by_engine("explicit", r#"G !(fires(leave) & "heap <= 900")"#);
    assert_eq!(lasso(&report).prefix.len(), 6);
    assert_eq!(report.bad, Some(5));
}

/// No run takes `leave` while `p0` has a token. If one deciding event were enough, the first state
/// would be taken as evidence, which the replay refuses.
#[test]
fn a_state_is_evidence_if_it_decides_with_every_event() {
    let formula = r#"G !(("p0 >= 1" & fires(leave)) | ("r >= 1" & "heap <= 900"))"#;
    for engine in ["owcty", "el", "slap", "slap-fst", "sop"] {
        let report = by_engine(engine, formula);
        assert_eq!(lasso(&report).kind(), EvidenceKind::Prefix, "{engine}");
    }
}

#[test]
fn evidence_is_infinite_if_finite_runs_do_not_count() {
    let walk = EngineChoice::Plan(Plan::of("walk"));
    for choice in [walk, EngineChoice::default()] {
        let report = checked(choice, Deadlock::Ignore, NEVER_R, Shortening::Counted);
        let (run, engine) = (lasso(&report), report.engine.name());
        assert_eq!(run.kind(), EvidenceKind::Covering, "{engine}");
        let bad = report.bad.expect("a bad position");
        assert!(run.states()[bad][5] >= 1, "{engine}");
    }
}

#[test]
fn structural_facts_do_not_make_a_prefix_evidence() {
    // `p0` never has two tokens, so every run is a violation; progression does not show it.
    let (auto, formula) = (EngineChoice::default(), r#"F "p0 >= 2""#);
    let report = checked(auto, Deadlock::Stutter, formula, Shortening::Counted);
    assert_ne!(lasso(&report).kind(), EvidenceKind::Prefix);
}

#[test]
fn the_replay_checks_prefixes() {
    let system = growing();
    let step = |event: u32, state: [i64; 8]| (Some(EventId(event)), State::from(state));
    let run = Lasso::through(
        system.initial[0].clone(),
        [
            step(1, [0, 1, 0, 0, 0, 0, 0, 1]),
            step(2, [0, 0, 1, 0, 0, 0, 0, 2]),
        ],
        [],
    );
    let replay_prefix = |formula: &str, deadlock, run: &Lasso| {
        let properties = one_property(&Names::of(&system), formula);
        let property = ReplayedProperty::Formula(&properties.formulas, properties.list[0].formula);
        let meaning = Interpretation {
            system: &system,
            propositions: &properties.propositions,
        };
        let replayed = replay(meaning, property, deadlock, run, &Budget::unlimited());
        replayed.map_err(|error| error.to_string())
    };
    let under = Deadlock::Stutter;
    assert_eq!(replay_prefix(r#"G "p2 = 0""#, under, &run), Ok(()));
    assert_eq!(replay_prefix(r#"G "p1 = 0""#, under, &run), Ok(()));
    assert_eq!(replay_prefix("X X X false", under, &run), Ok(()));
    assert_eq!(replay_prefix("fires(t1)", under, &run), Ok(()));
    for open in [r#"G "r = 0""#, r#"F "r >= 1""#, "X X fires(t2)", "X X X p2"] {
        let why = replay_prefix(open, under, &run).unwrap_err();
        assert!(why.contains("has continuations"), "{open}: {why}");
    }
    let why = replay_prefix(r#"G "p2 = 0""#, Deadlock::Ignore, &run).unwrap_err();
    assert!(why.contains("does not show an infinite run"), "{why}");
    let mut jump = run.clone();
    jump.prefix.remove(0);
    assert!(replay_prefix(r#"G "p2 = 0""#, under, &jump).is_err());
}
