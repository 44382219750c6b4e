//! What several tests begin with: philosophers and a property of them, questions about small systems, automata.

use lariat::automata::{Automaton, Guards, StateId, Transition};
use lariat::ltl::{AtomId, Formula};
use lariat::model::generate::{Family, generate};
use lariat::model::order::OrderName;
use lariat::model::{EventId, Names, Properties};
use lariat::{
    Budget, Constraint, Explored, Fairness, Options, OrderChoice, Plan, Property, Quiet, Report,
    Schedule, Strength, Subject, System, Systems, Verdict, check,
};
use lariat_emptiness::Marks;

/// So many philosophers, and a formula about them.
pub fn about_philosophers(philosophers: u32, formula: &str) -> (System, Properties) {
    let system = generate(Family::Philosophers, philosophers).unwrap();
    let (properties, _) = about(&system, &[formula]);
    (system, properties)
}

/// These formulas about a system.
pub fn about(system: &System, formulas: &[&str]) -> (Properties, Vec<Formula>) {
    let mut properties = Properties::new();
    let names = Names::of(system);
    for formula in formulas {
        let added = properties.add_formula(&names, "test", None, formula);
        added.unwrap();
    }
    let list = properties.list.iter().map(|p| p.formula).collect();
    (properties, list)
}

/// What is asked by the first of some formulas about a system.
pub fn first_question<'s>(
    system: &'s System,
    properties: &'s Properties,
) -> (Subject<'s>, Property<'s>) {
    let Properties {
        formulas,
        propositions,
        list,
        ..
    } = properties;
    let subject = Subject::of_system(system, formulas, propositions);
    (subject, Property::Formula(list[0].formula))
}

/// The answer to the formula, or whether a run is accepted by the automaton over its atoms, if these events are fair. Diagrams have the
/// variables in the order of the system, the first at the top.
pub fn asked(
    plan: Plan,
    system: &System,
    question: (&str, Option<&Automaton>),
    fair: &[(Strength, u32)],
) -> Report {
    let options = Options {
        choice: plan.into(),
        order: OrderChoice::Named(OrderName::FILE),
        ..Options::default()
    };
    asked_with(&options, system, question, fair)
}

/// The same with other options.
pub fn asked_with(
    options: &Options,
    system: &System,
    (formula, never): (&str, Option<&Automaton>),
    fair: &[(Strength, u32)],
) -> Report {
    let (properties, list) = about(system, &[formula]);
    let subject = Subject::of_system(system, &properties.formulas, &properties.propositions);
    let formula = Property::Formula(list[0]);
    let constraint = |(strength, event): &(Strength, u32)| {
        Constraint::of_events("it", *strength, vec![EventId(*event)])
    };
    check(
        &subject.assuming(Fairness {
            told: vec!["some events".to_owned()],
            constraints: fair.iter().map(constraint).collect(),
        }),
        never.map_or(formula, Property::Never),
        options,
        &mut Explored::new(&Systems::new()),
        &Budget::unlimited(),
        &Quiet,
    )
}

/// `auto` with so little work in its first turns that it goes through several rounds about a small net.
pub fn in_rounds() -> Schedule {
    Schedule {
        glance: 1,
        walk: 1,
        first_look: 4,
        ..Schedule::default()
    }
}

/// The verdict; there must be one.
pub fn holds(report: &Report) -> bool {
    match &report.verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("{reason}: {:?}", report.account),
    }
}

/// An automaton over two atoms: for every state its edges, each with the atom that it asks for, its marks and its target.
pub fn reading(marks: u32, states: &[&[(Option<u32>, Marks, u32)]]) -> Automaton {
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
