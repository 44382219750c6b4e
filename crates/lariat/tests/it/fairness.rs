//! Fairness of every transition of a net: found soon, by engines that are given constraints as such and by those that read them in an automaton.

use crate::asking::about_philosophers;
use lariat::model::Properties;
use lariat::{
    Budget, Constraint, Explored, Fairness, Figure, Options, Plan, Property, Quiet, Report,
    Statistic, Strength, Subject, Systems, Verdict, check,
};

/// The answer to a formula about philosophers, all of whose transitions are weakly fair.
fn ask(engine: &str, philosophers: u32, formula: &str) -> Report {
    let (system, properties) = about_philosophers(philosophers, formula);
    let Properties {
        formulas,
        propositions,
        list,
        ..
    } = &properties;
    let fair = |event| {
        let name = &system.event(event).name;
        Constraint::of_events(name, Strength::Weak, vec![event])
    };
    let subject = Subject::of_system(&system, formulas, propositions).assuming(Fairness {
        told: vec!["weak all".to_owned()],
        constraints: system.event_ids().map(fair).collect(),
    });
    check(
        &subject,
        Property::Formula(list[0].formula),
        &Options {
            choice: Plan::of(engine).into(),
            ..Options::default()
        },
        &mut Explored::new(&Systems::new()),
        &Budget::unlimited(),
        &Quiet,
    )
}

fn holds(report: &Report) -> bool {
    match &report.verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("{reason}: {:?}", report.account),
    }
}

/// In the order of the system the first loops are those of the first philosophers alone, and a fair one is found among 200 000 states.
#[test]
fn a_fair_run_is_found_in_turn() {
    let starves = r#"G ("WaitsLeft_1 = 1" -> F "HasRight_1 = 1")"#;
    let report = ask("explicit", 12, starves);
    assert!(!holds(&report));
    let Some(Figure::Count(states)) = report.account.stats.get(Statistic::PRODUCT_STATES) else {
        panic!("{:?}", report.account);
    };
    assert!(*states < 1_000, "{states} product states");
}

/// Thirty-six constraints are seventy-two atoms, more than an automaton has.
#[test]
fn constraints_are_read_by_need() {
    let served = ask("ba", 9, r#"G ("Thinking_1 = 1" -> F "Thinking_1 = 0")"#);
    assert!(holds(&served));
    for engine in ["slap", "sop", "ba", "walk"] {
        let starves = ask(engine, 9, r#"G ("WaitsLeft_1 = 1" -> F "HasRight_1 = 1")"#);
        assert!(!holds(&starves), "{engine}");
    }
}

/// Engines that know constraints as such.
#[test]
fn many_constraints_are_known_as_such() {
    for engine in ["hyb", "slap-fst", "owcty"] {
        let served = ask(engine, 20, r#"G ("Thinking_1 = 1" -> F "Thinking_1 = 0")"#);
        assert!(holds(&served), "{engine}");
        let starves = ask(engine, 20, r#"G ("WaitsLeft_1 = 1" -> F "HasRight_1 = 1")"#);
        assert!(!holds(&starves), "{engine}");
    }
}
