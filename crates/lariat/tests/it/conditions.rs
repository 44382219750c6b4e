//! One small question for each of some conditions inside of the engines, which is answered wrongly where the condition is missing.

use crate::asking::{asked, holds, reading};
use crate::covering::event;
use lariat::model::{Action, Domain, Event, VarId, Variable};
use lariat::{Plan, Recurring, Strength, System, Variant};
use lariat_emptiness::Marks;

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
