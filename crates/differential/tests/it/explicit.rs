//! What the explicit engine must not keep to itself: that it has left out states, that claims fail beyond its search, that a run is a beginning.

use crate::covering::net;
use lariat::{Account, Explored, OrderChoice, Plan, Run, Systems};
use lariat_automata::Automaton;
use lariat_budget::{Budget, Quiet, RunContext, Stop};
use lariat_differential::subjects;
use lariat_engines::{Claims, Effort, Found, Outcome, Problem, shorten};
use lariat_model::order::OrderName;
use lariat_model::{
    Comparison, Constraint, Deadlock, EventId, Lasso, Predicate, Proposition, Step, Strength, VarId,
};
use lariat_testkit::oracle::{Buchi, BuchiEdge};

fn decide(engine: &str, problem: &Problem<'_>) -> (Found, Account) {
    let (plan, order) = (Plan::of(engine), OrderChoice::Named(OrderName::FILE));
    let budget = Budget::unlimited().with_work(20_000);
    let run = Run {
        plan: &plan,
        order: &order,
        budget: &budget,
        shared: &budget,
        observer: &Quiet,
    };
    let systems = Systems::new();
    let (mut explored, mut account) = (Explored::new(&systems), Account::default());
    let found = run.decide(problem, problem.system, &mut explored, &mut account);
    (found, account)
}

fn edge(from: usize, to: usize, guard: &[(usize, bool)], marks: u64) -> BuchiEdge {
    BuchiEdge {
        from,
        to,
        guard: guard.to_vec(),
        marks,
    }
}

/// Waits until atom 0 is true for ever.
fn settles() -> Buchi {
    Buchi {
        initial: vec![0],
        marks: 1,
        edges: vec![
            edge(0, 0, &[], 0),
            edge(0, 1, &[(0, true)], 0),
            edge(1, 1, &[(0, true)], 1),
        ],
    }
}

/// Waits, reading that atom 0 is false, until it is true, and accepts.
fn finally() -> Automaton {
    let buchi = Buchi {
        initial: vec![0],
        marks: 1,
        edges: vec![
            edge(0, 0, &[(0, false)], 0),
            edge(0, 1, &[(0, true)], 0),
            edge(1, 1, &[], 1),
        ],
    };
    subjects::automaton(&buchi, 1)
}

fn at_least(place: u32, tokens: i64) -> Predicate {
    Predicate::compare(VarId(place), Comparison::Ge, tokens)
}

/// A search that leaves out states with many tokens does not say that there is no run.
#[test]
fn what_was_cut_off_is_not_denied() {
    let system = net(&[("heap", 0)], &[("add", &[(0, 0, 1)])]);
    let (automaton, propositions) = (finally(), [Proposition::State(at_least(0, 9))]);
    let mut problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
    problem.most_tokens = Some(3);
    let (found, _) = decide("explicit", &problem);
    assert!(matches!(found, Err(Stop::Bound(_))), "{found:?}");
}

/// The automaton can read nothing in the first state, so that the search ends there. Claims are looked at in all states.
#[test]
fn claims_are_looked_at_beyond_the_search() {
    let system = net(
        &[("a", 1), ("b", 0), ("c", 0)],
        &[
            ("t", &[(0, 1, 0), (1, 0, 1)]),
            ("u", &[(1, 1, 0), (2, 0, 1)]),
        ],
    );
    let mut automaton = finally();
    automaton.states[0].retain(|edge| edge.to.0 == 1);
    let propositions = [Proposition::State(at_least(1, 1))];
    let claims = [1, 2].map(|tokens| Predicate::Not(Box::new(at_least(2, tokens))));
    let mut problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
    problem.claims = &claims;
    let (found, account) = decide("explicit", &problem);
    assert_eq!(found, Ok(Outcome::Empty));
    let told = Claims {
        failed: vec![true, false],
        states: Some(3),
        complete: true,
    };
    assert_eq!(account.claims, Some(told));
}

/// What a state enables of more constraints than a word has bits is not mixed up with what its neighbour does: the last state is dead, and fair to all.
#[test]
fn many_constraints_are_kept_state_by_state() {
    let system = net(&[("a", 1), ("b", 0)], &[("t", &[(0, 1, 0), (1, 0, 1)])]);
    let fair = Constraint::of_events("t", Strength::Weak, vec![EventId(0)]);
    let constraints = vec![fair; 65];
    let automaton = subjects::automaton(&settles(), 1);
    for (place, found) in [(1, true), (0, false)] {
        let propositions = [Proposition::State(at_least(place, 1))];
        let problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
        let (answer, _) = decide("explicit", &problem.assuming(&constraints));
        let accepts = matches!(answer, Ok(Outcome::Accepting(_)));
        assert!(answer.is_ok() && accepts == found, "{answer:?}");
    }
}

/// Where the beginning of a run is evidence, nothing is told of what comes behind it.
#[test]
fn a_beginning_has_no_loop() {
    let system = net(
        &[("a", 1), ("b", 0)],
        &[
            ("t", &[(0, 1, 0), (1, 0, 1)]),
            ("u", &[(0, 0, 1), (1, 1, 0)]),
        ],
    );
    let (automaton, propositions) = (finally(), [Proposition::State(at_least(1, 1))]);
    let mut problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
    problem.prefixes = true;
    match decide("explicit", &problem).0 {
        Ok(Outcome::Accepting(lasso)) => {
            assert!(
                !lasso.prefix.is_empty() && lasso.cycle.is_empty(),
                "{lasso:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// The automaton accepts whatever follows behind three steps, and the run comes back after two: it does not become longer.
#[test]
fn no_beginning_is_longer_than_the_run() {
    let system = net(
        &[("a", 1), ("b", 0)],
        &[("t", &[(0, 1, 0), (1, 0, 1)]), ("u", &[(1, 1, 1)])],
    );
    let buchi = Buchi {
        initial: vec![0],
        marks: 1,
        edges: vec![
            edge(0, 1, &[], 0),
            edge(1, 2, &[], 0),
            edge(2, 3, &[(0, true)], 0),
            edge(3, 3, &[], 1),
        ],
    };
    let automaton = subjects::automaton(&buchi, 1);
    let propositions = [Proposition::State(at_least(1, 1))];
    let mut problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
    problem.prefixes = true;
    let step = |event| Step {
        event: Some(EventId(event)),
        state: [0, 1].into_iter().collect(),
    };
    let lasso = Lasso {
        initial: system.initial[0].clone(),
        prefix: vec![step(0)],
        cycle: vec![step(1)],
        growth: None,
    };
    let effort = Effort {
        at_first: 1000,
        at_last: &|_| 0,
    };
    let short = shorten(
        &problem,
        lasso,
        &effort,
        RunContext::quiet(&Budget::unlimited()),
    );
    assert_eq!(short.steps().count(), 2, "{short:?}");
}
