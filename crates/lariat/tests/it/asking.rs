//! Shared helpers: philosophers with properties, questions about small systems, automata.

use lariat::internals::automata::{Automaton, Guards, StateId, Transition};
use lariat::internals::ir::generate::{Family, generate};
use lariat::internals::ir::order::OrderName;
use lariat::internals::ir::{EventId, Names, PropertyList};
use lariat::internals::ltl::{AtomId, Formula};
use lariat::internals::{
    Budget, CheckOptions, Constraint, Decision, EarnedVerdict, Fairness, OrderChoice, Plan,
    PropertyForm, RunContext, Schedule, SpaceCache, Strength, Subject, System, Systems,
    check_subject,
};
use lariat_emptiness::Marks;

/// Philosophers and a formula about them.
pub fn about_philosophers(philosophers: u32, formula: &str) -> (System, PropertyList) {
    let system = generate(Family::Philosophers, philosophers).unwrap();
    let (properties, _) = about(&system, &[formula]);
    (system, properties)
}

/// Properties for these formulas about a system.
pub fn about(system: &System, formulas: &[&str]) -> (PropertyList, Vec<Formula>) {
    let mut properties = PropertyList::new();
    let names = Names::of(system);
    for formula in formulas {
        let added = properties.add_formula(&names, "test", None, formula);
        added.unwrap();
    }
    let list = properties.list.iter().map(|p| p.formula).collect();
    (properties, list)
}

/// The subject and the first of its properties.
pub fn first_question<'s>(
    system: &'s System,
    properties: &'s PropertyList,
) -> (Subject<'s>, PropertyForm<'s>) {
    let PropertyList {
        formulas,
        propositions,
        list,
        ..
    } = properties;
    let subject = Subject::of_system(system, formulas, propositions);
    (subject, PropertyForm::Formula(list[0].formula))
}

/// Decides a formula, or an automaton over its atoms, under fairness of these events. Decision
/// diagrams have the variables in the order of the system, the first at the top.
pub fn decide(
    plan: Plan,
    system: &System,
    question: (&str, Option<&Automaton>),
    fair: &[(Strength, u32)],
) -> Decision {
    let options = CheckOptions {
        engine: plan.into(),
        order: OrderChoice::Named(OrderName::FILE),
        ..CheckOptions::default()
    };
    decide_with(&options, system, question, fair)
}

/// Like [`decide`], with other options.
pub fn decide_with(
    options: &CheckOptions,
    system: &System,
    (formula, never): (&str, Option<&Automaton>),
    fair: &[(Strength, u32)],
) -> Decision {
    let (properties, list) = about(system, &[formula]);
    let subject = Subject::of_system(system, &properties.formulas, &properties.propositions);
    let formula = PropertyForm::Formula(list[0]);
    let constraint = |(strength, event): &(Strength, u32)| {
        Constraint::of_events("it", *strength, vec![EventId(*event)])
    };
    check_subject(
        &subject.assuming(Fairness {
            told: vec!["some events".to_owned()],
            constraints: fair.iter().map(constraint).collect(),
        }),
        never.map_or(formula, PropertyForm::Never),
        options,
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited()),
    )
}

/// A schedule with little work, so that `auto` takes several rounds on a small net.
pub fn in_rounds() -> Schedule {
    Schedule {
        glance: 1,
        walk: 1,
        first_look: 4,
        ..Schedule::default()
    }
}

/// Returns whether the property holds; panics if that is unknown.
pub fn holds(report: &Decision) -> bool {
    match &report.verdict {
        EarnedVerdict::Holds(_) => true,
        EarnedVerdict::Violated(_) => false,
        EarnedVerdict::Unknown(reason) => panic!("{reason}: {:?}", report.account),
    }
}

/// An automaton over two atoms: per state its edges with the atom read, the marks and the target.
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
