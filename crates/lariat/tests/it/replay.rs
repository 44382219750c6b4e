//! Runs that the replay refuses. It checks every run before a property is reported as violated.

use lariat::internals::{EarnedVerdict, Reason};
use lariat::internals::{ReplayedProperty, replay};
use lariat_automata::{Automaton, Guards, StateId, Transition};
use lariat_emptiness::Marks;
use lariat_engines::Outcome;
use lariat_model::{
    Action, Arc, Deadlock, Domain, Event, EventId, Lasso, Names, PropertyList, Step, System, VarId,
    Variable,
};

use Deadlock::{Ignore, Stutter};

fn system(variables: &[&str], events: Vec<(&str, Action)>, initial: &[i64]) -> System {
    let variable = |name: &&str| Variable {
        name: (*name).to_owned(),
        domain: Domain::Count { bound: None },
    };
    let event = |(name, action): (&str, Action)| Event {
        name: name.to_owned(),
        action,
    };
    System {
        variables: variables.iter().map(variable).collect(),
        events: events.into_iter().map(event).collect(),
        initial: vec![initial.into()],
        ..System::default()
    }
}

/// A token moves from `a` to `b`, adding one to `heap`, and back, or is lost. `dump` needs it in
/// `a`, and five in `heap`.
fn turns() -> System {
    let net = |arcs: &[(u32, i64, i64)]| {
        let arc = |&(var, need, delta): &(u32, i64, i64)| Arc {
            var: VarId(var),
            need,
            delta,
        };
        Action::Net(arcs.iter().map(arc).collect())
    };
    system(
        &["a", "b", "heap"],
        vec![
            ("go", net(&[(0, 1, -1), (1, 0, 1), (2, 0, 1)])),
            ("come", net(&[(0, 0, 1), (1, 1, -1)])),
            ("lose", net(&[(1, 1, -1)])),
            ("dump", net(&[(0, 1, 0), (2, 5, -5)])),
        ],
        &[1, 0, 0],
    )
}

fn step(event: u32, state: &[i64]) -> Step {
    Step {
        event: Some(EventId(event)),
        state: state.into(),
    }
}

fn stutter(state: &[i64]) -> Step {
    Step {
        event: None,
        state: state.into(),
    }
}

fn run(initial: &[i64], prefix: Vec<Step>, cycle: Vec<Step>) -> Lasso {
    Lasso {
        initial: initial.into(),
        prefix,
        cycle,
        growth: None,
    }
}

fn lost() -> Vec<Step> {
    vec![step(0, &[0, 1, 1]), step(2, &[0, 0, 1])]
}

fn replay_formula(
    system: &System,
    lasso: &Lasso,
    formula: &str,
    deadlock: Deadlock,
) -> Result<(), String> {
    let mut properties = PropertyList::new();
    let names = Names::of(system);
    let added = properties.add_formula(&names, "formula", None, formula);
    added.unwrap();
    let property = ReplayedProperty::Formula(&properties.formulas, properties.list[0].formula);
    replay(system, &properties.propositions, property, deadlock, lasso)
}

#[test]
fn runs_start_in_an_initial_state_and_take_steps_of_the_system() {
    let system = turns();
    let start: &[i64] = &[1, 0, 0];
    let elsewhere = run(
        &[0, 1, 0],
        vec![step(2, &[0, 0, 0])],
        vec![stutter(&[0, 0, 0])],
    );
    let refused = [
        // Another initial state; a wrong successor; a disabled event; stuttering elsewhere.
        (elsewhere, "initial"),
        (
            run(start, vec![], vec![step(0, start)]),
            "not a step of the model",
        ),
        (
            run(start, vec![], vec![step(1, start)]),
            "not a step of the model",
        ),
        (
            run(start, vec![], vec![stutter(start)]),
            "not a step of the model",
        ),
        (
            run(start, lost(), vec![stutter(&[0, 0, 2])]),
            "not a step of the model",
        ),
        (
            run(start, lost()[..1].to_vec(), lost()[1..].to_vec()),
            "does not close",
        ),
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
    assert_eq!(
        replay_formula(&system, &ends, "G F (a | b)", Stutter),
        Ok(())
    );
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
    let table = system(&["x"], vec![("e", Action::Table { vars, rows })], &[0]);
    let adds = Arc {
        var: VarId(0),
        need: 0,
        delta: 1,
    };
    let mut net = system(&["x"], vec![("e", Action::Net(vec![adds]))], &[0]);
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
    let mut properties = PropertyList::new();
    let added = properties.add_formula(&Names::of(&system), "formula", None, "b");
    added.unwrap();
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
    let replayed = |run: &Lasso| replay(&system, &properties.propositions, property, Stutter, run);
    assert_eq!(replayed(&run(&[1, 0, 0], lost(), vec![])), Ok(()));
    let why = replayed(&run(&[1, 0, 0], lost()[..1].to_vec(), vec![])).unwrap_err();
    assert!(why.contains("has continuations"), "{why}");
}

/// A verdict needs a complete search, or a run that was replayed.
#[test]
fn verdicts_are_earned() {
    let any = || run(&[1, 0, 0], lost(), vec![stutter(&[0, 0, 1])]);
    let holds = EarnedVerdict::earn(Ok(Outcome::Empty), |_| Err("not asked".to_owned()));
    assert!(matches!(holds, EarnedVerdict::Holds(_)), "{holds:?}");
    let doubt = EarnedVerdict::earn(Ok(Outcome::Undecided(any())), Ok);
    let inconclusive =
        |v: &EarnedVerdict| matches!(v, EarnedVerdict::Unknown(Reason::Inconclusive(_)));
    assert!(inconclusive(&doubt), "{doubt:?}");
    let failed = EarnedVerdict::earn(Ok(Outcome::Accepting(any())), |_| Err("wrong".to_owned()));
    let wrong = EarnedVerdict::Unknown(Reason::Internal("wrong".to_owned()));
    assert_eq!(failed, wrong);
    let violated = EarnedVerdict::earn(Ok(Outcome::Accepting(any())), Ok);
    assert!(
        matches!(violated, EarnedVerdict::Violated(_)),
        "{violated:?}"
    );
}
