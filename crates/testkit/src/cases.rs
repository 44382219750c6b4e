//! Fixed cases: the smallest inputs on which a published algorithm, or a plausible
//! implementation, answers wrongly. Random testing hardly ever meets some of them, so each
//! subject is asked all of them.
//!
//! The names tell what the case is about. A formula is always the *property*; where the literature gives
//! a formula whose runs are searched, the case asks for its negation.

mod fair;
mod given;
mod programs;

pub use fair::fair;

use crate::case::{Atom, Case};
use crate::formulas::Ltl;
use crate::kripke::Kripke;
use crate::nets;
use crate::oracle::Buchi;
use given::given;
use lariat_model::{
    Action, BinaryOp, Comparison, Deadlock, Domain, Effect, Event, EventId, Expr, LValue,
    Predicate, Proposition, Row, System, Value, VarId, Variable,
};

/// A case whose answer is known.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// What it is about.
    pub name: &'static str,
    /// The question.
    pub case: Case,
    /// Does the formula hold?
    pub holds: bool,
    /// An automaton of the negated formula that the case is about; engines run on it besides
    /// their own.
    pub automaton: Option<Buchi>,
}

use Deadlock::{Ignore, Stutter};

/// All of them.
pub fn all() -> Vec<Fixed> {
    let groups = [
        no_marks(),
        stutter_invariant_with_next(),
        events(),
        self_loops(),
        cycles_by_level(),
        rows_by_level(),
        ends_and_starts(),
        ends_beside_ways(),
        one_of_two_marks(),
        joined_steps(),
        silent_and_observed(),
        asked_of_states(),
        programs::events_of_programs(),
        given(),
    ];
    groups.into_iter().flatten().collect()
}

/// A case for the engines' own automata.
fn fixed(name: &'static str, case: Case, holds: bool) -> Fixed {
    Fixed {
        name,
        case,
        holds,
        automaton: None,
    }
}

/// No acceptance marks at all: every infinite run of the automaton accepts.
fn no_marks() -> Vec<Fixed> {
    let two = Kripke::new(2).label("a", &[]).steps("u", &[(0, 1), (1, 1)]);
    let one = Kripke::new(1).label("a", &[]).steps("u", &[(0, 0)]);
    vec![
        fixed("no-marks-nonempty", two.asks("!G!a", Stutter), false),
        fixed("no-marks-empty", one.asks("!Ga", Stutter), true),
        fixed("no-marks-true", one.asks("false", Stutter), false),
    ]
}

/// Stutter-invariant formulas with X whose automata have states that are not.
fn stutter_invariant_with_next() -> Vec<Fixed> {
    let sop = Kripke::new(4)
        .label("a", &[1])
        .label("b", &[1, 2])
        .steps("u", &[(0, 1), (1, 2), (2, 3), (3, 3)]);
    let (z, p, n, v) = ("(!a & !b)", "(a & b)", "(!a & b)", "G!b");
    let phi2 = format!("{z} & (X(b & X {v}) | ({z} U ({p} U {v})) | ({z} U ({n} U {v})))");
    let phi3 = format!(
        "{z} & X(b & X(b & X {v})) \
        | {z} & X {z} & ({z} U ({p} U ({n} U {v}))) \
        | {z} & X({p} & X {p} & ({p} U ({n} U {v}))) \
        | {z} & X({p} & X({n} & X({n} & ({n} U {v})))) \
        | {z} & ({z} U ({p} U {v})) \
        | {z} & ({z} U ({n} U {v})) \
        | {z} & ({z} U ({n} U ({p} U {v})))"
    );
    vec![
        fixed(
            "sop-false-positive",
            sop.asks(&format!("!({phi2})"), Stutter),
            true,
        ),
        fixed(
            "sop-false-negative",
            sop.asks(&format!("!({phi3})"), Stutter),
            false,
        ),
    ]
}

/// Events: a silent letter before an observed event must not vanish.
fn events() -> Vec<Fixed> {
    let silent = Kripke::new(2)
        .steps("u", &[(0, 1)])
        .steps("o", &[(1, 1)])
        .event("o");
    let mixed = Kripke::new(2)
        .steps("o", &[(0, 0), (0, 1), (1, 1)])
        .steps("u", &[(1, 0)])
        .event("o");
    let dead = Kripke::new(2).steps("o", &[(0, 1)]).event("o");
    vec![
        fixed("event-after-silent-step", silent.asks("o", Stutter), false),
        fixed(
            "no-event-before-silent-step",
            silent.asks("!o", Stutter),
            true,
        ),
        // What diverges once `o` is no longer observed did not before.
        fixed(
            "diverges-when-no-longer-observed",
            silent.asks("G !o", Stutter),
            false,
        ),
        fixed(
            "diverges-when-no-longer-observed-ignoring-deadlocks",
            silent.asks("G !o", Ignore),
            false,
        ),
        fixed(
            "infinitely-often-no-event",
            mixed.asks("!G F !o", Stutter),
            false,
        ),
        fixed(
            "deadlock-letter-has-no-event",
            dead.asks("F G !o", Stutter),
            true,
        ),
        fixed(
            "deadlock-letter-negated",
            dead.asks("!F G !o", Stutter),
            false,
        ),
        fixed(
            "deadlock-ignored-is-vacuous",
            dead.asks("!F G !o", Ignore),
            true,
        ),
        fixed(
            "deadlock-ignored-is-vacuous-too",
            dead.asks("F G !o", Ignore),
            true,
        ),
    ]
}

/// A single state with a self-loop: the accepting component is the initial node alone.
fn self_loops() -> Vec<Fixed> {
    let still = Kripke::new(1).steps("u", &[(0, 0)]);
    vec![
        fixed("self-loop", still.asks("false", Stutter), false),
        fixed(
            "self-loop-ignoring-deadlocks",
            still.asks("false", Ignore),
            false,
        ),
    ]
}

/// What an engine that goes level by level takes for a cycle, or misses.
fn cycles_by_level() -> Vec<Fixed> {
    vec![
        // An acyclic relation that looks cyclic once an unreachable local state (3) is let in.
        fixed(
            "unreachable-local-cycle",
            levels(
                &[1, 4],
                vec![(
                    "e",
                    vec![1],
                    local(&[(0, 1), (0, 2), (1, 2), (3, 1), (3, 3)]),
                )],
                Ignore,
            ),
            true,
        ),
        // The recurring state appears only when the upper event fires a second time.
        fixed(
            "cycle-through-two-levels",
            levels(
                &[1, 2],
                vec![
                    ("lower", vec![1], local(&[(1, 0)])),
                    (
                        "upper",
                        vec![0, 1],
                        vec![[Some((0, 0)), Some((0, 1))].into()],
                    ),
                ],
                Ignore,
            ),
            false,
        ),
        // Two events lead to the same state, which so recurs, and the values of `x` have a cycle. Nothing else has.
        fixed(
            "recurring-states-on-no-cycle",
            levels(
                &[2, 3],
                vec![
                    (
                        "there",
                        vec![0, 1],
                        vec![[Some((0, 1)), Some((0, 1))].into()],
                    ),
                    ("too", vec![0, 1], vec![[Some((0, 1)), Some((0, 1))].into()]),
                    (
                        "back",
                        vec![0, 1],
                        vec![[Some((1, 0)), Some((1, 2))].into()],
                    ),
                ],
                Ignore,
            ),
            true,
        ),
        // The same with a cycle behind it, on values of `x` that are reached from others.
        fixed(
            "recurring-states-before-a-cycle",
            levels(
                &[4, 3],
                vec![
                    (
                        "there",
                        vec![0, 1],
                        vec![[Some((0, 1)), Some((0, 1))].into()],
                    ),
                    ("too", vec![0, 1], vec![[Some((0, 1)), Some((0, 1))].into()]),
                    ("on", vec![0, 1], vec![[Some((1, 2)), Some((1, 2))].into()]),
                    ("round", vec![0], local(&[(2, 3), (3, 2)])),
                ],
                Ignore,
            ),
            false,
        ),
        // The cycle avoids no state, but starts nowhere but in the initial one.
        fixed(
            "cycle-beyond-initial-states",
            levels(
                &[3],
                vec![("e", vec![0], local(&[(0, 1), (1, 2), (2, 0)]))],
                Ignore,
            ),
            false,
        ),
    ]
}

/// Rows of one table begin on different levels, whichever variable is above the other.
fn rows_by_level() -> Vec<Fixed> {
    vec![
        fixed(
            "a-loop-in-the-lower-row",
            levels(
                &[2, 2],
                vec![(
                    "e",
                    vec![0, 1],
                    vec![
                        [Some((1, 0)), Some((0, 0))].into(),
                        [None, Some((0, 0))].into(),
                    ],
                )],
                Ignore,
            ),
            false,
        ),
        fixed(
            "a-loop-in-the-lower-row-turned",
            levels(
                &[2, 2],
                vec![(
                    "e",
                    vec![0, 1],
                    vec![
                        [Some((0, 0)), Some((1, 0))].into(),
                        [Some((0, 0)), None].into(),
                    ],
                )],
                Ignore,
            ),
            false,
        ),
    ]
}

/// Dead and live ends side by side; one state; several initial states.
fn ends_and_starts() -> Vec<Fixed> {
    let fork = Kripke::new(3)
        .label("a", &[1])
        .steps("u", &[(0, 1), (0, 2), (2, 2)]);
    let starts = Kripke::new(3)
        .initial(&[1, 2])
        .label("a", &[1])
        .steps("u", &[(1, 1), (2, 2)]);
    let nothing = Kripke::new(1).label("a", &[0]);
    vec![
        fixed("dead-end-counts", fork.asks("F G !a", Stutter), false),
        fixed("dead-end-does-not-count", fork.asks("F G !a", Ignore), true),
        fixed(
            "every-initial-state-counts",
            starts.asks("a", Stutter),
            false,
        ),
        fixed(
            "every-initial-state-counts-negated",
            starts.asks("!a", Stutter),
            false,
        ),
        fixed("no-events-at-all", nothing.asks("G a", Stutter), true),
        fixed(
            "no-events-at-all-negated",
            nothing.asks("!G a", Stutter),
            false,
        ),
        fixed(
            "no-events-at-all-ignored",
            nothing.asks("!G a", Ignore),
            true,
        ),
    ]
}

/// A dead end beside the way to a violation: it stutters, but leads nowhere.
fn ends_beside_ways() -> Vec<Fixed> {
    let beside = |dead, live| {
        Kripke::new(4)
            .label("a", &[3])
            .steps("u", &[(0, dead), (0, live), (live, 3), (3, 3)])
    };
    vec![
        fixed("end-before-way", beside(1, 2).asks("G !a", Stutter), false),
        fixed("end-behind-way", beside(2, 1).asks("G !a", Stutter), false),
        fixed(
            "end-before-way-for-ever",
            beside(1, 2).asks("F G !a", Stutter),
            false,
        ),
        fixed(
            "end-behind-way-for-ever",
            beside(2, 1).asks("F G !a", Stutter),
            false,
        ),
    ]
}

/// Steps that are not observed: behind an event, between events, and out of an aggregate and back.
fn silent_and_observed() -> Vec<Fixed> {
    let behind = Kripke::new(2)
        .steps("u", &[(0, 1), (1, 1)])
        .steps("o", &[(1, 1)])
        .event("o");
    let in_turn = Kripke::new(4)
        .label("a", &[0, 2])
        .label("b", &[3])
        .steps("u", &[(0, 1), (2, 3), (3, 3)])
        .steps("o", &[(1, 2)])
        .event("o");
    let shortcut = Kripke::new(6)
        .label("a", &[0, 1, 2, 3])
        .label("b", &[5])
        .steps(
            "u",
            &[(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (3, 5), (5, 5)],
        );
    vec![
        fixed(
            "silent-for-ever-behind-an-event",
            behind.asks("G !o | G F o", Stutter),
            false,
        ),
        fixed(
            "silent-and-observed-in-turn",
            in_turn.asks("!((a | o) U b)", Stutter),
            false,
        ),
        fixed(
            "shortcut-out-of-an-aggregate",
            shortcut.asks("!(a U b)", Stutter),
            false,
        ),
    ]
}

/// Whether a program that can fail is enabled is no question to a diagram: it is asked of every state that is met, one after the other.
fn asked_of_states() -> Vec<Fixed> {
    let binary = |op, x, y| Expr::Binary(op, Box::new(x), Box::new(y));
    let x = || Expr::Var(VarId(0));
    let none = binary(BinaryOp::Sub, Expr::Const(9), x());
    let none = binary(BinaryOp::Div, Expr::Const(0), none);
    let steps = local(&[(0, 1), (1, 2), (2, 3), (3, 3)]);
    let mut case = levels(&[4], vec![("step", vec![0], steps)], Stutter);
    case.system.events.push(Event {
        name: "may".to_owned(),
        action: Action::Program {
            guard: Predicate::Const(true),
            effects: vec![Effect {
                target: LValue::Var(VarId(0)),
                value: binary(BinaryOp::Add, x(), none),
            }],
        },
    });
    let atom = |predicate| Atom {
        proposition: Proposition::State(predicate),
        text: None,
    };
    case.atoms = vec![
        atom(Predicate::Enabled(vec![EventId(1)])),
        atom(Predicate::compare(VarId(0), Comparison::Eq, 3)),
    ];
    case.formula = Ltl::parse("!(a U b)", &["a", "b"]);
    vec![fixed("asked-of-one-state-after-the-other", case, false)]
}

/// Of two marks every run has one for ever and the other for a while.
fn one_of_two_marks() -> Vec<Fixed> {
    let first = Kripke::new(3)
        .label("a", &[1, 2])
        .label("b", &[0, 1])
        .steps("u", &[(0, 1), (1, 2), (2, 2)]);
    let second = Kripke::new(3)
        .label("a", &[0, 1])
        .label("b", &[1, 2])
        .steps("u", &[(0, 1), (1, 2), (2, 2)]);
    let both = "!(G F a & G F b)";
    vec![
        fixed("first-mark-alone", first.asks(both, Stutter), true),
        fixed("second-mark-alone", second.asks(both, Stutter), true),
    ]
}

/// Nets in which joining a transition with an unseen one that follows loses a violation. Place 1 is `v`.
fn joined_steps() -> Vec<Fixed> {
    let marked = |place| Predicate::compare(VarId(place), Comparison::Ge, 1);
    let seen: &[(usize, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 0, 1)];
    let unseen: &[(usize, Value, Value)] = &[(2, 1, 0), (3, 0, 1)];
    let two_at_once: &[(usize, Value, Value)] = &[(0, 1, 0), (2, 0, 2)];
    let two_together: &[(usize, Value, Value)] = &[(3, 2, 0), (1, 0, 1)];
    let tokens = net(
        &[two_at_once, unseen, two_together],
        vec![marked(1)],
        "G !v",
    );
    let deadlock = net(
        &[seen, unseen],
        vec![marked(1), Predicate::Deadlock],
        "G (!v | w)",
    );
    let fireable = net(
        &[seen, unseen, &[(3, 1, 1)]],
        vec![marked(1), Predicate::Enabled(vec![EventId(2)])],
        "G (!v | w)",
    );
    vec![
        fixed("two-tokens-pass-through", tokens, false),
        fixed("no-deadlock-between-two-steps", deadlock, false),
        fixed("not-fireable-between-two-steps", fireable, false),
    ]
}

/// A net of four places with one token in the first; the formula's atoms are `v` and `w`.
fn net(transitions: &[&[(usize, Value, Value)]], atoms: Vec<Predicate>, formula: &str) -> Case {
    let place = |i: usize| Variable {
        name: format!("p{i}"),
        domain: Domain::Count { bound: None },
    };
    let event = |(i, arcs): (usize, &&[(usize, Value, Value)])| Event {
        name: format!("t{i}"),
        action: nets::transition(arcs),
    };
    let atom = |predicate| Atom {
        proposition: Proposition::State(predicate),
        text: None,
    };
    Case {
        formula: Ltl::parse(formula, &["v", "w"][..atoms.len()]),
        system: System {
            name: "net".to_owned(),
            variables: (0..4).map(place).collect(),
            events: transitions.iter().enumerate().map(event).collect(),
            initial: vec![[1, 0, 0, 0].into()],
            ..System::default()
        },
        atoms: atoms.into_iter().map(atom).collect(),
        deadlock: Stutter,
        fairness: Vec::new(),
    }
}

/// Rows of a table over one variable.
fn local(steps: &[(Value, Value)]) -> Vec<Row> {
    steps.iter().map(|s| [Some(*s)].into()).collect()
}

/// Does `false` hold, that is, is there no infinite run? Variables `x`, `y` of these sizes start at 0; each
/// event is a table over some of them.
fn levels(sizes: &[Value], events: Vec<(&str, Vec<u32>, Vec<Row>)>, deadlock: Deadlock) -> Case {
    let variables = sizes.iter().zip(["x", "y"]).map(|(size, name)| Variable {
        name: name.to_owned(),
        domain: Domain::Range {
            low: 0,
            high: size - 1,
        },
    });
    let events = events.into_iter().map(|(name, vars, rows)| Event {
        name: name.to_owned(),
        action: Action::Table {
            vars: vars.into_iter().map(VarId).collect(),
            rows,
        },
    });
    Case {
        system: System {
            name: "levels".to_owned(),
            variables: variables.collect(),
            events: events.collect(),
            initial: vec![vec![0; sizes.len()].into()],
            ..System::default()
        },
        atoms: vec![],
        formula: Ltl::Const(false),
        deadlock,
        fairness: Vec::new(),
    }
}
