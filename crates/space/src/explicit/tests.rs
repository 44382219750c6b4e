//! Random and fixed systems, explored and compared with the semantics of the model.

use super::testing::{net, place, pour, transition};
use super::*;
use lariat_budget::RunContext;
use lariat_corpora::{Random, cases, seed};
use lariat_model::{Domain, State, Value};
use std::collections::HashMap;
use std::time::Duration;

/// Fields keep their widths: upper bits go into overflow vectors.
#[test]
fn values_outgrow_their_fields() {
    let system = pour(300);
    let space = Explicit::new(&system, Deadlock::Ignore);
    let (mut states, mut at) = start(&space, &Budget::unlimited());
    assert!(states.packed_bits() < 18);
    for i in 1..=300 {
        let mut cursor = StepCursor::default();
        let (event, to) = space.next(&mut states, at, &mut cursor).unwrap().unwrap();
        assert_eq!(event, Some(EventId(0)));
        assert_eq!(*states.get(to), [300 - i, i]);
        at = to;
    }
    assert_eq!(states.len(), 301);
    for i in 0..=300 {
        let values = [300 - Value::from(i), Value::from(i)];
        assert_eq!(*states.get(ExplicitStateId(i)), values);
    }
    let last = space.next(&mut states, at, &mut StepCursor::default());
    assert_eq!(last, Ok(None));
}

/// Successors and predicates agree with the semantics of the system, at states in the order of
/// discovery and at random; for nets with few and many places, with and without bounds, with small
/// and huge weights.
#[test]
fn random_nets_are_explored_correctly() {
    let mut random = Random::new(seed(90_125));
    for case in 0..cases(48) {
        let places = [3, 9, 40, 300][case % 4];
        let weights = [1, 3, 200, 1 << 20][case / 4 % 4];
        let mut system = net(&mut random, places, 2 * places, weights);
        if case % 3 == 0 {
            for variable in &mut system.variables {
                // Not always an invariant: a stated bound is not a proof.
                variable.domain = Domain::Count { bound: Some(1) };
            }
        }
        agrees(&system, &mut random, case);
    }
}

/// A table, and the first initial state in it.
fn start(space: &Explicit<'_>, budget: &Budget) -> (StateTable, ExplicitStateId) {
    let mut states = space.states(budget);
    let initial = space.initial(&mut states, 0).unwrap().unwrap();
    (states, initial)
}

fn agrees(system: &System, random: &mut Random, case: usize) {
    let mut predicates: Vec<Predicate> = (0..20.min(system.events.len()))
        .map(|i| match i % 4 {
            0 => Predicate::Enabled(vec![EventId(i as u32), EventId(i as u32 / 2)]),
            1 => Predicate::Not(Box::new(Predicate::Deadlock)),
            _ => {
                let var = lariat_model::VarId(i as u32 % system.variables.len() as u32);
                Predicate::compare(var, lariat_model::Comparison::Ge, i as Value % 3)
            }
        })
        .collect();
    // Long ones, which become tallies; members may occur twice.
    for i in 0..3 {
        let var = |_| lariat_model::VarId(random.below(system.variables.len() as u32));
        let vars: Vec<_> = (0..40).map(var).collect();
        let coefficient = |k: usize| [1, -1, 3][(k + i) % 3];
        let terms = vars.iter().enumerate().map(|(k, v)| (*v, coefficient(k)));
        let sum = Predicate::Linear(lariat_model::Linear {
            terms: terms.collect(),
            comparison: lariat_model::Comparison::Ge,
            constant: random.below(9),
        });
        let event = |_| EventId(random.below(system.events.len() as u32));
        let list = Predicate::Enabled((0..20).map(event).collect());
        let not = Predicate::Not(Box::new(list.clone()));
        predicates.extend([sum.clone(), list, Predicate::Or(vec![not, sum])]);
    }
    let bits = predicates.iter().enumerate().map(|(i, p)| (1 << i, p));
    let space = Explicit::new(system, Deadlock::Stutter).observing(bits.collect());
    let (mut states, initial) = start(&space, &Budget::unlimited());
    let mut known = HashMap::from([(system.initial[0].clone(), initial)]);
    for round in 0..150 {
        let from = match round % 2 {
            0 => ExplicitStateId(random.below(states.len() as u32)),
            _ => ExplicitStateId((round / 2).min(states.len() as u32 - 1)),
        };
        let values = states.get(from);
        assert_eq!(known[&values], from, "case {case}");
        let truth = space.truth(&mut states, from);
        for (i, predicate) in predicates.iter().enumerate() {
            let holds = system.holds(predicate, &values);
            assert_eq!(truth >> i & 1 == 1, holds, "case {case}: {predicate:?}");
        }
        let mut found = Vec::new();
        if round % 5 == 0 {
            let mut ways = Vec::new();
            space.ways(&mut states, from, &mut ways).unwrap();
            for (event, mut way) in ways.into_iter().rev() {
                let step = space.next(&mut states, from, &mut way).unwrap().unwrap();
                assert_eq!(step.0, event, "case {case}");
                let values = states.get(step.1);
                assert_eq!(*space.values(&mut states, step.1), *values, "case {case}");
                found.extend(event.map(|event| (event, step.1)));
            }
        } else if round % 3 == 0 {
            space.expand(&mut states, from, &mut found).unwrap();
        } else {
            let mut cursor = StepCursor::default();
            while let Some((event, to)) = space.next(&mut states, from, &mut cursor).unwrap() {
                match event {
                    Some(event) => found.push((event, to)),
                    None => assert_eq!((to, found.len()), (from, 0)),
                }
                if random.chance(1, 4) {
                    space.truth(&mut states, to);
                }
            }
        }
        let mut wanted: Vec<(EventId, State)> = Vec::new();
        for event in system.event_ids() {
            let successors = system.successors(&values, event);
            wanted.extend(successors.into_iter().map(|to| (event, to)));
        }
        found.sort_unstable();
        let ids = found.iter().map(|(event, to)| (*event, states.get(*to)));
        let wanted_ids = wanted.iter().cloned();
        assert!(ids.eq(wanted_ids), "case {case} from {values:?}");
        for ((_, id), (_, state)) in found.iter().zip(&wanted) {
            assert_eq!(known.entry(state.clone()).or_insert(*id), id);
        }
    }
    assert_eq!(known.len(), states.len());
}

/// A long exploration polls the budget, however many steps a state has.
#[test]
fn every_loop_polls_the_budget() {
    let over = Budget::unlimited().with_deadline(Duration::ZERO);
    let events = (0..3000).map(|i| transition(&i.to_string(), &[(0, 0, i)]));
    let mut system = pour(1);
    system.events = events.collect();
    let space = Explicit::new(&system, Deadlock::Stutter);
    let (mut states, at) = start(&space, &over);
    let mut steps = Vec::new();
    let expanded = space.expand(&mut states, at, &mut steps);
    assert_eq!(expanded, Err(Stop::Time));
    let (mut cursor, mut taken) = (StepCursor::default(), 0);
    let stop = loop {
        match space.next(&mut states, at, &mut cursor) {
            Ok(step) => assert!(step.is_some()),
            Err(stop) => break stop,
        }
        taken += 1;
    };
    assert!(stop == Stop::Time && taken < 2000, "after {taken} steps");
    let found = count(&space, &[], RunContext::quiet(&over));
    assert_eq!(found.stop, Some(Stop::Time));
}

/// Upper bits may appear and disappear in several places at once.
#[test]
fn successors_may_have_huge_values() {
    let much = 1 << 59;
    let system = System {
        variables: vec![place("p"), place("q"), place("r")],
        events: vec![
            transition("t", &[(0, 1, -1), (2, 0, 1)]),
            transition("u", &[(1, 1, -1), (0, 0, 1)]),
        ],
        initial: vec![vec![3, much, much].into()],
        ..System::default()
    };
    let space = Explicit::new(&system, Deadlock::Ignore);
    let (mut states, at) = start(&space, &Budget::unlimited());
    let mut steps = Vec::new();
    space.expand(&mut states, at, &mut steps).unwrap();
    let found: Vec<State> = steps.iter().map(|step| states.get(step.1)).collect();
    let expected: [State; 2] = [
        vec![2, much, much + 1].into(),
        vec![4, much - 1, much].into(),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_dead_state_stutters_once() {
    let system = pour(0);
    let space = Explicit::new(&system, Deadlock::Stutter);
    let (mut states, at) = start(&space, &Budget::unlimited());
    let mut cursor = StepCursor::default();
    let mut next = || space.next(&mut states, at, &mut cursor);
    assert_eq!(next(), Ok(Some((None, at))));
    assert_eq!(next(), Ok(None));
}

#[test]
fn cut_off_successors_are_reported_and_no_deadlock() {
    let system = System {
        variables: vec![place("p")],
        events: vec![transition("grow", &[(0, 0, 1)])],
        initial: vec![vec![0].into()],
        ..System::default()
    };
    let space = Explicit::new(&system, Deadlock::Stutter);
    let mut states = space.states(&Budget::unlimited());
    states.cut_above(5);
    let mut at = space.initial(&mut states, 0).unwrap().unwrap();
    let next =
        |states: &mut StateTable, at| space.next(states, at, &mut StepCursor::default()).unwrap();
    while let Some((event, to)) = next(&mut states, at) {
        assert_eq!(event, Some(EventId(0)), "no state stutters");
        at = to;
    }
    assert!(states.was_cut());
    assert!((6..=8).contains(&states.len()), "{}", states.len());
}

#[test]
fn a_memory_limit_stops_the_exploration() {
    let system = pour(1_000_000);
    let space = Explicit::new(&system, Deadlock::Stutter);
    let found = count(&space, &[], RunContext::quiet(&Budget::bytes(1 << 20)));
    assert_eq!(found.stop, Some(Stop::Memory));
    assert!(found.states > 1000);
}

#[test]
fn counts_beyond_63_bits_stop_the_exploration() {
    let system = System {
        variables: vec![place("p")],
        events: vec![transition("t", &[(0, 1, Value::MAX)])],
        initial: vec![vec![1].into()],
        ..System::default()
    };
    let space = Explicit::new(&system, Deadlock::Stutter);
    let found = count(&space, &[], RunContext::quiet(&Budget::unlimited()));
    assert!(matches!(found.stop, Some(Stop::Bound(_))), "{found:?}");
}
