//! Fairness of every transition, for engines with direct support and with extended automata.

use crate::asking::{
    about_philosophers, by, check_anew, decide, event, first_question, holds, reading, system,
};
use lariat::internals::{
    Budget, Constraint, Decision, Fairness, Plan, StatValue, Statistic, Strength,
};
use lariat_emptiness::Marks;

/// Checks a formula about philosophers, all of whose transitions are weakly fair.
fn ask(engine: &str, philosophers: u32, formula: &str) -> Decision {
    let (system, properties) = about_philosophers(philosophers, formula);
    let (subject, property) = first_question(&system, &properties);
    let fair = |event| {
        let name = &system.event(event).name;
        Constraint::of_events(name, Strength::Weak, vec![event])
    };
    let subject = subject.assuming(Fairness {
        told: vec!["weak all".to_owned()],
        constraints: system.event_ids().map(fair).collect(),
    });
    let options = by(Plan::of(engine));
    check_anew(&subject, property, &options, &Budget::unlimited())
}

/// A depth-first search in a fixed event order would first visit the loops of few philosophers.
#[test]
fn a_fair_run_is_found_by_alternating_events() {
    let starves = r#"G ("WaitsLeft_1 = 1" -> F "HasRight_1 = 1")"#;
    let report = ask("explicit", 12, starves);
    assert!(!holds(&report));
    let Some(StatValue::Count(states)) = report.account.stats.get(Statistic::PRODUCT_STATES) else {
        panic!("{:?}", report.account);
    };
    assert!(*states < 1_000, "{states} product states");
}

/// All constraints together have more atoms than an automaton may have.
#[test]
fn constraints_are_added_by_need() {
    let served = ask("ba", 9, r#"G ("Thinking_1 = 1" -> F "Thinking_1 = 0")"#);
    assert!(holds(&served));
    for engine in ["slap", "sop", "ba", "walk"] {
        let starves = ask(engine, 9, r#"G ("WaitsLeft_1 = 1" -> F "HasRight_1 = 1")"#);
        assert!(!holds(&starves), "{engine}");
    }
}

/// Engines that support constraints directly.
#[test]
fn many_constraints_are_supported_directly() {
    for engine in ["hyb", "slap-fst", "owcty"] {
        let served = ask(engine, 20, r#"G ("Thinking_1 = 1" -> F "Thinking_1 = 0")"#);
        assert!(holds(&served), "{engine}");
        let starves = ask(engine, 20, r#"G ("WaitsLeft_1 = 1" -> F "HasRight_1 = 1")"#);
        assert!(!holds(&starves), "{engine}");
    }
}

/// The automaton needs steps at `s` and visits of `t` infinitely often. A run that visits `t`
/// infinitely often must take the step from there to `z`, where it stays. Removing `t` leaves the
/// steps at `s`, a set that is not closed under successors.
#[test]
fn strong_fairness_leaves_sets_that_are_not_closed() {
    let events = vec![
        event("wait", &[(0, 1, 0)]),
        event("go", &[(0, 1, -1), (1, 0, 1)]),
        event("come", &[(0, 0, 1), (1, 1, -1)]),
        event("leave", &[(1, 1, -1), (2, 0, 1)]),
        event("rest", &[(2, 1, 0)]),
    ];
    let system = system(&["s", "t", "z"], events, &[1, 0, 0]);
    for [of_s, of_t] in [[0, 1], [1, 0]].map(|marks| marks.map(Marks::one)) {
        let automaton = reading(
            2,
            &[
                &[(Some(0), of_s, 0), (Some(0), Marks::NONE, 1)],
                &[(Some(1), of_t, 0)],
            ],
        );
        let never = (r#"F "s >= 1" & F "t >= 1""#, Some(&automaton));
        for engine in ["owcty", "el", "slap-fst", "explicit"] {
            let fair = decide(Plan::of(engine), &system, never, &[(Strength::Strong, 3)]);
            assert!(holds(&fair), "{engine}");
            let unfair = decide(Plan::of(engine), &system, never, &[(Strength::Strong, 0)]);
            assert!(!holds(&unfair), "{engine}");
        }
    }
}
