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

/// A row of a table of cases: the name, the formula, and whether it holds.
type CaseRow = (&'static str, &'static str, bool);

/// The cases of a table, whose formulas are asked of one system.
fn table<const N: usize>(ask: impl Fn(&str) -> Case, rows: [CaseRow; N]) -> Vec<Fixed> {
    let fixed = |(name, formula, holds)| fixed(name, ask(formula), holds);
    rows.map(fixed).into()
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
    let not = |phi: String| sop.asks(&format!("!({phi})"), Stutter);
    vec![
        fixed("sop-false-positive", not(phi2), true),
        fixed("sop-false-negative", not(phi3), false),
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
    let of_silent = [
        ("event-after-silent-step", "o", false),
        ("no-event-before-silent-step", "!o", true),
        // States diverge only after `o` is no longer observed.
        ("diverges-when-no-longer-observed", "G !o", false),
    ];
    let diverges = "diverges-when-no-longer-observed-ignoring-deadlocks";
    let of_dead = [
        ("deadlock-letter-has-no-event", "F G !o", true),
        ("deadlock-letter-negated", "!F G !o", false),
    ];
    let of_nothing = [
        ("deadlock-ignored-is-vacuous", "!F G !o", true),
        ("deadlock-ignored-is-vacuous-too", "F G !o", true),
    ];
    let of_mixed = [("infinitely-often-no-event", "!G F !o", false)];
    [
        table(|formula| silent.asks(formula, Stutter), of_silent),
        vec![fixed(diverges, silent.asks("G !o", Ignore), false)],
        table(|formula| mixed.asks(formula, Stutter), of_mixed),
        table(|formula| dead.asks(formula, Stutter), of_dead),
        table(|formula| dead.asks(formula, Ignore), of_nothing),
    ]
    .concat()
}

/// A single state with a self-loop: the accepting component is the initial node alone.
fn self_loops() -> Vec<Fixed> {
    let still = Kripke::new(1).steps("u", &[(0, 0)]);
    let ignoring = still.asks("false", Ignore);
    vec![
        fixed("self-loop", still.asks("false", Stutter), false),
        fixed("self-loop-ignoring-deadlocks", ignoring, false),
    ]
}

/// False and missed cycles of engines that search level by level.
fn cycles_by_level() -> Vec<Fixed> {
    // An acyclic relation with a cycle at an unreachable local state (3).
    let acyclic = local_event("e", 1, &[(0, 1), (0, 2), (1, 2), (3, 1), (3, 3)]);
    let unreachable = levels(&[1, 4], vec![acyclic], Ignore);
    // The recurring state appears only when the upper event fires a second time.
    let lower = local_event("lower", 1, &[(1, 0)]);
    let upper = joint_event("upper", (0, 0), (0, 1));
    let two_levels = levels(&[1, 2], vec![lower, upper], Ignore);
    // A recurring state, with a cycle only in the projection to `x`.
    let there = joint_event("there", (0, 1), (0, 1));
    let too = joint_event("too", (0, 1), (0, 1));
    let back = joint_event("back", (1, 0), (1, 2));
    let no_cycle = levels(&[2, 3], vec![there.clone(), too.clone(), back], Ignore);
    // As above, followed by a cycle on other values of `x`.
    let on = joint_event("on", (1, 2), (1, 2));
    let round = local_event("round", 0, &[(2, 3), (3, 2)]);
    let a_cycle = levels(&[4, 3], vec![there, too, on, round], Ignore);
    // The cycle contains all states, including the initial one.
    let all = local_event("e", 0, &[(0, 1), (1, 2), (2, 0)]);
    let beyond = levels(&[3], vec![all], Ignore);
    vec![
        fixed("unreachable-local-cycle", unreachable, true),
        fixed("cycle-through-two-levels", two_levels, false),
        fixed("recurring-states-on-no-cycle", no_cycle, true),
        fixed("recurring-states-before-a-cycle", a_cycle, false),
        fixed("cycle-beyond-initial-states", beyond, false),
    ]
}

/// Rows of one table start on different levels, under both orders of the variables.
fn rows_by_level() -> Vec<Fixed> {
    let (moves, stays) = (Some((1, 0)), Some((0, 0)));
    let case = |rows: [[Option<_>; 2]; 2]| {
        let event = ("e", vec![0, 1], rows.map(Row::from).into());
        levels(&[2, 2], vec![event], Ignore)
    };
    let lower = case([[moves, stays], [None, stays]]);
    let reversed = case([[stays, moves], [stays, None]]);
    vec![
        fixed("a-loop-in-the-lower-row", lower, false),
        fixed("a-loop-in-the-lower-row-reversed", reversed, false),
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
    let of_starts = [
        ("every-initial-state-counts", "a", false),
        ("every-initial-state-counts-negated", "!a", false),
    ];
    let of_nothing = [
        ("no-events-at-all", "G a", true),
        ("no-events-at-all-negated", "!G a", false),
    ];
    let ignored = [("no-events-at-all-ignored", "!G a", true)];
    let of_fork = [("dead-end-counts", "F G !a", false)];
    let of_live = [("dead-end-does-not-count", "F G !a", true)];
    [
        table(|formula| fork.asks(formula, Stutter), of_fork),
        table(|formula| fork.asks(formula, Ignore), of_live),
        table(|formula| starts.asks(formula, Stutter), of_starts),
        table(|formula| nothing.asks(formula, Stutter), of_nothing),
        table(|formula| nothing.asks(formula, Ignore), ignored),
    ]
    .concat()
}

/// A dead end next to a path to a violation, under both orders of successors.
fn dead_ends_and_paths() -> Vec<Fixed> {
    let fork = |dead, live| {
        let steps = [(0, dead), (0, live), (live, 3), (3, 3)];
        let fork = Kripke::new(4).label("a", &[3]).steps("u", &steps);
        move |formula: &str| fork.asks(formula, Stutter)
    };
    let dead_first = [
        ("dead-end-before-path", "G !a", false),
        ("dead-end-before-path-to-a-loop", "F G !a", false),
    ];
    let dead_last = [
        ("dead-end-after-path", "G !a", false),
        ("dead-end-after-path-to-a-loop", "F G !a", false),
    ];
    [table(fork(1, 2), dead_first), table(fork(2, 1), dead_last)].concat()
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
    let after = after.asks("G !o | G F o", Stutter);
    let in_turn = in_turn.asks("!((a | o) U b)", Stutter);
    let shortcut = shortcut.asks("!(a U b)", Stutter);
    vec![
        fixed("silent-loop-after-an-event", after, false),
        fixed("silent-and-observed-in-turn", in_turn, false),
        fixed("shortcut-out-of-an-aggregate", shortcut, false),
    ]
}

/// Enabledness of a program that may fault is evaluated state by state, not as a diagram.
fn enabledness_by_state() -> Vec<Fixed> {
    let binary = |op, x, y| Expr::Binary(op, Box::new(x), Box::new(y));
    let x = || Expr::Var(VarId(0));
    let none = binary(BinaryOp::Sub, Expr::Const(9), x());
    let none = binary(BinaryOp::Div, Expr::Const(0), none);
    let step = local_event("step", 0, &[(0, 1), (1, 2), (2, 3), (3, 3)]);
    let mut case = levels(&[4], vec![step], Stutter);
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
    let is_last = Predicate::compare(VarId(0), Comparison::Eq, 3);
    let atoms = [Predicate::Enabled(vec![EventId(1)]), is_last].map(Proposition::State);
    case.atoms = atoms.map(Atom::unnamed).into();
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
    let visible: &Arcs = &[(0, 1, 0), (1, 0, 1), (2, 0, 1)];
    let invisible: &Arcs = &[(2, 1, 0), (3, 0, 1)];
    let two_at_once: &Arcs = &[(0, 1, 0), (2, 0, 2)];
    let two_together: &Arcs = &[(3, 2, 0), (1, 0, 1)];
    let two = [two_at_once, invisible, two_together];
    let tokens = net(&two, vec![marked(1)], "G !v");
    let atoms = vec![marked(1), Predicate::Deadlock];
    let deadlock = net(&[visible, invisible], atoms, "G (!v | w)");
    let atoms = vec![marked(1), Predicate::Enabled(vec![EventId(2)])];
    let fireable = net(&[visible, invisible, &[(3, 1, 1)]], atoms, "G (!v | w)");
    vec![
        fixed("two-tokens-pass-through", tokens, false),
        fixed("no-deadlock-between-two-steps", deadlock, false),
        fixed("not-fireable-between-two-steps", fireable, false),
    ]
}

/// Arcs of a transition: place, consumed, produced.
type Arcs = [(usize, Value, Value)];

/// Builds a case about a net of four places with one token in the first, with atoms `v` and `w`.
fn net(transitions: &[&Arcs], atoms: Vec<Predicate>, formula: &str) -> Case {
    let formula = Ltl::parse(formula, &["v", "w"][..atoms.len()]);
    let atoms = atoms.into_iter().map(Proposition::State);
    let system = nets::net(&[1, 0, 0, 0], transitions);
    Case::new(system, atoms.map(Atom::unnamed), formula)
}

/// An event of [`levels`]: its name, its variables, and rows over them.
type TableEvent = (&'static str, Vec<u32>, Vec<Row>);

/// An event with these steps of one variable.
fn local_event(name: &'static str, var: u32, steps: &[(Value, Value)]) -> TableEvent {
    let rows = steps.iter().map(|step| [Some(*step)].into());
    (name, vec![var], rows.collect())
}

/// An event with one step of `x` and `y`.
fn joint_event(name: &'static str, x: (Value, Value), y: (Value, Value)) -> TableEvent {
    (name, vec![0, 1], vec![[Some(x), Some(y)].into()])
}

/// Builds the case of the property `false`, which holds iff there is no infinite run. Variables
/// `x`, `y` of these sizes start at 0; each event is a table over some of them.
fn levels(sizes: &[Value], events: Vec<TableEvent>, deadlock: Deadlock) -> Case {
    let variable = |(size, name): (&Value, &str)| Variable {
        name: name.to_owned(),
        domain: Domain::Range {
            low: 0,
            high: size - 1,
        },
    };
    let event = |(name, vars, rows): TableEvent| Event {
        name: name.to_owned(),
        action: Action::Table {
            vars: vars.into_iter().map(VarId).collect(),
            rows,
        },
    };
    let system = System {
        name: "levels".to_owned(),
        variables: sizes.iter().zip(["x", "y"]).map(variable).collect(),
        events: events.into_iter().map(event).collect(),
        initial: vec![vec![0; sizes.len()].into()],
        ..System::default()
    };
    Case {
        deadlock,
        ..Case::new(system, [], Ltl::Const(false))
    }
}
