//! One small question for each of some conditions inside of the engines, which is answered wrongly where the condition is missing.

use crate::asking::{about, asked, asked_with, holds, reading};
use crate::covering::event;
use lariat::internals::ask::{AskOptions, AskSchedule, Asker, EarnedAnswer, StateQuestion, ask};
use lariat::internals::formats::{Format, Model};
use lariat::internals::ir::{Action, Domain, Event, VarId, Variable};
use lariat::internals::{
    Budget, CheckOptions, Plan, PropertyForm, Recurring, ReductionChoice, Rule, Rules, RunContext,
    SpaceCache, Strength, Subject, System, Systems, Variant, reduction,
};
use lariat_emptiness::Marks;
use std::ops::ControlFlow;

/// A system by its steps: `x` begins with 0 and does what the events say, `y` is always 0.
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

/// No fair run stays at 0, where the automaton could: fairness has it go on to 1, and the automaton with it. A product that does not lead out of a component in which
/// fair runs may stay finds nothing.
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
    let report = asked(Plan::of("slap-fst"), &system, never, &[(Strength::Weak, 1)]);
    assert!(!holds(&report));
}

/// From 1, which the automaton wants to be visited for ever, a run goes on to 0 or to 2 and comes back, and one of these steps is fair. Where strong fairness is taken to be met in the state
/// behind the other, which does not enable it, an unfair run is told.
#[test]
fn strong_fairness_is_not_met_by_a_state_that_does_not_enable_it() {
    let system = steps(&[&[(0, 1), (2, 1)], &[(1, 0)], &[(1, 2)]]);
    let automaton = reading(1, &[&[(None, NONE, 0), (Some(0), ALL, 0)]]);
    let never = (r#"F "x = 1" & F "x = 0""#, Some(&automaton));
    for engine in ["owcty", "el", "slap-fst"] {
        for fair in [1, 2] {
            let report = asked(
                Plan::of(engine),
                &system,
                never,
                &[(Strength::Strong, fair)],
            );
            assert!(!holds(&report), "{engine}, {fair}");
        }
    }
}

/// A run that comes back to 0 for ever goes to and fro between 0 and 1, and is unfair to the step from 1 to 2, so that 1 is given up. The step from 0 to 1 is fair as well; a fixpoint that
/// follows it out of what is left gets 1 back, and never ends up with nothing.
#[test]
fn what_strong_fairness_gives_up_is_not_brought_back_by_another_constraint() {
    let system = steps(&[&[(0, 1)], &[(1, 0)], &[(1, 2)], &[(2, 2)]]);
    let automaton = reading(1, &[&[(None, NONE, 0), (Some(0), ALL, 0)]]);
    let never = (r#"F "x = 0" & F "x = 1""#, Some(&automaton));
    let fair = [(Strength::Strong, 2), (Strength::Weak, 0)];
    for engine in ["slap-fst", "owcty", "el", "explicit"] {
        let report = asked(Plan::of(engine), &system, never, &fair);
        assert!(holds(&report), "{engine}");
    }
}

/// Runs begin at 0 and at 1, and the shortest way to 4 begins at 0. The formula speaks of those that begin at 1, whose first set has 1, 2 and 3: a walk to 4 from any initial state tells a run that
/// does not violate it.
#[test]
fn a_run_begins_in_the_first_set() {
    let mut system = steps(&[&[(0, 3), (1, 2), (2, 3), (3, 4), (4, 4)]]);
    system.initial.push(vec![1, 0].into());
    let formula = r#"!("x >= 1" & F "x = 4")"#;
    for engine in ["sog", "sop", "slap", "slap-fst", "bcz"] {
        let report = asked(Plan::of(engine), &system, (formula, None), &[]);
        assert!(!holds(&report), "{engine}");
    }
}

/// The automaton goes on for ever where all is 0 or 1, or where all is 2. Behind the step from 0 to 2 it cannot, with the same rest below as behind the step from 0 to 1, where it can: an answer that
/// is remembered without the label is that for the wrong step.
#[test]
fn whether_a_step_is_on_a_cycle_depends_on_the_label_above() {
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
    assert!(!holds(&asked(Plan::of("hyb"), &system, never, &[])));
}

/// A run that stays at 0 takes one of two fair events for ever and never the other. It is fair to both if what the one leads to is remembered without the constraint.
#[test]
fn what_one_constraint_reaches_is_not_taken_for_what_another_does() {
    let system = steps(&[&[(0, 0)], &[(0, 1)], &[(1, 1)]]);
    let fair = [(Strength::Weak, 0), (Strength::Weak, 1)];
    let report = asked(Plan::of("hyb"), &system, (r#"F "x = 1""#, None), &fair);
    assert!(holds(&report));
}

/// From its last state the automaton goes to the one before it, where it is stuck, or stays. If a state leads to one recurring state only, that is the one where it is stuck.
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
        assert!(
            !holds(&asked(plan, &system, never, &[])),
            "{}",
            recurring.name()
        );
    }
}

/// A place grows for as long as there is a token beside it. From few tokens a step stays below the cap, from many it does not, with the same rest below: if the answer for few serves for many, the
/// search ends with the first cap.
#[test]
fn a_step_beyond_the_cap_is_not_taken_for_one_below_it() {
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        domain: Domain::Count { bound: None },
    };
    let system = System {
        variables: ["heap", "on", "off"].map(variable).into(),
        events: vec![
            event("grow", &[(0, 0, 1), (1, 1, 0)]),
            event("stop", &[(1, 1, -1), (2, 0, 1)]),
        ],
        initial: vec![vec![0, 1, 0].into()],
        ..System::default()
    };
    let report = asked(Plan::of("hyb"), &system, (r#"G "heap <= 5""#, None), &[]);
    assert!(!holds(&report));
}

/// A net with these events, whose arcs are in the order of places.
fn net(marking: &[i64], events: &[&[(u32, i64, i64)]]) -> System {
    let variable = |i: usize| Variable {
        name: format!("p{i}"),
        domain: Domain::Count { bound: None },
    };
    let events = events.iter().enumerate();
    System {
        variables: (0..marking.len()).map(variable).collect(),
        events: events
            .map(|(i, arcs)| event(&format!("t{i}"), arcs))
            .collect(),
        initial: vec![marking.into()],
        ..System::default()
    }
}

/// A token goes from `p0` over `p1` and `p2` back to `p0`.
const ROUND: &[&[(u32, i64, i64)]] = &[
    &[(0, 1, -1), (1, 0, 1)],
    &[(1, 1, -1), (2, 0, 1)],
    &[(0, 0, 1), (2, 1, -1)],
];

/// The automaton reads that `p0` is empty for two steps; where these are joined, it is for one.
#[test]
fn automata_are_not_known_to_be_stutter_invariant() {
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
    let options = CheckOptions {
        engine: Plan::of("explicit").into(),
        reduce: ReductionChoice::Only(Rules::all()),
        ..CheckOptions::default()
    };
    let system = net(&[1, 0, 0], ROUND);
    assert!(!holds(&asked_with(&options, &system, never, &[])));
}

/// `t0` is taken once, and then `t2` for ever. Joined with `t1`, which never happens, `t0` would stay enabled and never be taken.
#[test]
fn events_of_constraints_are_not_joined() {
    let system = net(
        &[1, 0, 0, 0, 1],
        &[
            &[(0, 1, -1), (1, 0, 1)],
            &[(1, 1, -1), (2, 1, -1), (3, 0, 1)],
            &[(4, 1, 0)],
        ],
    );
    let options = CheckOptions {
        engine: Plan::of("explicit").into(),
        reduce: ReductionChoice::Only(Rules::only(&[Rule::PreAgglomeration])),
        ..CheckOptions::default()
    };
    let formula = (r#"F "p3 >= 1""#, None);
    for strength in [Strength::Weak, Strength::Strong] {
        let report = asked_with(&options, &system, formula, &[(strength, 0)]);
        assert!(!holds(&report));
    }
}

/// One net for several properties, or for none: what one of them looks at stays, and steps are joined if none of them minds.
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

/// `t0` is dead. A run that stays in `t1` is fair to it, and would not be to the event that has its number once `t0` is gone.
#[test]
fn constraints_name_the_same_events_in_a_smaller_net() {
    let system = net(
        &[1, 0, 0],
        &[
            &[(1, 1, -1)],
            &[(0, 1, 0)],
            &[(0, 1, -1), (2, 0, 1)],
            &[(0, 0, 1), (2, 1, -1)],
        ],
    );
    let options = CheckOptions {
        engine: Plan::of("explicit").into(),
        reduce: ReductionChoice::Only(Rules::only(&[Rule::DeadEvents])),
        ..CheckOptions::default()
    };
    let formula = (r#"F "p2 >= 1""#, None);
    let report = asked_with(&options, &system, formula, &[(Strength::Weak, 1)]);
    assert!(!holds(&report));
}

/// Between `t0` and `t1` the sum is 3, and 1 afterwards: they are not joined where it is asked for. A glance does not come so far.
#[test]
fn the_largest_sum_may_be_one_between_two_steps() {
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
    let model = Model::new(Format::Pnml, system);
    let options = AskOptions {
        askers: vec![Asker::Explicit],
        schedule: AskSchedule {
            glance: 1,
            ..AskSchedule::default()
        },
        ..AskOptions::default()
    };
    let replies = ask(
        &model,
        &[StateQuestion::Most(vec![(VarId(2), 3), (VarId(3), -1)])],
        &options,
        &mut SpaceCache::new(&Systems::new()),
        RunContext::quiet(&Budget::unlimited()),
        &mut |_, _| ControlFlow::Continue(()),
    );
    let most = replies.iter().map(|reply| match &reply.answer {
        EarnedAnswer::Most { value, .. } => *value,
        other => panic!("{other:?}"),
    });
    assert_eq!(most.collect::<Vec<_>>(), [3]);
}
