//! Fixed cases: minimal inputs on which a published algorithm, or a plausible implementation, is
//! wrong. Random tests rarely find some of them, so every subject is run on all of them.
//!
//! A formula is the *property*, the negation of a formula whose runs the literature searches.

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
    Action, Assignment, BinaryOp, Comparison, Deadlock, Domain, Event, EventId, Expr, LValue,
    Predicate, Proposition, Row, System, Value, VarId, Variable,
};

/// A case with a known answer.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// A name that describes the defect.
    pub name: &'static str,
    /// The case.
    pub case: Case,
    /// True if the formula holds.
    pub holds: bool,
    /// An automaton of the negated formula, on which engines are run in addition to translations.
    pub automaton: Option<Buchi>,
}

use Deadlock::{Ignore, Stutter};

/// Returns all fixed cases without fairness.
pub fn all() -> Vec<Fixed> {
    let groups = [
        no_marks(),
        stutter_invariant_with_next(),
        events(),
        self_loops(),
        cycles_by_level(),
        rows_by_level(),
        ends_and_starts(),
        dead_ends_and_paths(),
        one_of_two_marks(),
        joined_steps(),
        silent_and_observed(),
        enabledness_by_state(),
        programs::events_of_programs(),
        given(),
    ];
    groups.into_iter().flatten().collect()
}

/// A case without a given automaton.
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

/// Stutter-invariant formulas with X whose automata have states that are not stutter-invariant.
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

/// Events: a silent letter before an observed event must be kept.
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
        // States diverge only after `o` is no longer observed.
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

/// False and missed cycles of engines that search level by level.
fn cycles_by_level() -> Vec<Fixed> {
    vec![
        // An acyclic relation with a cycle at an unreachable local state (3).
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
        // A recurring state, with a cycle only in the projection to `x`.
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
        // As above, followed by a cycle on other values of `x`.
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
        // The cycle contains all states, including the initial one.
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

/// Rows of one table start on different levels, under both orders of the variables.
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
            "a-loop-in-the-lower-row-reversed",
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

/// Dead and live ends; a single state; several initial states.
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

/// A dead end next to a path to a violation, under both orders of successors.
fn dead_ends_and_paths() -> Vec<Fixed> {
    let fork = |dead, live| {
        Kripke::new(4)
            .label("a", &[3])
            .steps("u", &[(0, dead), (0, live), (live, 3), (3, 3)])
    };
    vec![
        fixed(
            "dead-end-before-path",
            fork(1, 2).asks("G !a", Stutter),
            false,
        ),
        fixed(
            "dead-end-after-path",
            fork(2, 1).asks("G !a", Stutter),
            false,
        ),
        fixed(
            "dead-end-before-path-to-a-loop",
            fork(1, 2).asks("F G !a", Stutter),
            false,
        ),
        fixed(
            "dead-end-after-path-to-a-loop",
            fork(2, 1).asks("F G !a", Stutter),
            false,
        ),
    ]
}

/// Unobserved steps: after an event, between events, and out of an aggregate and back.
fn silent_and_observed() -> Vec<Fixed> {
    let after = Kripke::new(2)
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
            "silent-loop-after-an-event",
            after.asks("G !o | G F o", Stutter),
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

/// Enabledness of a program that may fault is evaluated state by state, not as a diagram.
fn enabledness_by_state() -> Vec<Fixed> {
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
            effects: vec![Assignment {
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
    vec![fixed("enabledness-state-by-state", case, false)]
}

/// Runs that carry one of two marks infinitely often and the other one only initially.
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

/// Nets in which agglomeration with an invisible successor loses a violation. Place 1 is `v`.
fn joined_steps() -> Vec<Fixed> {
    let marked = |place| Predicate::compare(VarId(place), Comparison::Ge, 1);
    let visible: &[(usize, Value, Value)] = &[(0, 1, 0), (1, 0, 1), (2, 0, 1)];
    let invisible: &[(usize, Value, Value)] = &[(2, 1, 0), (3, 0, 1)];
    let two_at_once: &[(usize, Value, Value)] = &[(0, 1, 0), (2, 0, 2)];
    let two_together: &[(usize, Value, Value)] = &[(3, 2, 0), (1, 0, 1)];
    let tokens = net(
        &[two_at_once, invisible, two_together],
        vec![marked(1)],
        "G !v",
    );
    let deadlock = net(
        &[visible, invisible],
        vec![marked(1), Predicate::Deadlock],
        "G (!v | w)",
    );
    let fireable = net(
        &[visible, invisible, &[(3, 1, 1)]],
        vec![marked(1), Predicate::Enabled(vec![EventId(2)])],
        "G (!v | w)",
    );
    vec![
        fixed("two-tokens-pass-through", tokens, false),
        fixed("no-deadlock-between-two-steps", deadlock, false),
        fixed("not-fireable-between-two-steps", fireable, false),
    ]
}

/// Builds a case about a net of four places with one token in the first, with atoms `v` and `w`.
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

/// Builds the case of the property `false`, which holds iff there is no infinite run. Variables
/// `x`, `y` of these sizes start at 0; each event is a table over some of them.
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
