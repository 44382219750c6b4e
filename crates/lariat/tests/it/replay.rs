//! Runs that the replay refuses. It checks every run before a property is reported as violated.

use crate::asking::{event, one_property, system};
use lariat::internals::{
    Budget, EarnedVerdict, Interpretation, Reason, ReplayedProperty, Stop, replay,
};
use lariat_automata::{Automaton, Guards, StateId, Transition};
use lariat_emptiness::Marks;
use lariat_engines::Outcome;
use lariat_model::{
    Action, Deadlock, Event, EventId, Lasso, Names, PropertyList, ReplayError, State, System, VarId,
};

use Deadlock::{Ignore, Stutter};

/// A token moves from `a` to `b`, adding one to `heap`, and back, or is lost. `dump` needs it in
/// `a`, and five in `heap`.
fn turns() -> System {
    let events = vec![
        event("go", &[(0, 1, -1), (1, 0, 1), (2, 0, 1)]),
        event("come", &[(0, 0, 1), (1, 1, -1)]),
        event("lose", &[(1, 1, -1)]),
        event("dump", &[(0, 1, 0), (2, 5, -5)]),
    ];
    system(&["a", "b", "heap"], events, &[1, 0, 0])
}

/// An event, and the state after it.
type Passage = (Option<EventId>, State);

fn step(event: u32, state: &[i64]) -> Passage {
    (Some(EventId(event)), state.into())
}

fn stutter(state: &[i64]) -> Passage {
    (None, state.into())
}

fn run(initial: &[i64], prefix: Vec<Passage>, cycle: Vec<Passage>) -> Lasso {
    Lasso::through(initial.into(), prefix, cycle)
}

fn lost() -> Vec<Passage> {
    vec![step(0, &[0, 1, 1]), step(2, &[0, 0, 1])]
}

fn replay_formula(
    system: &System,
    lasso: &Lasso,
    formula: &str,
    deadlock: Deadlock,
) -> Result<(), String> {
    let properties = one_property(&Names::of(system), formula);
    let property = ReplayedProperty::Formula(&properties.formulas, properties.list[0].formula);
    replayed(system, &properties, property, deadlock, lasso)
}

fn replayed(
    system: &System,
    properties: &PropertyList,
    property: ReplayedProperty<'_>,
    deadlock: Deadlock,
    lasso: &Lasso,
) -> Result<(), String> {
    let meaning = Interpretation {
        system,
        propositions: &properties.propositions,
    };
    let replayed = replay(meaning, property, deadlock, lasso, &Budget::unlimited());
    replayed.map_err(|error| error.to_string())
}

#[test]
fn runs_start_in_an_initial_state_and_take_steps_of_the_system() {
    let system = turns();
    let start: &[i64] = &[1, 0, 0];
    let end = [0, 0, 0];
    let elsewhere = run(&[0, 1, 0], vec![step(2, &end)], vec![stutter(&end)]);
    let wrong_step = "not a step of the model";
    let open = run(start, lost()[..1].to_vec(), lost()[1..].to_vec());
    let refused = [
        // Another initial state; a wrong successor; a disabled event; stuttering elsewhere.
        (elsewhere, "initial"),
        (run(start, vec![], vec![step(0, start)]), wrong_step),
        (run(start, vec![], vec![step(1, start)]), wrong_step),
        (run(start, vec![], vec![stutter(start)]), wrong_step),
        (run(start, lost(), vec![stutter(&[0, 0, 2])]), wrong_step),
        (open, "does not close"),
    ];
    for (lasso, because) in refused {
        for formula in ["F \"heap >= 9\"", "X X G a"] {
            let why = replay_formula(&system, &lasso, formula, Stutter).unwrap_err();
            assert!(why.contains(because), "{lasso:?}: {why}");
        }
    }
}

#[test]
fn finite_runs_count_where_deadlocks_stutter() {
    let system = turns();
    let ends = run(&[1, 0, 0], lost(), vec![stutter(&[0, 0, 1])]);
    let recurs = "G F (a | b)";
    assert_eq!(replay_formula(&system, &ends, recurs, Stutter), Ok(()));
    let why = replay_formula(&system, &ends, "G F (a | b)", Ignore).unwrap_err();
    assert!(why.contains("not a step of the model"), "{why}");
    let satisfied = replay_formula(&system, &ends, "F G !a", Stutter).unwrap_err();
    assert!(satisfied.contains("does not violate"), "{satisfied}");
    // Stuttering is not repeated with more tokens.
    let rounds = Lasso {
        growth: Some([0, 0, 0].into()),
        ..ends
    };
    let why = replay_formula(&system, &rounds, "G F (a | b)", Stutter).unwrap_err();
    assert!(why.contains("more tokens"), "{why}");
}

#[test]
fn atoms_are_settled_at_every_position_of_a_round() {
    let rounds = Lasso {
        growth: Some([0, 0, 1].into()),
        ..run(
            &[1, 0, 0],
            vec![step(0, &[0, 1, 1])],
            vec![step(1, &[1, 0, 1]), step(0, &[0, 1, 2])],
        )
    };
    let system = turns();
    assert_eq!(replay_formula(&system, &rounds, "F G a", Stutter), Ok(()));
    // `dump` is settled only at the first position of a round, at which `a` is empty.
    let why = replay_formula(&system, &rounds, "F \"fireable(dump)\"", Stutter).unwrap_err();
    assert!(why.contains("may change"), "{why}");
}

/// Only steps of nets without an error state can be repeated with more tokens.
#[test]
fn covering_runs_need_a_net() {
    let rows = vec![[Some((0, 1))].into(), [Some((1, 2))].into()];
    let vars = vec![VarId(0)];
    let table = Event {
        name: "e".to_owned(),
        action: Action::Table { vars, rows },
    };
    let table = system(&["x"], vec![table], &[0]);
    let mut net = system(&["x"], vec![event("e", &[(0, 0, 1)])], &[0]);
    let once = Lasso {
        growth: Some([1].into()),
        ..run(&[0], vec![], vec![step(0, &[1])])
    };
    assert_eq!(replay_formula(&net, &once, "F \"x < 0\"", Stutter), Ok(()));
    net.fault = Some(VarId(0));
    // Nor do the rounds show that a violating prefix is infinite.
    for (formula, deadlock) in [("F \"x < 0\"", Stutter), ("\"x < 0\"", Ignore)] {
        for system in [&table, &net] {
            let why = replay_formula(system, &once, formula, deadlock).unwrap_err();
            assert!(why.contains("more tokens"), "{why}");
        }
    }
}

/// After the right prefix a nondeterministic automaton may also be in a state that does not accept.
#[test]
fn a_reached_state_of_the_automaton_must_accept_every_continuation() {
    let system = turns();
    let properties = one_property(&Names::of(&system), "b");
    let mut guards = Guards::new();
    let b = guards.atom(0);
    let edge = |guard, marks, to| Transition {
        guard,
        marks,
        to: StateId(to),
    };
    let guessing = Automaton {
        atoms: properties.formulas.atoms_of(properties.list[0].formula),
        guards,
        mark_count: 1,
        initial: vec![StateId(0)],
        states: vec![
            vec![edge(Guards::TRUE, Marks::NONE, 0), edge(b, Marks::NONE, 1)],
            vec![edge(Guards::TRUE, Marks::one(0), 1)],
        ],
    };
    let property = ReplayedProperty::Never(&guessing);
    let replayed = |run: &Lasso| replayed(&system, &properties, property, Stutter, run);
    assert_eq!(replayed(&run(&[1, 0, 0], lost(), vec![])), Ok(()));
    let why = replayed(&run(&[1, 0, 0], lost()[..1].to_vec(), vec![])).unwrap_err();
    assert!(why.contains("has continuations"), "{why}");
}

/// A verdict needs a complete search, or a run that was replayed.
#[test]
fn verdicts_are_earned() {
    let any = || run(&[1, 0, 0], lost(), vec![stutter(&[0, 0, 1])]);
    let budget = Budget::unlimited();
    let holds = EarnedVerdict::earn(Ok(Outcome::Empty), &budget, |_| {
        Err(ReplayError::Defect("not asked".to_owned()))
    });
    assert!(matches!(holds, EarnedVerdict::Holds(_)), "{holds:?}");
    let doubt = EarnedVerdict::earn(Ok(Outcome::Undecided(any())), &budget, Ok);
    let inconclusive = matches!(doubt, EarnedVerdict::Unknown(Reason::Inconclusive(_)));
    assert!(inconclusive, "{doubt:?}");
    let failed = EarnedVerdict::earn(Ok(Outcome::Accepting(any())), &budget, |_| {
        Err(ReplayError::Defect("wrong".to_owned()))
    });
    let wrong = EarnedVerdict::Unknown(Reason::Internal("wrong".to_owned()));
    assert_eq!(failed, wrong);
    let found = EarnedVerdict::earn(Ok(Outcome::Accepting(any())), &budget, Ok);
    assert!(matches!(found, EarnedVerdict::Violated(_)), "{found:?}");
    assert!(budget.bytes_used() > 0);
    drop(found);
    assert_eq!(budget.bytes_used(), 0);
    let large = EarnedVerdict::earn(Ok(Outcome::Accepting(any())), &Budget::bytes(8), Ok);
    let refused = EarnedVerdict::Unknown(Reason::Stopped(Stop::Memory));
    assert_eq!(large, refused);
}
