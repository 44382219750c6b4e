//! One small question per condition inside the engines; without the condition the answer is wrong.

use crate::asking::{about, by, decide, decide_with, event, holds, net, reading, system};
use lariat::internals::ask::{
    AskOptions, AskSchedule, EarnedAnswer, QuestionEngine, StateQuestion, ask,
};
use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::{Action, Domain, Event, VarId, Variable};
use lariat::internals::{
    Budget, CheckOptions, Plan, PropertyForm, Recurring, ReductionChoice, Rule, Rules, RunContext,
    SpaceCache, Strength, Subject, System, Systems, Variant, reduction,
};
use lariat_emptiness::Marks;
use std::ops::ControlFlow;

/// A system with variables `x` and `y`, initially 0; per event the steps of `x`.
fn steps(events: &[&[(i64, i64)]]) -> System {
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        domain: Domain::Range { low: 0, high: 7 },
    };
    let event = |(i, steps): (usize, &&[(i64, i64)])| Event {
        name: format!("e{i}"),
        action: Action::Table {
            vars: vec![VarId(0)],
            rows: steps.iter().map(|step| [Some(*step)].into()).collect(),
        },
    };
    System {
        variables: ["x", "y"].map(variable).into(),
        events: events.iter().enumerate().map(event).collect(),
        initial: vec![vec![0, 0].into()],
        ..System::default()
    }
}

const NONE: Marks = Marks::NONE;
const ALL: Marks = Marks(1);

/// Fairness forces runs from 0 to 1, though the automaton could stay at 0; it then follows to its
/// second state. A product without edges out of a component with fair runs finds no violation.
#[test]
fn fair_runs_leave_components_in_which_they_could_stay() {
    let system = steps(&[&[(0, 0)], &[(0, 1)], &[(1, 1)]]);
    let automaton = reading(
        1,
        &[
            &[(Some(0), ALL, 0), (Some(0), NONE, 1)],
            &[(Some(1), ALL, 1)],
        ],
    );
    let never = (r#"F "x = 0" & F "x = 1""#, Some(&automaton));
    let report = decide(Plan::of("slap-fst"), &system, never, &[(Strength::Weak, 1)]);
    assert!(!holds(&report));
}

/// From 1, which the automaton must visit infinitely often, runs go to 0 or 2 and return, and one
/// of these steps is strongly fair. A fixpoint in which the other state meets the constraint,
/// without enabling it, reports an unfair run.
#[test]
fn strong_fairness_is_not_met_by_a_state_that_does_not_enable_it() {
    let system = steps(&[&[(0, 1), (2, 1)], &[(1, 0)], &[(1, 2)]]);
    let automaton = reading(1, &[&[(None, NONE, 0), (Some(0), ALL, 0)]]);
    let never = (r#"F "x = 1" & F "x = 0""#, Some(&automaton));
    for engine in ["owcty", "el", "slap-fst"] {
        for fair in [1, 2] {
            let fair_event = [(Strength::Strong, fair)];
            let report = decide(Plan::of(engine), &system, never, &fair_event);
            assert!(!holds(&report), "{engine}, {fair}");
        }
    }
}

/// A run that visits 0 infinitely often alternates between 0 and 1, and is unfair to the step from
/// 1 to 2, so the fixpoint removes 1. The step from 0 to 1 is fair as well; a fixpoint that follows
/// it out of the remaining set adds 1 again.
#[test]
fn states_removed_by_strong_fairness_are_not_added_by_another_constraint() {
    let system = steps(&[&[(0, 1)], &[(1, 0)], &[(1, 2)], &[(2, 2)]]);
    let automaton = reading(1, &[&[(None, NONE, 0), (Some(0), ALL, 0)]]);
    let never = (r#"F "x = 0" & F "x = 1""#, Some(&automaton));
    let fair = [(Strength::Strong, 2), (Strength::Weak, 0)];
    for engine in ["slap-fst", "owcty", "el", "explicit"] {
        let report = decide(Plan::of(engine), &system, never, &fair);
        assert!(holds(&report), "{engine}");
    }
}

/// Runs begin at 0 and at 1, and the shortest path to 4 begins at 0. The formula is about runs from
/// 1, whose first set has 1, 2 and 3: a path to 4 from any initial state may not violate it.
#[test]
fn a_run_begins_in_the_first_set() {
    let mut system = steps(&[&[(0, 3), (1, 2), (2, 3), (3, 4), (4, 4)]]);
    system.initial.push(vec![1, 0].into());
    let formula = r#"!("x >= 1" & F "x = 4")"#;
    for engine in ["sog", "sop", "slap", "slap-fst", "bcz"] {
        let report = decide(Plan::of(engine), &system, (formula, None), &[]);
        assert!(!holds(&report), "{engine}");
    }
}

/// The automaton accepts runs that stay in {0, 1} or at 2. After the step from 0 to 2 it cannot
/// continue; after the step from 0 to 1 it can, with an equal diagram below. A result cached
/// without the label is that of the wrong step.
#[test]
fn cycle_results_are_cached_per_label() {
    let system = steps(&[&[(0, 2)], &[(0, 1)], &[(1, 0)], &[(2, 3)], &[(3, 3)]]);
    let automaton = reading(
        1,
        &[
            &[(None, NONE, 0), (Some(0), NONE, 1), (Some(1), NONE, 2)],
            &[(Some(0), ALL, 1)],
            &[(Some(1), ALL, 2)],
        ],
    );
    let never = (r#"F "x <= 1" & F "x = 2""#, Some(&automaton));
    assert!(!holds(&decide(Plan::of("hyb"), &system, never, &[])));
}

/// A run that stays at 0 takes one of two fair events infinitely often, and never the other. It
/// seems fair to both if results are cached without the constraint.
#[test]
fn reachability_is_cached_per_constraint() {
    let system = steps(&[&[(0, 0)], &[(0, 1)], &[(1, 1)]]);
    let fair = [(Strength::Weak, 0), (Strength::Weak, 1)];
    let report = decide(Plan::of("hyb"), &system, (r#"F "x = 1""#, None), &fair);
    assert!(holds(&report));
}

/// From its last state the automaton stays, or moves to the state before, where it is stuck. A
/// search that follows one recurring move only may choose the latter.
#[test]
fn a_state_recurs_by_any_move_of_the_automaton() {
    let system = steps(&[&[(0, 0)]]);
    let automaton = reading(
        1,
        &[
            &[(Some(0), NONE, 1), (Some(0), NONE, 2)],
            &[(Some(1), NONE, 2)],
            &[(Some(0), ALL, 1), (Some(0), ALL, 2)],
        ],
    );
    let never = (r#"F "x = 0" & F "x = 1""#, Some(&automaton));
    for recurring in Recurring::ALL {
        let plan = Plan::of("hyb").as_variant(Variant {
            recurring,
            ..Variant::default()
        });
        let report = decide(plan, &system, never, &[]);
        assert!(!holds(&report), "{}", recurring.name());
    }
}

/// A place grows while another is marked. From few tokens a step stays below the cap, and from many
/// it does not, with an equal diagram below: if the result for few is reused for many, the search
/// ends with the first cap.
#[test]
fn steps_below_and_beyond_the_cap_are_distinguished() {
    let events = vec![
        event("grow", &[(0, 0, 1), (1, 1, 0)]),
        event("stop", &[(1, 1, -1), (2, 0, 1)]),
    ];
    let system = system(&["heap", "on", "off"], events, &[0, 1, 0]);
    let report = decide(Plan::of("hyb"), &system, (r#"G "heap <= 5""#, None), &[]);
    assert!(!holds(&report));
}

/// A token moves from `p0` over `p1` and `p2` back to `p0`.
const ROUND: &[&[(u32, i64, i64)]] = &[
    &[(0, 1, -1), (1, 0, 1)],
    &[(1, 1, -1), (2, 0, 1)],
    &[(0, 0, 1), (2, 1, -1)],
];

/// Options for a search of single states of the reduced net.
fn explicit_after(rules: Rules) -> CheckOptions {
    CheckOptions {
        reduce: ReductionChoice::Only(rules),
        ..by(Plan::of("explicit"))
    }
}

/// The automaton reads that `p0` is empty for two steps; after agglomeration it is for one.
#[test]
fn automata_are_not_assumed_to_be_stutter_invariant() {
    let automaton = reading(
        1,
        &[
            &[(Some(0), NONE, 1)],
            &[(Some(1), NONE, 2)],
            &[(Some(1), NONE, 3)],
            &[(None, ALL, 3)],
        ],
    );
    let never = (r#"F "p0 = 1" & F "p0 = 0""#, Some(&automaton));
    let options = explicit_after(Rules::all());
    let system = net(&[1, 0, 0], ROUND);
    assert!(!holds(&decide_with(&options, &system, never, &[])));
}

/// `t0` is taken once, and then `t2` infinitely often. Agglomerated with `t1`, which never fires,
/// `t0` would stay enabled.
#[test]
fn events_of_constraints_are_not_agglomerated() {
    let system = net(
        &[1, 0, 0, 0, 1],
        &[
            &[(0, 1, -1), (1, 0, 1)],
            &[(1, 1, -1), (2, 1, -1), (3, 0, 1)],
            &[(4, 1, 0)],
        ],
    );
    let options = explicit_after(Rules::only(&[Rule::PreAgglomeration]));
    let formula = (r#"F "p3 >= 1""#, None);
    for strength in [Strength::Weak, Strength::Strong] {
        let report = decide_with(&options, &system, formula, &[(strength, 0)]);
        assert!(!holds(&report));
    }
}

/// Observed places are preserved, and events are agglomerated only if all properties allow it.
#[test]
fn a_net_is_reduced_for_all_properties_at_once() {
    let system = net(&[1, 0, 0], ROUND);
    let rules = Rules::only(&[Rule::PostAgglomeration]);
    let left = |formulas: &[&str]| {
        let (properties, list) = about(&system, formulas);
        let subject = Subject::of_system(&system, &properties.formulas, &properties.propositions);
        let list: Vec<PropertyForm<'_>> = list.into_iter().map(PropertyForm::Formula).collect();
        let found = reduction(&subject, &list, rules, &Budget::unlimited()).unwrap();
        found.map(|(reduction, _)| reduction.system.variables.len())
    };
    let [first, second, last] = [0, 1, 2].map(|i| format!(r#"G F "p{i} = 1""#));
    assert_eq!(left(&[&first]), Some(2));
    assert_eq!(left(&[&second, &last, &first]), None);
    let next = r#"X "p0 = 1""#;
    assert_eq!(left(&[next, &first]), None);
    assert_eq!(left(&[&first, next]), None);
    assert_eq!(left(&[]), None);
}

/// `t0` is dead. A run of `t1` is fair to it, but not to the event that gets its index.
#[test]
fn constraints_are_renumbered_with_the_events() {
    let system = net(
        &[1, 0, 0],
        &[
            &[(1, 1, -1)],
            &[(0, 1, 0)],
            &[(0, 1, -1), (2, 0, 1)],
            &[(0, 0, 1), (2, 1, -1)],
        ],
    );
    let options = explicit_after(Rules::only(&[Rule::DeadEvents]));
    let formula = (r#"F "p2 >= 1""#, None);
    let report = decide_with(&options, &system, formula, &[(Strength::Weak, 1)]);
    assert!(!holds(&report));
}

/// The sum is 3 between `t0` and `t1` only, so they are not agglomerated.
#[test]
fn the_maximum_of_a_sum_may_lie_between_two_events() {
    let system = net(
        &[0, 0, 0, 0, 1, 0, 0],
        &[
            &[(0, 1, -1), (1, 0, 1), (2, 0, 1)],
            &[(1, 1, -1), (3, 0, 2)],
            &[(2, 1, -1), (3, 2, -2), (4, 0, 1)],
            &[(4, 1, -1), (5, 0, 1)],
            &[(5, 1, -1), (6, 0, 1)],
            &[(0, 0, 1), (6, 1, -1)],
        ],
    );
    let model = LoadedModel::new(ModelFormat::Pnml, system);
    let options = AskOptions {
        askers: vec![QuestionEngine::Explicit],
        schedule: AskSchedule {
            glance: 1,
            ..AskSchedule::default()
        },
        ..AskOptions::default()
    };
    let mut answers = Vec::new();
    ask(
        &model,
        &[StateQuestion::Most(vec![(VarId(2), 3), (VarId(3), -1)])],
        &options,
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited()),
        &mut |_, reply| {
            answers.push(reply.answer);
            ControlFlow::Continue(())
        },
    );
    let most = answers.iter().map(|answer| match answer {
        EarnedAnswer::Most { value, .. } => *value,
        other => panic!("{other:?}"),
    });
    assert_eq!(most.collect::<Vec<_>>(), [3]);
}
