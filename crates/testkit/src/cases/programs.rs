//! Fixed cases about events of programs, some of which fault.

use super::{Fixed, table};
use crate::case::{Atom, Case};
use crate::formulas::Ltl;
use Deadlock::{Ignore, Stutter};
use lariat_model::{
    Action, Assignment, BinaryOp, Comparison, Constraint, Deadlock, Domain, Event, EventId, Expr,
    LValue, Predicate, Proposition, Strength, System, Value, VarId, Variable,
};

/// The variable that the programs change, and the fault variable.
const X: VarId = VarId(0);
const FAILED: VarId = VarId(1);

/// Names of the atoms.
const ATOMS: [&str; 6] = ["o", "crash", "failed", "may_crash", "dead", "end"];

/// The events, by their indices in [`system`].
const O: EventId = EventId(0);
const CRASH: EventId = EventId(1);

/// `o` leads from 0 to 1 and from 1 to 2, a dead end. In 1 a program faults as well, in its effect
/// or in its guard. In `waits_at` another program loops.
fn system(fails: Fails, waits_at: Option<Value>) -> System {
    let binary = |op, x, y| Expr::Binary(op, Box::new(x), Box::new(y));
    let is = |value| binary(BinaryOp::Eq, Expr::Var(X), Expr::Const(value));
    let above = |value| binary(BinaryOp::Sub, Expr::Var(X), Expr::Const(value));
    // Faults in 1.
    let part = || binary(BinaryOp::Div, Expr::Const(1), above(1));
    let sets = |value: Expr| {
        vec![Assignment {
            target: LValue::Var(X),
            value,
        }]
    };
    let event = |name: &str, guard: Expr, effects: Vec<Assignment>| Event {
        name: name.to_owned(),
        action: Action::Program {
            guard: Predicate::Expr(guard),
            effects,
        },
    };
    let more = binary(BinaryOp::Add, Expr::Var(X), Expr::Const(1));
    let below = binary(BinaryOp::Lt, Expr::Var(X), Expr::Const(2));
    let mut events = vec![
        event("o", below, sets(more)),
        match fails {
            Fails::InItsEffect => event("crash", is(1), sets(part())),
            Fails::InItsGuard => {
                let guard = binary(BinaryOp::Gt, part(), Expr::Const(9));
                event("crash", guard, sets(Expr::Const(0)))
            }
        },
    ];
    events.extend(waits_at.map(|value| event("wait", is(value), Vec::new())));
    let variable = |name: &str, high: Value| Variable {
        name: name.to_owned(),
        domain: Domain::Range { low: 0, high },
    };
    System {
        name: "program".to_owned(),
        variables: vec![variable("x", 2), variable("failed", 1)],
        events,
        initial: vec![[0, 0].into()],
        fault: Some(FAILED),
        ..System::default()
    }
}

#[derive(Clone, Copy)]
enum Fails {
    InItsEffect,
    InItsGuard,
}

fn asks(system: System, formula: &str, deadlock: Deadlock) -> Case {
    let propositions = [
        Proposition::Fires(vec![O]),
        Proposition::Fires(vec![CRASH]),
        Proposition::State(Predicate::compare(FAILED, Comparison::Eq, 1)),
        Proposition::State(Predicate::Enabled(vec![CRASH])),
        Proposition::State(Predicate::Deadlock),
        Proposition::State(Predicate::compare(X, Comparison::Eq, 2)),
    ];
    let atoms = propositions.map(Atom::unnamed);
    Case {
        deadlock,
        ..Case::new(system, atoms, Ltl::parse(formula, &ATOMS))
    }
}

/// Programs that fault, could fault, or end, with properties about the taken event.
pub(super) fn events_of_programs() -> Vec<Fixed> {
    let short = |fails| move |formula: &str| asks(system(fails, None), formula, Stutter);
    let long = |formula: &str| asks(system(Fails::InItsEffect, Some(0)), formula, Ignore);
    let alone = "G (X failed -> crash | failed)";
    let after = "!F (o & X (crash & X G failed))";
    let nothing = "G (failed -> dead & !may_crash)";
    let in_its_effect = [
        // A fault is a step of the event that faults.
        ("event-that-fails", "G !crash", false),
        ("failed-by-the-event-alone", alone, true),
        // The step after a named event may fault, and the fault state is never left.
        ("failed-after-an-event", after, false),
        (
            "no-event-where-it-has-failed",
            "G (failed -> !o & !crash)",
            true,
        ),
        // Another enabled event would fault.
        ("another-event-would-fail", "G (o -> X !failed)", true),
        // Enabledness does not depend on the taken event.
        (
            "enabled-while-another-is-taken",
            "G !(may_crash & o)",
            false,
        ),
        ("nothing-enabled-where-it-has-failed", nothing, true),
        // Dead ends of programs.
        (
            "no-end-before-an-event",
            "o & G (dead -> end | failed)",
            true,
        ),
        ("no-event-at-an-end", "G (end -> dead & !o)", true),
        ("stays-at-an-end", "!F (o & X (end & G !o))", false),
    ];
    let in_its_guard = [
        ("event-that-fails-in-its-guard", "G !crash", false),
        (
            "another-event-would-fail-in-its-guard",
            "G (o -> X !failed)",
            true,
        ),
        ("enabled-in-a-guard-that-fails", "G !(may_crash & o)", false),
    ];
    let ignoring = [
        ("event-that-fails-ignoring-deadlocks", "G !crash", true),
        ("failed-after-an-event-ignoring-deadlocks", after, true),
        (
            "stays-at-an-end-ignoring-deadlocks",
            "!F (o & X (end & G !o))",
            true,
        ),
    ];
    [
        table(short(Fails::InItsEffect), in_its_effect),
        table(short(Fails::InItsGuard), in_its_guard),
        table(long, ignoring),
    ]
    .concat()
}

/// An event that stays enabled is eventually taken, even if it faults.
pub(super) fn fair_programs() -> Vec<Fixed> {
    let case = |waits_at, event| {
        let system = system(Fails::InItsEffect, Some(waits_at));
        let fair = Constraint::of_events("event", Strength::Weak, vec![event]);
        move |formula: &str| Case {
            fairness: vec![fair.clone()],
            ..asks(system.clone(), formula, Stutter)
        }
    };
    [
        table(case(0, O), [("weakly-fair-program", "F o", true)]),
        table(case(0, CRASH), [("weakly-fair-to-another", "F o", false)]),
        table(
            case(1, CRASH),
            [("weakly-fair-and-fails", "F (crash | end)", true)],
        ),
        table(
            case(1, O),
            [("weakly-fair-to-the-other-event", "F crash", false)],
        ),
    ]
    .concat()
}
