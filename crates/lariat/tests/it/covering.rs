//! Covering runs: which ones the replay accepts.

use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, EngineChoice, Plan, PropertyForm, ReductionChoice, Rules,
    RunContext, SpaceCache, Subject, Systems,
};
use lariat::internals::{ReplayedProperty, replay};
use lariat_model::{
    Action, Arc, Deadlock, Domain, Event, EventId, Lasso, Names, PropertyList, Step, System, VarId,
    Variable,
};

/// Arcs of a transition: place, tokens needed, tokens added.
pub fn event(name: &str, arcs: &[(u32, i64, i64)]) -> Event {
    let arc = |(var, need, delta): &(u32, i64, i64)| Arc {
        var: VarId(*var),
        need: *need,
        delta: *delta,
    };
    Event {
        name: name.to_owned(),
        action: Action::Net(arcs.iter().map(arc).collect()),
    }
}

/// A token alternates between `a` and `b` and adds tokens to `heap`; `dump` needs five of them.
fn turns() -> System {
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        domain: Domain::Count { bound: None },
    };
    System {
        variables: ["a", "b", "heap"].map(variable).into(),
        events: vec![
            event("go", &[(0, 1, -1), (1, 0, 1), (2, 0, 1)]),
            event("come", &[(0, 0, 1), (1, 1, -1)]),
            event("dump", &[(2, 5, -5)]),
        ],
        initial: vec![vec![1, 0, 0].into()],
        ..System::default()
    }
}

fn step(event: u32, state: [i64; 3]) -> Step {
    Step {
        event: Some(EventId(event)),
        state: state.into(),
    }
}

/// `go`, then `release` and `go` infinitely often.
fn rounds() -> Lasso {
    Lasso {
        initial: vec![1, 0, 0].into(),
        prefix: vec![step(0, [0, 1, 1])],
        cycle: vec![step(1, [1, 0, 1]), step(0, [0, 1, 2])],
        growth: Some(vec![0, 0, 1].into()),
    }
}

fn replayed(lasso: &Lasso, formula: &str) -> Result<(), String> {
    let system = turns();
    let mut properties = PropertyList::new();
    let names = Names::of(&system);
    properties
        .add_formula(&names, "formula", None, formula)
        .unwrap();
    // Atoms of other properties do not matter.
    properties
        .add_formula(&names, "other", None, "F \"heap == 3\"")
        .unwrap();
    let PropertyList {
        formulas,
        propositions,
        list,
        ..
    } = &properties;
    let property = ReplayedProperty::Formula(formulas, list[0].formula);
    let under = |deadlock| replay(&system, propositions, property, deadlock, lasso);
    assert_eq!(under(Deadlock::Stutter), under(Deadlock::Ignore));
    under(Deadlock::Stutter)
}

#[test]
fn a_covering_run_is_evidence_where_all_atoms_are_settled() {
    for violated in [
        "F G a",
        "G !\"fireable(come)\"",
        "F G !fires(go)",
        "F deadlock",
        "F G (a & \"heap >= 1\")",
        "F \"heap == 0\" & F G a",
        "F G (a | \"a + heap <= 0\")",
    ] {
        assert_eq!(replayed(&rounds(), violated), Ok(()), "{violated}");
    }
    let satisfied = replayed(&rounds(), "G F a").unwrap_err();
    assert!(satisfied.contains("does not violate"), "{satisfied}");
}

#[test]
fn atoms_that_more_tokens_change_are_refused() {
    for unsettled in [
        "F \"heap >= 5\"",
        "G \"heap < 5\" & F G a",
        "F \"heap == 4\"",
        "G \"heap != 4\" & F G a",
        "F \"fireable(dump)\"",
        "F \"heap - a >= 7\"",
    ] {
        let why = replayed(&rounds(), unsettled).unwrap_err();
        assert!(why.contains("may change"), "{unsettled}: {why}");
    }
}

#[test]
fn growth_must_equal_what_a_round_adds_and_not_be_negative() {
    for growth in [
        None,
        Some(vec![0, 0, 0]),
        Some(vec![0, 0, 2]),
        Some(vec![0, 1, 1]),
        Some(vec![0, 0]),
    ] {
        let lasso = Lasso {
            growth: growth.map(Vec::into_boxed_slice),
            ..rounds()
        };
        let why = replayed(&lasso, "F G a").unwrap_err();
        assert!(why.contains("does not close"), "{why}");
    }
    let mut lasso = Lasso {
        initial: vec![1, 0, 0].into(),
        prefix: Vec::new(),
        cycle: Vec::new(),
        growth: Some(vec![0, 0, -4].into()),
    };
    for k in 1..=5 {
        lasso.prefix.push(step(0, [0, 1, k]));
        lasso.prefix.push(step(1, [1, 0, k]));
    }
    lasso.cycle = vec![step(0, [0, 1, 6]), step(1, [1, 0, 6]), step(2, [1, 0, 1])];
    let why = replayed(&lasso, "F G a").unwrap_err();
    assert!(why.contains("does not close"), "{why}");
}

/// A run lifted from a reduced net is shortened again. Its loop must not begin where an atom is not
/// settled, even an irrelevant one: the replay checks all of them.
#[test]
fn lifted_runs_stay_settled() {
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        domain: Domain::Count { bound: None },
    };
    let system = System {
        variables: ["full", "sink"].map(variable).into(),
        events: vec![event("fill", &[(0, 0, 1), (1, 0, 1)])],
        initial: vec![vec![0, 0].into()],
        ..System::default()
    };
    let mut properties = PropertyList::new();
    let formula = r#"!G (!"full = 0" | (false U "full = 0"))"#;
    properties
        .add_formula(&Names::of(&system), "test", None, formula)
        .unwrap();
    let report = lariat::internals::check_subject(
        &Subject::of_system(&system, &properties.formulas, &properties.propositions),
        PropertyForm::Formula(properties.list[0].formula),
        &CheckOptions {
            engine: EngineChoice::Plan(Plan::of("walk")),
            reduce: ReductionChoice::Only(Rules::all()),
            ..CheckOptions::default()
        },
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited()),
    );
    assert!(
        matches!(report.verdict, EarnedVerdict::Violated(_)),
        "{:?}",
        report.verdict
    );
}
