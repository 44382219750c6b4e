//! Fixed cases about events of programs, some of which fault.

use super::{Fixed, fixed};
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
    let atom = |proposition| Atom {
        proposition,
        text: None,
    };
    Case {
        system,
        atoms: propositions.map(atom).into(),
        formula: Ltl::parse(formula, &ATOMS),
        deadlock,
        fairness: Vec::new(),
    }
}

/// Programs that fault, could fault, or end, with properties about the taken event.
pub(super) fn events_of_programs() -> Vec<Fixed> {
    use Fails::{InItsEffect, InItsGuard};
    let short = |fails, formula, deadlock| asks(system(fails, None), formula, deadlock);
    let long = |formula, deadlock| asks(system(InItsEffect, Some(0)), formula, deadlock);
    vec![
        // A fault is a step of the event that faults.
        fixed(
            "event-that-fails",
            short(InItsEffect, "G !crash", Stutter),
            false,
        ),
        fixed(
            "event-that-fails-in-its-guard",
            short(InItsGuard, "G !crash", Stutter),
            false,
        ),
        fixed(
            "event-that-fails-ignoring-deadlocks",
            long("G !crash", Ignore),
            true,
        ),
        fixed(
            "failed-by-the-event-alone",
            short(InItsEffect, "G (X failed -> crash | failed)", Stutter),
            true,
        ),
        // The step after a named event may fault, and the fault state is never left.
        fixed(
            "failed-after-an-event",
            short(InItsEffect, "!F (o & X (crash & X G failed))", Stutter),
            false,
        ),
        fixed(
            "failed-after-an-event-ignoring-deadlocks",
            long("!F (o & X (crash & X G failed))", Ignore),
            true,
        ),
        fixed(
            "no-event-where-it-has-failed",
            short(InItsEffect, "G (failed -> !o & !crash)", Stutter),
            true,
        ),
        // Another enabled event would fault.
        fixed(
            "another-event-would-fail",
            short(InItsEffect, "G (o -> X !failed)", Stutter),
            true,
        ),
        fixed(
            "another-event-would-fail-in-its-guard",
            short(InItsGuard, "G (o -> X !failed)", Stutter),
            true,
        ),
        // Enabledness does not depend on the taken event.
        fixed(
            "enabled-while-another-is-taken",
            short(InItsEffect, "G !(may_crash & o)", Stutter),
            false,
        ),
        fixed(
            "enabled-in-a-guard-that-fails",
            short(InItsGuard, "G !(may_crash & o)", Stutter),
            false,
        ),
        fixed(
            "nothing-enabled-where-it-has-failed",
            short(InItsEffect, "G (failed -> dead & !may_crash)", Stutter),
            true,
        ),
        // Dead ends of programs.
        fixed(
            "no-end-before-an-event",
            short(InItsEffect, "o & G (dead -> end | failed)", Stutter),
            true,
        ),
        fixed(
            "no-event-at-an-end",
            short(InItsEffect, "G (end -> dead & !o)", Stutter),
            true,
        ),
        fixed(
            "stays-at-an-end",
            short(InItsEffect, "!F (o & X (end & G !o))", Stutter),
            false,
        ),
        fixed(
            "stays-at-an-end-ignoring-deadlocks",
            long("!F (o & X (end & G !o))", Ignore),
            true,
        ),
    ]
}

/// An event that stays enabled is eventually taken, even if it faults.
pub(super) fn fair_programs() -> Vec<Fixed> {
    let asks = |waits_at, formula, event| Case {
        fairness: vec![Constraint::of_events(
            "event".to_owned(),
            Strength::Weak,
            vec![event],
        )],
        ..asks(system(Fails::InItsEffect, Some(waits_at)), formula, Stutter)
    };
    vec![
        fixed("weakly-fair-program", asks(0, "F o", O), true),
        fixed("weakly-fair-to-another", asks(0, "F o", CRASH), false),
        fixed(
            "weakly-fair-and-fails",
            asks(1, "F (crash | end)", CRASH),
            true,
        ),
        fixed(
            "weakly-fair-to-the-other-event",
            asks(1, "F crash", O),
            false,
        ),
    ]
}
