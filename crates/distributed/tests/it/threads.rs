//! Workers of one process.

use crate::fleet::{decide, hopeless, kanban, recurring};
use lariat_budget::{Budget, RunContext, Statistic, Stop};
use lariat_corpora::{Random, each_case};
use lariat_distributed::Machines;
use lariat_engines::Outcome;
use lariat_model::{Deadlock, System};
use lariat_space::explicit::{self, Explicit};
use lariat_testkit::{nets, programs};
use std::time::Duration;

fn agrees(machines: &Machines, system: &System) {
    let space = Explicit::new(system, Deadlock::Stutter);
    let budget = Budget::unlimited();
    let expected = explicit::count(&space, &[], RunContext::quiet(&budget));
    let count = machines.count(system, &[], RunContext::quiet(&budget));
    assert_eq!(count.stop, None);
    let sum = |figure: fn(&lariat_distributed::Figures) -> u64| -> u64 {
        count.workers.iter().map(figure).sum()
    };
    assert_eq!(sum(|w| w.states), expected.states);
    // Workers count stuttering as an edge; `explicit::count` does not.
    assert_eq!(sum(|w| w.edges) - count.counted.deadlocks, expected.edges);
    assert_eq!(count.counted.deadlocks, expected.deadlocks);
    assert_eq!(
        count.counted.max_tokens_in_place,
        expected.max_tokens_in_place
    );
    assert_eq!(count.counted.max_tokens, expected.max_tokens);
}

#[test]
fn states_are_counted_by_any_number_of_workers() {
    for workers in 1..=4 {
        let machines = Machines::threads(workers).unwrap();
        agrees(&machines, &kanban(2));
        each_case(12, |random: &mut Random| {
            agrees(&machines, &nets::random(random, 300));
            agrees(&machines, &programs::random(random, 300));
        });
    }
}

#[test]
fn the_states_of_kanban_are_divided_evenly() {
    let machines = Machines::threads(3).unwrap();
    let count = machines.count(&kanban(3), &[], RunContext::quiet(&Budget::unlimited()));
    let states: Vec<u64> = count.workers.iter().map(|w| w.states).collect();
    assert_eq!(states.iter().sum::<u64>(), 58_400);
    for owned in &states {
        assert!(owned.abs_diff(58_400 / 3) * 20 < 58_400 / 3, "{states:?}");
    }
}

/// The nodes of two products with known sizes: 4600 states, times the automaton states reached.
#[test]
fn products_have_the_expected_nodes() {
    let (system, budget) = (kanban(2), Budget::unlimited());
    for workers in [1, 2, 4] {
        let machines = Machines::threads(workers).unwrap();
        let (found, account) = decide(&machines, &system, &recurring(), &budget);
        let Ok(Outcome::Accepting(lasso)) = found else {
            panic!("{found:?}");
        };
        assert!(lasso.comes_round() && !lasso.cycle.is_empty());
        let marked = |state: &[i64]| state[0] > 0;
        let states = lasso.states();
        let mut round = states[lasso.prefix.len()..].iter();
        assert!(round.any(|state| marked(state)), "{lasso:?}");
        let nodes = account.stats.get(Statistic::PRODUCT_STATES).cloned();
        assert_eq!(nodes, Some((2 * 4600u64 - unreached(&system)).into()));
        let (found, _) = decide(&machines, &system, &hopeless(), &budget);
        assert_eq!(found, Ok(Outcome::Empty));
    }
}

/// Unreachable pairs of the recurring automaton, whose state is the previous value of the atom.
fn unreached(system: &System) -> u64 {
    let space = Explicit::new(system, Deadlock::Stutter);
    let mut states = space.states(&Budget::unlimited());
    space.initial(&mut states, 0).unwrap();
    let (mut next, mut steps) = (0, Vec::new());
    let mut entered = vec![[false; 2]; 5000];
    entered[0][0] = true;
    while next < states.len() {
        let from = explicit::ExplicitStateId(next as u32);
        let marked = usize::from(space.values(&mut states, from)[0] > 0);
        steps.clear();
        space.expand(&mut states, from, &mut steps).unwrap();
        for (_, to) in &steps {
            entered[to.index()][marked] = true;
        }
        next += 1;
    }
    let pairs = entered[..states.len()].iter().flatten();
    pairs.filter(|entered| !**entered).count() as u64
}

#[test]
fn limits_end_all_workers() {
    let machines = Machines::threads(3).unwrap();
    let system = kanban(4);
    let stop = |budget: &Budget| machines.count(&system, &[], RunContext::quiet(budget)).stop;
    assert_eq!(stop(&Budget::bytes(1 << 20)), Some(Stop::Memory));
    let short = Budget::unlimited().with_deadline(Duration::from_millis(20));
    assert_eq!(stop(&short), Some(Stop::Time));
    let little = Budget::unlimited().with_work(1000);
    let (found, _) = decide(&machines, &system, &hopeless(), &little);
    assert_eq!(found, Err(Stop::Work(1000)));
    // The workers answer further questions.
    let (found, _) = decide(&machines, &kanban(1), &hopeless(), &Budget::unlimited());
    assert_eq!(found, Ok(Outcome::Empty));
}
