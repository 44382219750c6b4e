//! Engines on sets start near the initial states, and need a complete search for `holds`.

use lariat::internals::ir::generate::{Family, generate};
use lariat::internals::ir::order::OrderName;
use lariat::internals::ir::{
    Action, Arc, Deadlock, Domain, Event, Names, PropertyList, System, VarId, Variable,
};
use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, Emptiness, OrderChoice, Plan, PropertyForm, Reason,
    RunContext, SpaceCache, Stop, Subject, Systems, Variant, check_subject,
};

const SETS: [&str; 7] = ["sog", "sop", "slap", "slap-fst", "bcz", "owcty", "el"];

/// A net: the marking of its places, and transitions with (place, tokens needed, tokens added).
fn net(marking: &[i64], transitions: &[&[(u32, i64, i64)]]) -> System {
    let place = |i: usize| Variable {
        name: format!("p{i}"),
        domain: Domain::Count { bound: None },
    };
    let event = |(i, arcs): (usize, &&[(u32, i64, i64)])| Event {
        name: format!("t{i}"),
        action: Action::Net(
            arcs.iter()
                .map(|&(var, need, delta)| Arc {
                    var: VarId(var),
                    need,
                    delta,
                })
                .collect(),
        ),
    };
    System {
        variables: (0..marking.len()).map(place).collect(),
        events: transitions.iter().enumerate().map(event).collect(),
        initial: vec![marking.into()],
        ..System::default()
    }
}

/// A token alternates between `p0` and `p1`, and `p2` is unbounded.
fn growing() -> System {
    let grow: &[(u32, i64, i64)] = &[(2, 0, 1)];
    net(
        &[1, 0, 0],
        &[&[(0, 1, -1), (1, 0, 1)], &[(0, 0, 1), (1, 1, -1)], grow],
    )
}

fn decide(
    system: &System,
    plan: Plan,
    order: OrderChoice,
    formula: &str,
    budget: &Budget,
) -> EarnedVerdict {
    let mut properties = PropertyList::new();
    let names = Names::of(system);
    properties
        .add_formula(&names, "formula", None, formula)
        .unwrap();
    let subject = Subject::of_system(system, &properties.formulas, &properties.propositions);
    let options = CheckOptions {
        engine: plan.into(),
        order,
        ..CheckOptions::default()
    };
    let property = PropertyForm::Formula(properties.list[0].formula);
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    check_subject(
        &subject,
        property,
        &options,
        &mut explored,
        RunContext::quiet(budget),
    )
    .verdict
}

fn published() -> Variant {
    Variant {
        published: true,
        ..Variant::default()
    }
}

#[test]
fn a_violation_one_step_away_is_found_in_an_unbounded_net() {
    let system = growing();
    for engine in SETS {
        for plan in [Plan::of(engine), Plan::of(engine).as_variant(published())] {
            let budget = Budget::unlimited().with_work(2_000_000);
            for formula in ["G p0", "F G p0", "G F \"p2 == 0\""] {
                let verdict = decide(&system, plan, OrderChoice::Auto, formula, &budget);
                let violated = matches!(verdict, EarnedVerdict::Violated(_));
                assert!(violated, "{engine} {formula}: {verdict:?}");
            }
        }
    }
}

/// Orders are raced only if the search near the initial states finds nothing.
#[test]
fn a_violation_one_step_away_is_found_before_any_race() {
    let system = generate(Family::SlottedRing, 20).unwrap();
    let spent = |engine, formula| {
        let budget = Budget::unlimited().with_work(10_000_000);
        let plan = Plan::of(engine);
        let verdict = decide(&system, plan, OrderChoice::Auto, formula, &budget);
        let violated = matches!(verdict, EarnedVerdict::Violated(_));
        assert!(violated, "{engine} {formula}: {verdict:?}");
        budget.work_spent()
    };
    for engine in SETS {
        let work = spent(engine, "G C_1");
        assert!(work < 50_000, "{engine}: {work}");
    }
}

/// Twelve steps in sequence, concurrent to many others: a search of relevant events is short.
#[test]
fn a_violation_twelve_steps_away_is_found_along_relevant_events() {
    const STEPS: u32 = 12;
    const OTHERS: u32 = 40;
    let mut arcs: Vec<Vec<(u32, i64, i64)>> = Vec::new();
    for i in 0..STEPS {
        arcs.push(vec![(i, 1, -1), (i + 1, 0, 1)]);
    }
    // Each of the others depends on its neighbour, so that no subset of them is independent.
    for i in STEPS + 1..STEPS + OTHERS {
        arcs.push(vec![(i, 1, -1), (i + 1, 0, 2)]);
        arcs.push(vec![(i, 0, 2), (i + 1, 1, -1)]);
    }
    let transitions: Vec<&[(u32, i64, i64)]> = arcs.iter().map(Vec::as_slice).collect();
    let mut marking = vec![1; (STEPS + OTHERS + 1) as usize];
    marking[1..=STEPS as usize].fill(0);
    let system = net(&marking, &transitions);
    for engine in SETS {
        let budget = Budget::unlimited().with_work(100_000);
        let formula = format!("G !p{STEPS}");
        let verdict = decide(
            &system,
            Plan::of(engine),
            OrderChoice::Auto,
            &formula,
            &budget,
        );
        let violated = matches!(verdict, EarnedVerdict::Violated(_));
        assert!(violated, "{engine}: {verdict:?}");
    }
}

/// A program with very many states, and an exit at the fourth step.
const SCRAMBLE: &str = "int a = 1; int b = 2; int c = 3; byte n;
process P { state s, out; init s; trans
s -> s { guard n < 3; effect a = a * 5 + b, n = n + 1; },
s -> s { effect b = b * 3 + c; }, s -> s { effect c = c * 7 + a; },
s -> out { guard n == 3; }, out -> out { }; }
system async;";

/// Relations of programs are learned from visited states, so a near violation is found early.
#[test]
fn a_violation_is_found_near_the_initial_state_of_a_program() {
    let model = lariat::internals::formats::read("scramble.dve", SCRAMBLE.as_bytes()).unwrap();
    let mut properties = PropertyList::new();
    let names = model.names();
    for (name, formula) in [
        ("1", "G !\"P.out\""),
        ("2", "F G \"P.s\""),
        ("3", "G !fires(P:s->out)"),
    ] {
        properties.add_formula(&names, name, None, formula).unwrap();
    }
    let subject = Subject::new(&model, &properties);
    for engine in SETS.into_iter().chain(["hyb"]) {
        for property in &properties.list {
            let options = CheckOptions {
                engine: Plan::of(engine).into(),
                ..CheckOptions::default()
            };
            let property = PropertyForm::Formula(property.formula);
            let budget = Budget::unlimited().with_work(5_000_000);
            let systems = Systems::new();
            let mut explored = SpaceCache::new(&systems);
            let verdict = check_subject(
                &subject,
                property,
                &options,
                &mut explored,
                RunContext::quiet(&budget),
            )
            .verdict;
            let violated = matches!(verdict, EarnedVerdict::Violated(_));
            assert!(violated, "{engine}: {verdict:?}");
        }
    }
}

/// A state whose steps have not been learned yet is not a deadlock.
#[test]
fn states_with_unlearned_steps_are_not_deadlocks() {
    let model = lariat::internals::formats::read("scramble.dve", SCRAMBLE.as_bytes()).unwrap();
    let events = model.system.events.iter();
    let fires: Vec<_> = events.map(|e| format!("fires({})", e.name)).collect();
    let formula = format!("G F ({})", fires.join(" | "));
    let budget = Budget::unlimited().with_work(2_000_000);
    let order = OrderChoice::default();
    let verdict = decide(&model.system, Plan::of("hyb"), order, &formula, &budget);
    let work = matches!(
        verdict,
        EarnedVerdict::Unknown(Reason::Stopped(Stop::Work(_)))
    );
    assert!(work, "{verdict:?}");
}

#[test]
fn no_property_holds_by_a_search_with_a_token_cap() {
    let system = growing();
    for engine in SETS {
        for formula in ["G \"p2 <= 1000000000\"", "G (p0 | p1)"] {
            let budget = Budget::unlimited().with_work(20_000);
            let verdict = decide(
                &system,
                Plan::of(engine),
                OrderChoice::Auto,
                formula,
                &budget,
            );
            let unknown = matches!(verdict, EarnedVerdict::Unknown(_));
            assert!(unknown, "{engine} {formula}: {verdict:?}");
        }
        let first = Plan::of(engine).as_variant(Variant {
            reachable_first: true,
            ..Variant::default()
        });
        let verdict = decide(
            &system,
            first,
            OrderChoice::Auto,
            "G p0",
            &Budget::unlimited(),
        );
        let refused = matches!(
            &verdict,
            EarnedVerdict::Unknown(Reason::Stopped(Stop::Bound(_)))
        );
        assert!(refused, "{engine}: {verdict:?}");
    }
}

/// Twelve tokens in an initially empty place: more than the first cap, fewer than the last.
#[test]
fn token_caps_are_raised_until_the_search_is_complete() {
    let system = net(
        &[6, 0],
        &[&[(0, 1, -1), (1, 0, 2)], &[(1, 12, -12), (0, 0, 6)]],
    );
    assert!(system.makes_tokens());
    for engine in SETS {
        let plan = Plan::of(engine).as_variant(published());
        for (formula, holds) in [
            ("G \"p1 <= 12\"", true),
            ("G \"p1 <= 11\"", false),
            ("G F \"p1 == 12\"", true),
            ("F G \"p1 <= 11\"", false),
        ] {
            // With a given order the states are not explored during the order race.
            let order = OrderChoice::Named(OrderName::FILE);
            let verdict = decide(&system, plan, order, formula, &Budget::unlimited());
            match verdict {
                EarnedVerdict::Holds(_) => assert!(holds, "{engine} {formula}"),
                EarnedVerdict::Violated(_) => assert!(!holds, "{engine} {formula}"),
                EarnedVerdict::Unknown(why) => panic!("{engine} {formula}: {why}"),
            }
        }
    }
}

/// Deadlocks and stutter steps are recomputed if the policy changes between two properties.
#[test]
fn the_policy_for_deadlocks_may_change_between_two_properties() {
    let system = net(
        &[1, 0, 0],
        &[
            &[(0, 1, -1), (1, 0, 1)],
            &[(0, 0, 1), (1, 1, -1)],
            &[(1, 1, -1), (2, 0, 1)],
        ],
    );
    let mut properties = PropertyList::new();
    let names = Names::of(&system);
    properties
        .add_formula(&names, "formula", None, "G F p0")
        .unwrap();
    let subject = Subject::of_system(&system, &properties.formulas, &properties.propositions);
    let property = PropertyForm::Formula(properties.list[0].formula);
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    for engine in SETS.iter().chain(&["hyb", "explicit"]) {
        for reachable_first in [false, true] {
            if reachable_first && !SETS.contains(engine) {
                continue;
            }
            for (deadlock, holds) in [
                (Deadlock::Stutter, false),
                (Deadlock::Ignore, true),
                (Deadlock::Stutter, false),
            ] {
                let options = CheckOptions {
                    engine: Plan::of(engine)
                        .as_variant(Variant {
                            reachable_first,
                            ..Variant::default()
                        })
                        .into(),
                    deadlock,
                    ..CheckOptions::default()
                };
                let budget = Budget::unlimited();
                let report = check_subject(
                    &subject,
                    property,
                    &options,
                    &mut explored,
                    RunContext::quiet(&budget),
                );
                match report.verdict {
                    EarnedVerdict::Holds(_) => assert!(holds, "{engine} {deadlock:?}"),
                    EarnedVerdict::Violated(_) => assert!(!holds, "{engine} {deadlock:?}"),
                    EarnedVerdict::Unknown(why) => panic!("{engine} {deadlock:?}: {why}"),
                }
            }
        }
    }
}

#[test]
fn doubts_are_an_option_of_aec_on_sets() {
    let doubts = Variant {
        doubts: true,
        ..Variant::default()
    };
    let aec = Plan::of("slap").checked_by(Emptiness::Aec);
    assert!(aec.as_variant(doubts).validate().is_ok());
    assert!(Plan::of("slap").as_variant(doubts).validate().is_err());
    assert!(Plan::of("explicit").as_variant(doubts).validate().is_err());
}
