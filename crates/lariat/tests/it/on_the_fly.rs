//! Engines on sets start near the initial states, and need a complete search for `holds`.

use crate::asking::{
    Arcs, by, check, check_anew, first_question, holds, net, one_property, published,
};
use lariat::internals::ir::generate::{Family, generate};
use lariat::internals::ir::order::OrderName;
use lariat::internals::ir::{Deadlock, Names, PropertyList, System};
use lariat::internals::{
    Budget, CheckOptions, EarnedVerdict, Emptiness, OrderChoice, Plan, PropertyForm, Reason,
    RunContext, SpaceCache, Stop, Subject, Systems, Variant, check_subject,
};

const SETS: [&str; 7] = ["sog", "sop", "slap", "slap-fst", "bcz", "owcty", "el"];

/// A token alternates between `p0` and `p1`, and `p2` is unbounded.
fn growing() -> System {
    let (go, come): (Arcs<'_>, Arcs<'_>) = (&[(0, 1, -1), (1, 0, 1)], &[(0, 0, 1), (1, 1, -1)]);
    net(&[1, 0, 0], &[go, come, &[(2, 0, 1)]])
}

fn decide(system: &System, plan: Plan, formula: &str, budget: &Budget) -> EarnedVerdict {
    check(system, formula, &by(plan), budget).verdict
}

#[track_caller]
fn assert_violated(verdict: &EarnedVerdict, what: &str) {
    let violated = matches!(verdict, EarnedVerdict::Violated(_));
    assert!(violated, "{what}: {verdict:?}");
}

#[test]
fn a_violation_one_step_away_is_found_in_an_unbounded_net() {
    let system = growing();
    for engine in SETS {
        for plan in [Plan::of(engine), Plan::of(engine).as_variant(published())] {
            let budget = Budget::unlimited().with_work(2_000_000);
            for formula in ["G p0", "F G p0", "G F \"p2 == 0\""] {
                let verdict = decide(&system, plan, formula, &budget);
                assert_violated(&verdict, &format!("{engine} {formula}"));
            }
        }
    }
}

/// Orders are raced only if the search near the initial states finds nothing.
#[test]
fn a_violation_one_step_away_is_found_before_any_race() {
    let system = generate(Family::SlottedRing, 20).unwrap();
    for engine in SETS {
        let budget = Budget::unlimited().with_work(10_000_000);
        let verdict = decide(&system, Plan::of(engine), "G C_1", &budget);
        assert_violated(&verdict, engine);
        let work = budget.work_spent();
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
        let verdict = decide(&system, Plan::of(engine), &formula, &budget);
        assert_violated(&verdict, engine);
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
            let property = PropertyForm::Formula(property.formula);
            let budget = Budget::unlimited().with_work(5_000_000);
            let report = check_anew(&subject, property, &by(Plan::of(engine)), &budget);
            assert_violated(&report.verdict, engine);
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
    let verdict = decide(&model.system, Plan::of("hyb"), &formula, &budget);
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
            let verdict = decide(&system, Plan::of(engine), formula, &budget);
            let unknown = matches!(verdict, EarnedVerdict::Unknown(_));
            assert!(unknown, "{engine} {formula}: {verdict:?}");
        }
        let first = Plan::of(engine).as_variant(Variant {
            reachable_first: true,
            ..Variant::default()
        });
        let verdict = decide(&system, first, "G p0", &Budget::unlimited());
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
        for (formula, expected) in [
            ("G \"p1 <= 12\"", true),
            ("G \"p1 <= 11\"", false),
            ("G F \"p1 == 12\"", true),
            ("F G \"p1 <= 11\"", false),
        ] {
            // With a given order the states are not explored during the order race.
            let options = CheckOptions {
                order: OrderChoice::Named(OrderName::FILE),
                ..by(plan)
            };
            let report = check(&system, formula, &options, &Budget::unlimited());
            assert_eq!(holds(&report), expected, "{engine} {formula}");
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
    let properties = one_property(&Names::of(&system), "G F p0");
    let (subject, property) = first_question(&system, &properties);
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    for engine in SETS.iter().chain(&["hyb", "explicit"]) {
        for reachable_first in [false, true] {
            if reachable_first && !SETS.contains(engine) {
                continue;
            }
            for (deadlock, expected) in [
                (Deadlock::Stutter, false),
                (Deadlock::Ignore, true),
                (Deadlock::Stutter, false),
            ] {
                let variant = Variant {
                    reachable_first,
                    ..Variant::default()
                };
                let options = CheckOptions {
                    deadlock,
                    ..by(Plan::of(engine).as_variant(variant))
                };
                let budget = Budget::unlimited();
                let ctx = RunContext::quiet(&budget);
                let report = check_subject(&subject, property, &options, &mut explored, ctx);
                assert_eq!(holds(&report), expected, "{engine} {deadlock:?}");
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
    let ssp = Plan::of("ssp").checked_by(Emptiness::Aec);
    assert!(ssp.as_variant(doubts).validate().is_ok());
    assert!(Plan::of("slap").as_variant(doubts).validate().is_err());
    assert!(Plan::of("explicit").as_variant(doubts).validate().is_err());
}
