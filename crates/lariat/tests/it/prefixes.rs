//! Finite prefixes as evidence: violations are found in nets without recurring markings.

use lariat::internals::ir::{EvidenceKind, Lasso, Names, PropertyList};
use lariat::internals::{
    Budget, CheckOptions, Deadlock, Decision, EarnedVerdict, EngineChoice, Plan, PropertyForm,
    RunContext, Schedule, Shortening, SpaceCache, Subject, Systems, check_subject,
};
use lariat::internals::{ReplayedProperty, replay};
use lariat_model::{Action, Arc, Domain, Event, EventId, Step, System, VarId, Variable};

/// A token moves from `p0` to `r` in five steps, and `leave` moves it on to `s`. Every transition
/// adds to `heap`, so that no marking recurs; `thread_pool` does nothing else.
fn growing() -> System {
    let names = ["p0", "p1", "p2", "p3", "p4", "r", "s", "heap"];
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        domain: Domain::Count { bound: None },
    };
    let arc = |var: u32, need, delta| Arc {
        var: VarId(var),
        need,
        delta,
    };
    let event = |name: String, arcs: Vec<Arc>| Event {
        name,
        action: Action::Net(arcs),
    };
    let moves = |from: u32| vec![arc(from, 1, -1), arc(from + 1, 0, 1), arc(7, 0, 1)];
    let mut events = vec![event("idle".to_owned(), vec![arc(7, 0, 1)])];
    events.extend((0..5).map(|i| event(format!("t{i}"), moves(i))));
    events.push(event("leave".to_owned(), moves(5)));
    System {
        variables: names.map(variable).into(),
        events,
        initial: vec![vec![1, 0, 0, 0, 0, 0, 0, 0].into()],
        ..System::default()
    }
}

fn checked(
    engine: EngineChoice,
    deadlock: Deadlock,
    formula: &str,
    shortening: Shortening,
) -> Decision {
    let system = growing();
    let properties = bound(&system, formula);
    check_subject(
        &Subject::of_system(&system, &properties.formulas, &properties.propositions),
        PropertyForm::Formula(properties.list[0].formula),
        &CheckOptions {
            engine,
            deadlock,
            shortening,
            ..CheckOptions::default()
        },
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited().with_work(2_000_000)),
    )
}

fn bound(system: &System, formula: &str) -> PropertyList {
    let mut properties = PropertyList::new();
    let names = Names::of(system);
    let added = properties.add_formula(&names, "test", None, formula);
    added.unwrap();
    properties
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
        let report = checked(
            choice.clone(),
            Deadlock::Stutter,
            NEVER_R,
            Shortening::Never,
        );
        assert!(lasso(&report).prefix.len() >= 5, "{}", report.engine.name());
    }
}

#[test]
fn prefixes_include_the_event_that_the_property_names() {
    let formula = r#"G !(fires(leave) & X "heap <= 900")"#;
    for engine in ["explicit", "walk"] {
        let plan = EngineChoice::Plan(Plan::of(engine));
        let report = checked(plan, Deadlock::Stutter, formula, Shortening::Counted);
        let run = lasso(&report);
        assert_eq!((run.prefix.len(), run.cycle.len()), (6, 0), "{engine}");
        assert_eq!(report.bad, Some(6), "{engine}");
    }
    // The letter of the last state needs the event that is taken from it.
    let report = checked(
        EngineChoice::Plan(Plan::of("explicit")),
        Deadlock::Stutter,
        r#"G !(fires(leave) & "heap <= 900")"#,
        Shortening::Counted,
    );
    assert_eq!(lasso(&report).prefix.len(), 6);
    assert_eq!(report.bad, Some(5));
}

/// No run takes `leave` while `p0` has a token. If one deciding event were enough, the first state
/// would be taken as evidence, which the replay refuses.
#[test]
fn a_state_is_evidence_if_it_decides_with_every_event() {
    let formula = r#"G !(("p0 >= 1" & fires(leave)) | ("r >= 1" & "heap <= 900"))"#;
    for engine in ["owcty", "el", "slap", "slap-fst", "sop"] {
        let plan = EngineChoice::Plan(Plan::of(engine));
        let report = checked(plan, Deadlock::Stutter, formula, Shortening::Counted);
        assert_eq!(lasso(&report).kind(), EvidenceKind::Prefix, "{engine}");
    }
}

#[test]
fn evidence_is_infinite_if_finite_runs_do_not_count() {
    for choice in [
        EngineChoice::Plan(Plan::of("walk")),
        EngineChoice::default(),
    ] {
        let report = checked(choice, Deadlock::Ignore, NEVER_R, Shortening::Counted);
        let run = lasso(&report);
        assert_eq!(
            run.kind(),
            EvidenceKind::Covering,
            "{}",
            report.engine.name()
        );
        let bad = report
            .bad
            .expect("a position after which every continuation violates it");
        let states: Vec<_> = std::iter::once(&run.initial)
            .chain(run.steps().map(|step| &step.state))
            .collect();
        assert!(states[bad][5] >= 1, "{}", report.engine.name());
    }
}

#[test]
fn structural_facts_do_not_make_a_prefix_evidence() {
    // `p0` never has two tokens, so every run is a violation; progression does not show it.
    let report = checked(
        EngineChoice::default(),
        Deadlock::Stutter,
        r#"F "p0 >= 2""#,
        Shortening::Counted,
    );
    assert_ne!(lasso(&report).kind(), EvidenceKind::Prefix);
}

#[test]
fn the_replay_checks_prefixes() {
    let system = growing();
    let step = |event: u32, state: [i64; 8]| Step {
        event: Some(EventId(event)),
        state: state.into(),
    };
    let run = Lasso {
        initial: system.initial[0].clone(),
        prefix: vec![
            step(1, [0, 1, 0, 0, 0, 0, 0, 1]),
            step(2, [0, 0, 1, 0, 0, 0, 0, 2]),
        ],
        cycle: Vec::new(),
        growth: None,
    };
    let replay_prefix = |formula: &str, deadlock, run: &Lasso| {
        let properties = bound(&system, formula);
        let property = ReplayedProperty::Formula(&properties.formulas, properties.list[0].formula);
        replay(&system, &properties.propositions, property, deadlock, run)
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
