//! Shared helpers: nets, philosophers with properties, questions about small systems, automata.

use lariat::internals::automata::{Automaton, Guards, StateId, Transition};
use lariat::internals::ir::generate::{Family, generate};
use lariat::internals::ir::order::OrderName;
use lariat::internals::ir::{
    Action, Arc, Domain, Event, EventId, Names, PropertyList, VarId, Variable,
};
use lariat::internals::ltl::{AtomId, Formula};
use lariat::internals::{
    Budget, CheckOptions, Constraint, Decision, EarnedVerdict, EngineChoice, Fairness, OrderChoice,
    Plan, PropertyForm, RunContext, Schedule, SpaceCache, Strength, Subject, System, Systems,
    Variant, check_subject,
};
use lariat_emptiness::Marks;

/// Arcs of a transition: place, tokens needed, tokens added.
pub type Arcs<'a> = &'a [(u32, i64, i64)];

/// A transition of a net.
pub fn event(name: &str, arcs: Arcs<'_>) -> Event {
    let arc = |&(var, need, delta): &(u32, i64, i64)| Arc {
        var: VarId(var),
        need,
        delta,
    };
    Event {
        name: name.to_owned(),
        action: Action::Net(arcs.iter().map(arc).collect()),
    }
}

/// A system of unbounded places with this initial marking.
pub fn system(places: &[&str], events: Vec<Event>, marking: &[i64]) -> System {
    let variable = |name: &&str| Variable {
        name: (*name).to_owned(),
        domain: Domain::Count { bound: None },
    };
    System {
        variables: places.iter().map(variable).collect(),
        events,
        initial: vec![marking.into()],
        ..System::default()
    }
}

/// A net of places `p0`, `p1`, … and transitions `t0`, `t1`, …, whose arcs are sorted by place.
pub fn net(marking: &[i64], transitions: &[Arcs<'_>]) -> System {
    let places: Vec<String> = (0..marking.len()).map(|i| format!("p{i}")).collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let events = (transitions.iter().enumerate())
        .map(|(i, arcs)| event(&format!("t{i}"), arcs))
        .collect();
    system(&places, events, marking)
}

/// A net of the family of philosophers.
pub fn philosophers(count: u32) -> System {
    generate(Family::Philosophers, count).unwrap()
}

/// Formulas about at least three philosophers, and whether they hold.
pub const FORMULAS: [(&str, bool); 4] = [
    (r#"G !("HasLeft_2 = 1" & "HasRight_1 = 1")"#, true),
    ("F deadlock", false),
    (r#"G ("WaitsLeft_1 = 1" -> F "HasLeft_1 = 1")"#, false),
    (r#"G ("HasLeft_1 = 1" -> "Fork_1 = 0")"#, true),
];

/// Philosophers and a formula about them.
pub fn about_philosophers(count: u32, formula: &str) -> (System, PropertyList) {
    let system = philosophers(count);
    let properties = one_property(&Names::of(&system), formula);
    (system, properties)
}

/// A list of one property.
pub fn one_property(names: &Names<'_>, formula: &str) -> PropertyList {
    let mut properties = PropertyList::new();
    let added = properties.add_formula(names, "test", None, formula);
    added.expect(formula);
    properties
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
    let subject = Subject::of_system(system, &properties.formulas, &properties.propositions);
    (subject, PropertyForm::Formula(properties.list[0].formula))
}

/// The default options with another engine.
pub fn by(engine: impl Into<EngineChoice>) -> CheckOptions {
    CheckOptions {
        engine: engine.into(),
        ..CheckOptions::default()
    }
}

/// The variant that is as published.
pub fn published() -> Variant {
    Variant {
        published: true,
        ..Variant::default()
    }
}

/// The order of this name, without a race of orders.
pub fn order(name: &str) -> OrderChoice {
    OrderChoice::Named(name.parse().unwrap())
}

/// Decides a property of a subject, with an empty cache.
pub fn check_anew(
    subject: &Subject<'_>,
    property: PropertyForm<'_>,
    options: &CheckOptions,
    budget: &Budget,
) -> Decision {
    let systems = Systems::new();
    let mut cache = SpaceCache::new(&systems);
    let ctx = RunContext::quiet(budget);
    check_subject(subject, property, options, &mut cache, ctx)
}

/// Decides a formula about a system, with an empty cache.
pub fn check(system: &System, formula: &str, options: &CheckOptions, budget: &Budget) -> Decision {
    let properties = one_property(&Names::of(system), formula);
    let (subject, property) = first_question(system, &properties);
    check_anew(&subject, property, options, budget)
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
        order: OrderChoice::Named(OrderName::FILE),
        ..by(plan)
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
    let properties = one_property(&Names::of(system), formula);
    let (subject, formula) = first_question(system, &properties);
    let constraint = |(strength, event): &(Strength, u32)| {
        Constraint::of_events("it", *strength, vec![EventId(*event)])
    };
    let subject = subject.assuming(Fairness {
        told: vec!["some events".to_owned()],
        constraints: fair.iter().map(constraint).collect(),
    });
    let property = never.map_or(formula, PropertyForm::Never);
    check_anew(&subject, property, options, &Budget::unlimited())
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
