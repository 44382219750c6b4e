//! Fairness of every transition of a net: found soon, by engines that are given constraints as such and by those that read them in an automaton.

use crate::asking::about_philosophers;
use crate::covering::event;
use lariat::automata::{Automaton, Guards, StateId, Transition};
use lariat::ltl::AtomId;
use lariat::model::{Domain, Event, EventId, Names, Properties, Variable};
use lariat::{
    Budget, Constraint, Explored, Fairness, Figure, Options, Plan, Property, Quiet, Report,
    Statistic, Strength, Subject, System, Systems, Verdict, check,
};
use lariat_emptiness::Marks;

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

/// A net with a token in the first of its places.
fn net(places: &[&str], events: Vec<Event>) -> System {
    let variable = |name: &&str| Variable {
        name: (*name).to_owned(),
        domain: Domain::Count { bound: None },
    };
    System {
        variables: places.iter().map(variable).collect(),
        events,
        initial: vec![(0..places.len()).map(|i| i64::from(i == 0)).collect()],
        ..System::default()
    }
}

/// The answer to the formula, or whether a run is accepted by the automaton over its atoms, if one event is fair.
fn asked(
    engine: &str,
    system: &System,
    (formula, never): (&str, Option<&Automaton>),
    (strength, fair): (Strength, u32),
) -> Report {
    let mut properties = Properties::new();
    properties
        .add_formula(&Names::of(system), "test", None, formula)
        .unwrap();
    let subject = Subject::of_system(system, &properties.formulas, &properties.propositions);
    let formula = Property::Formula(properties.list[0].formula);
    check(
        &subject.assuming(Fairness {
            told: vec!["one event".to_owned()],
            constraints: vec![Constraint::of_events("it", strength, vec![EventId(fair)])],
        }),
        never.map_or(formula, Property::Never),
        &Options {
            choice: Plan::of(engine).into(),
            ..Options::default()
        },
        &mut Explored::new(&Systems::new()),
        &Budget::unlimited(),
        &Quiet,
    )
}

/// An automaton over two atoms: for every state its edges, each with the atom that it asks for, its marks and its target.
fn reading(marks: u32, states: &[&[(Option<u32>, Marks, u32)]]) -> Automaton {
    let mut guards = Guards::new();
    let mut edge = |&(atom, marks, to): &(Option<u32>, Marks, u32)| Transition {
        guard: atom.map_or(Guards::TRUE, |i| guards.atom(i as usize)),
        marks,
        to: StateId(to),
    };
    let states = (states.iter())
        .map(|edges| edges.iter().map(&mut edge).collect())
        .collect();
    Automaton {
        atoms: vec![AtomId(0), AtomId(1)],
        guards,
        mark_count: marks,
        initial: vec![StateId(0)],
        states,
    }
}

/// The automaton wants steps at `s` and visits of `t` for ever. A run that visits `t` for ever must take the step from there to `z`, and then it ends. What is left when `t` is gone
/// are the steps at `s` alone; that `t` can be reached from there is no matter.
#[test]
fn strong_fairness_leaves_sets_that_are_not_closed() {
    let events = vec![
        event("wait", &[(0, 1, 0)]),
        event("go", &[(0, 1, -1), (1, 0, 1)]),
        event("come", &[(0, 0, 1), (1, 1, -1)]),
        event("leave", &[(1, 1, -1), (2, 0, 1)]),
        event("rest", &[(2, 1, 0)]),
    ];
    let system = net(&["s", "t", "z"], events);
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
            let fair = asked(engine, &system, never, (Strength::Strong, 3));
            assert!(holds(&fair), "{engine}");
            let unfair = asked(engine, &system, never, (Strength::Strong, 0));
            assert!(!holds(&unfair), "{engine}");
        }
    }
}
