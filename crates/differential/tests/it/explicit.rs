//! Limits and evidence of the explicit engine: cut-off states, failed claims, bad prefixes.

use crate::covering::net;
use lariat::internals::{Account, OrderChoice, Plan, PlanRun, RunContext, SpaceCache, Systems};
use lariat_automata::Automaton;
use lariat_budget::{Budget, Stop};
use lariat_differential::subjects;
use lariat_engines::{Claims, Found, Outcome, Problem, ShortenEffort, shorten};
use lariat_model::order::OrderName;
use lariat_model::{
    Comparison, Constraint, Deadlock, EventId, Lasso, Predicate, Proposition, Strength, VarId,
};
use lariat_testkit::oracle::{Buchi, BuchiEdge};

fn decide(engine: &str, problem: &Problem<'_>) -> (Found, Account) {
    let (plan, order) = (Plan::of(engine), OrderChoice::Named(OrderName::FILE));
    let budget = Budget::unlimited().with_work(20_000);
    let run = PlanRun {
        plan: &plan,
        order: &order,
        shared: &budget,
        ctx: RunContext::quiet(&budget),
    };
    let systems = Systems::new();
    let (mut explored, mut account) = (SpaceCache::new(&systems), Account::default());
    let found = run.decide(problem, problem.system, &mut explored, &mut account);
    (found, account)
}

/// The automaton of `F G` atom 0.
fn eventually_always() -> Buchi {
    Buchi {
        initial: vec![0],
        marks: 1,
        edges: vec![
            BuchiEdge::new(0, 0, &[], 0),
            BuchiEdge::new(0, 1, &[(0, true)], 0),
            BuchiEdge::new(1, 1, &[(0, true)], 1),
        ],
    }
}

/// The automaton of `F` atom 0, deterministic.
fn finally() -> Automaton {
    let buchi = Buchi {
        initial: vec![0],
        marks: 1,
        edges: vec![
            BuchiEdge::new(0, 0, &[(0, false)], 0),
            BuchiEdge::new(0, 1, &[(0, true)], 0),
            BuchiEdge::new(1, 1, &[], 1),
        ],
    };
    subjects::automaton(&buchi, 1)
}

fn at_least(place: u32, tokens: i64) -> Predicate {
    Predicate::compare(VarId(place), Comparison::Ge, tokens)
}

/// A search that omits states with many tokens does not answer that there is no run.
#[test]
fn a_cut_off_search_is_inconclusive() {
    let system = net(&[("heap", 0)], &[("add", &[(0, 0, 1)])]);
    let (automaton, propositions) = (finally(), [Proposition::State(at_least(0, 9))]);
    let mut problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
    problem.most_tokens = Some(3);
    let (found, _) = decide("explicit", &problem);
    assert!(matches!(found, Err(Stop::Bound(_))), "{found:?}");
}

/// The product is empty, but claims are checked in all reachable states.
#[test]
fn claims_are_checked_beyond_the_product() {
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
    let expected = Claims {
        failed: vec![true, false],
        states: Some(3),
        complete: true,
    };
    assert_eq!(account.claims, Some(expected));
}

/// The last state is dead, and fair to all constraints.
#[test]
fn more_than_64_constraints_are_stored_per_state() {
    let system = net(&[("a", 1), ("b", 0)], &[("t", &[(0, 1, 0), (1, 0, 1)])]);
    let fair = Constraint::of_events("t", Strength::Weak, vec![EventId(0)]);
    let constraints = vec![fair; 65];
    let automaton = subjects::automaton(&eventually_always(), 1);
    for (place, found) in [(1, true), (0, false)] {
        let propositions = [Proposition::State(at_least(place, 1))];
        let problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
        let (answer, _) = decide("explicit", &problem.assuming(&constraints));
        let accepts = matches!(answer, Ok(Outcome::Accepting(_)));
        assert!(answer.is_ok() && accepts == found, "{answer:?}");
    }
}

#[test]
fn a_bad_prefix_has_no_loop() {
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

/// The automaton accepts every continuation after three steps; the lasso has only two.
#[test]
fn no_bad_prefix_is_longer_than_the_lasso() {
    let system = net(
        &[("a", 1), ("b", 0)],
        &[("t", &[(0, 1, 0), (1, 0, 1)]), ("u", &[(1, 1, 1)])],
    );
    let buchi = Buchi {
        initial: vec![0],
        marks: 1,
        edges: vec![
            BuchiEdge::new(0, 1, &[], 0),
            BuchiEdge::new(1, 2, &[], 0),
            BuchiEdge::new(2, 3, &[(0, true)], 0),
            BuchiEdge::new(3, 3, &[], 1),
        ],
    };
    let automaton = subjects::automaton(&buchi, 1);
    let propositions = [Proposition::State(at_least(1, 1))];
    let mut problem = Problem::new(&system, &automaton, &propositions, Deadlock::Stutter);
    problem.prefixes = true;
    let step = |event| (Some(EventId(event)), [0, 1].into_iter().collect());
    let lasso = Lasso::through(system.initial[0].clone(), [step(0)], [step(1)]);
    let effort = ShortenEffort {
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
