//! One worker compared with several, and limits that stop them.

use super::*;
use crate::explicit::testing::{closed_net, pour};
use lariat_budget::{Budget, Cancel, FaultTarget, InjectedFault};
use lariat_corpora::{Random, cases, seed, which_ends};
use lariat_model::{Comparison, Deadlock, State, System};
use std::collections::HashSet;
use std::thread::scope;
use std::time::Duration;

/// Nets with states as words, vectors and trees; with values that fit their fields and some that do
/// not.
fn random_net(random: &mut Random) -> System {
    let shapes = [(3, 40), (6, 9), (9, 5), (40, 3), (120, 2), (400, 2)];
    let (places, bundles) = *random.one_of(&shapes);
    let weight = *random.one_of(&[1, 1, 300, 1 << 40]);
    closed_net(random, places, bundles, weight)
}

/// Counts with `workers` threads.
fn several(
    space: &Explicit<'_>,
    claims: &[Predicate],
    workers: usize,
    budget: &Budget,
) -> ExplicitCounts {
    let workers = NonZeroUsize::new(workers).unwrap();
    count_together(space, claims, workers, RunContext::quiet(budget))
}

/// Counts with one worker, without limits.
fn alone(space: &Explicit<'_>, claims: &[Predicate]) -> ExplicitCounts {
    count(space, claims, RunContext::quiet(&Budget::unlimited()))
}

/// Returns the stop, if there is one. The counts are lower bounds then, and else exact.
fn stopped(found: ExplicitCounts, all: &ExplicitCounts) -> Option<Stop> {
    if found.stop.is_none() {
        assert_eq!((found.states, found.edges), (all.states, all.edges));
    }
    assert!(found.states <= all.states && found.edges <= all.edges);
    found.stop
}

#[test]
fn any_number_of_workers_counts_the_same() {
    let mut random = Random::new(seed(31_337));
    let mut most = 0;
    for case in 0..cases(20) {
        let system = random_net(&mut random);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let claims = [Predicate::compare(VarId(0), Comparison::Ge, 1)];
        let budget = Budget::unlimited();
        // Without claims, the states of small nets are counted as words without ids.
        for claims in [&claims[..], &[]] {
            let alone = alone(&space, claims);
            most = most.max(alone.states);
            for n in [2, 3, 8] {
                let mut found = several(&space, claims, n, &budget);
                found.bytes = alone.bytes;
                assert_eq!(found, alone, "case {case}, {n} workers");
            }
        }
    }
    assert!(most > 10_000, "tables have to grow: {most}");
}

#[test]
fn overflow_vectors_are_shared() {
    let system = pour(20_000);
    let space = Explicit::new(&system, Deadlock::Stutter);
    let found = several(&space, &[], 3, &Budget::unlimited());
    let counts = (found.states, found.edges, found.deadlocks);
    assert_eq!(counts, (20_001, 20_000, 1));
    let tokens = (found.max_tokens_in_place, found.max_tokens);
    assert_eq!(tokens, (20_000, 20_000));
}

/// At every limit all workers end, and their counts are lower bounds.
#[test]
fn limits_stop_all_workers() {
    let mut random = Random::new(seed(4_711));
    let mut stops = 0;
    for case in 0..cases(60) {
        let system = random_net(&mut random);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let all = alone(&space, &[]);
        let cancel = Cancel::default();
        let after = Duration::from_micros(random.below(3000));
        let budget = match case % 4 {
            0 => Budget::bytes(random.below(2_000_000)),
            1 => Budget::unlimited().with_work(random.below(all.states)),
            2 => Budget::unlimited().with_deadline(after),
            _ => Budget::unlimited().with_cancel(cancel.clone()),
        };
        let switch = std::thread::spawn(move || {
            std::thread::sleep(after);
            cancel.press();
        });
        let found = several(&space, &[], 2 + random.below(3_usize), &budget);
        switch.join().unwrap();
        if let Some(stop) = stopped(found, &all) {
            stops += 1;
            let expected = match case % 4 {
                0 => Stop::Memory,
                1 => stop.clone(),
                2 => Stop::Time,
                _ => Stop::Interrupted,
            };
            assert_eq!(stop, expected, "case {case}");
        }
        assert_eq!(budget.bytes_used(), 0, "case {case}");
    }
    assert!(stops > 0);
}

/// Stops at reproducible points, in one worker or in all.
#[test]
fn workers_stop_at_any_point() {
    let mut random = Random::new(seed(815));
    let mut stops = 0;
    which_ends(|| {
        for case in 0..cases(150) {
            let system = random_net(&mut random);
            let space = Explicit::new(&system, Deadlock::Stutter);
            let all = alone(&space, &[]);
            let stop = random
                .one_of(&[Stop::Memory, Stop::Time, Stop::Interrupted])
                .clone();
            let victim = *random.one_of(&[FaultTarget::One, FaultTarget::All]);
            let reach = random.below(14_u32);
            let at = random.below(1_u64 << reach);
            let budget = Budget::faulty(InjectedFault::new(stop.clone(), at, victim));
            let found = several(&space, &[], 2 + random.below(3_usize), &budget);
            if let Some(met) = stopped(found, &all) {
                stops += 1;
                assert_eq!(met, stop, "case {case}");
            }
            assert_eq!(budget.bytes_used(), 0, "case {case}");
        }
    });
    assert!(stops > 0);
}

/// Values that exceed their fields are no words: counting restarts with the general store.
#[test]
fn outgrown_words_are_counted_with_the_general_store() {
    let system = pour(20_000);
    let space = Explicit::new(&system, Deadlock::Stutter);
    assert!(WordSearch::for_workers(&space, 2, &Budget::unlimited()).is_some());
    let alone = alone(&space, &[]);
    let mut found = several(&space, &[], 2, &Budget::unlimited());
    found.bytes = alone.bytes;
    assert_eq!(found, alone);
}

/// Ids are dense up to gaps, which are known, and every state has exactly one.
#[test]
fn a_state_has_one_id() {
    let mut random = Random::new(seed(99));
    for _ in 0..cases(8) {
        let system = random_net(&mut random);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let budget = Budget::unlimited();
        let mut all = space.workers(3, &budget);
        scope(|scope| {
            for states in &mut all {
                scope.spawn(|| {
                    let first = space.initial(states, 0).unwrap().unwrap();
                    let mut seen = HashSet::from([first]);
                    let mut list = vec![first];
                    while let Some(state) = list.pop() {
                        let mut steps = Vec::new();
                        space.expand(states, state, &mut steps).unwrap();
                        let new = steps.iter().map(|(_, to)| *to);
                        list.extend(new.filter(|to| seen.insert(*to)));
                    }
                    states.rest();
                });
            }
        });
        let mut last = all.swap_remove(0);
        drop(all);
        last.resume();
        let known = (0..last.end() as u32).map(ExplicitStateId);
        let known: Vec<ExplicitStateId> = known.filter(|id| last.is_known(*id)).collect();
        let different: HashSet<State> = known.iter().map(|id| last.get(*id)).collect();
        let counted = alone(&space, &[]).states as usize;
        assert_eq!((known.len(), different.len()), (counted, counted));
        assert_eq!(last.len(), counted);
    }
}
