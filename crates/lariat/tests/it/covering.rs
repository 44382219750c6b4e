//! Covering runs: which ones the replay accepts.

use crate::asking::{about, by, check, event, holds, system};
use lariat::internals::{
    Budget, CheckOptions, Interpretation, Plan, ReductionChoice, ReplayedProperty, Rules, replay,
};
use lariat_model::{Deadlock, EventId, Lasso, State, System};

/// A token alternates between `a` and `b` and adds tokens to `heap`; `dump` needs five of them.
fn turns() -> System {
    let events = vec![
        event("go", &[(0, 1, -1), (1, 0, 1), (2, 0, 1)]),
        event("come", &[(0, 0, 1), (1, 1, -1)]),
        event("dump", &[(2, 5, -5)]),
    ];
    system(&["a", "b", "heap"], events, &[1, 0, 0])
}

fn step(event: u32, state: [i64; 3]) -> (Option<EventId>, State) {
    (Some(EventId(event)), state.into())
}

/// `go`, then `release` and `go` infinitely often.
fn rounds() -> Lasso {
    Lasso {
        growth: Some(vec![0, 0, 1].into()),
        ..Lasso::through(
            vec![1, 0, 0].into(),
            [step(0, [0, 1, 1])],
            [step(1, [1, 0, 1]), step(0, [0, 1, 2])],
        )
    }
}

fn replayed(lasso: &Lasso, formula: &str) -> Result<(), String> {
    let system = turns();
    // Atoms of other properties do not matter.
    let (properties, list) = about(&system, &[formula, "F \"heap == 3\""]);
    let property = ReplayedProperty::Formula(&properties.formulas, list[0]);
    let meaning = Interpretation {
        system: &system,
        propositions: &properties.propositions,
    };
    let unlimited = Budget::unlimited();
    let under = |deadlock| {
        let replayed = replay(meaning, property, deadlock, lasso, &unlimited);
        replayed.map_err(|error| error.to_string())
    };
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
    let lasso = Lasso {
        growth: Some(vec![0, 0, -4].into()),
        ..Lasso::through(
            vec![1, 0, 0].into(),
            (1..=5).flat_map(|k| [step(0, [0, 1, k]), step(1, [1, 0, k])]),
            [step(0, [0, 1, 6]), step(1, [1, 0, 6]), step(2, [1, 0, 1])],
        )
    };
    let why = replayed(&lasso, "F G a").unwrap_err();
    assert!(why.contains("does not close"), "{why}");
}

/// A run lifted from a reduced net is shortened again. Its loop must not begin where an atom is not
/// settled, even an irrelevant one: the replay checks all of them.
#[test]
fn lifted_runs_stay_settled() {
    let fill = event("fill", &[(0, 0, 1), (1, 0, 1)]);
    let system = system(&["full", "sink"], vec![fill], &[0, 0]);
    let formula = r#"!G (!"full = 0" | (false U "full = 0"))"#;
    let options = CheckOptions {
        reduce: ReductionChoice::Only(Rules::all()),
        ..by(Plan::of("walk"))
    };
    let report = check(&system, formula, &options, &Budget::unlimited());
    assert!(!holds(&report));
}
