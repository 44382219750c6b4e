//! One worker compared with several, and limits that stop them.

use super::*;
use crate::explicit::testing::{Random, pour};
use lariat_budget::{Budget, Cancel, FaultTarget, InjectedFault};
use lariat_corpora::{cases, seed, which_ends};
use lariat_model::{Comparison, Deadlock, State, System};
use std::collections::HashSet;
use std::thread::scope;
use std::time::Duration;

/// Nets with states as words, vectors and trees; with values that fit their fields and some that do
/// not.
fn random_net(random: &mut Random) -> System {
    let shapes = [(3, 40), (6, 9), (9, 5), (40, 3), (120, 2), (400, 2)];
    let (places, bundles) = shapes[random.below(shapes.len() as u32) as usize];
    let weight = [1, 1, 300, 1 << 40][random.below(4) as usize];
    random.closed_net(places, bundles, weight)
}

fn workers(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
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
            let alone = count(&space, claims, RunContext::quiet(&budget));
            most = most.max(alone.states);
            for n in [2, 3, 8] {
                let bytes = alone.bytes;
                let found = count_together(&space, claims, workers(n), RunContext::quiet(&budget));
                assert_eq!(
                    ExplicitCounts { bytes, ..found },
                    alone,
                    "case {case}, {n} workers"
                );
            }
        }
    }
    assert!(most > 10_000, "tables have to grow: {most}");
}

#[test]
fn overflow_vectors_are_shared() {
    let system = pour(20_000);
    let space = Explicit::new(&system, Deadlock::Stutter);
    let found = count_together(
        &space,
        &[],
        workers(3),
        RunContext::quiet(&Budget::unlimited()),
    );
    assert_eq!(
        (found.states, found.edges, found.deadlocks),
        (20_001, 20_000, 1)
    );
    assert_eq!(
        (found.max_tokens_in_place, found.max_tokens),
        (20_000, 20_000)
    );
}

/// At every limit all workers end, and their counts are lower bounds.
#[test]
fn limits_stop_all_workers() {
    let mut random = Random::new(seed(4_711));
    let mut stops = 0;
    for case in 0..cases(60) {
        let system = random_net(&mut random);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let all = count(&space, &[], RunContext::quiet(&Budget::unlimited()));
        let cancel = Cancel::default();
        let after = Duration::from_micros(u64::from(random.below(3000)));
        let budget = match case % 4 {
            0 => Budget::bytes(u64::from(random.below(2_000_000))),
            1 => Budget::unlimited().with_work(u64::from(random.below(all.states as u32))),
            2 => Budget::unlimited().with_deadline(after),
            _ => Budget::unlimited().with_cancel(cancel.clone()),
        };
        let switch = std::thread::spawn(move || {
            std::thread::sleep(after);
            cancel.press();
        });
        let workers = workers(2 + random.below(3) as usize);
        let found = count_together(&space, &[], workers, RunContext::quiet(&budget));
        switch.join().unwrap();
        match &found.stop {
            None => assert_eq!((found.states, found.edges), (all.states, all.edges)),
            Some(stop) => {
                stops += 1;
                let expected = match case % 4 {
                    0 => Stop::Memory,
                    1 => stop.clone(),
                    2 => Stop::Time,
                    _ => Stop::Interrupted,
                };
                assert_eq!(*stop, expected, "case {case}");
                assert!(found.states <= all.states && found.edges <= all.edges);
            }
        }
        assert_eq!(budget.bytes_used(), 0, "case {case}");
    }
    assert!(stops > 0);
}

/// Stops at reproducible points, in one worker or in all.
#[test]
fn workers_stop_at_any_point() {
    let mut random = Random::new(seed(815));
    let mut stopped = 0;
    which_ends(|| {
        for case in 0..cases(150) {
            let system = random_net(&mut random);
            let space = Explicit::new(&system, Deadlock::Stutter);
            let all = count(&space, &[], RunContext::quiet(&Budget::unlimited()));
            let stop =
                [Stop::Memory, Stop::Time, Stop::Interrupted][random.below(3) as usize].clone();
            let victim = [FaultTarget::One, FaultTarget::All][random.below(2) as usize];
            let reach = random.below(14);
            let at = u64::from(random.below(1 << reach));
            let budget = Budget::faulty(InjectedFault::new(stop.clone(), at, victim));
            let workers = workers(2 + random.below(3) as usize);
            let found = count_together(&space, &[], workers, RunContext::quiet(&budget));
            match &found.stop {
                None => assert_eq!((found.states, found.edges), (all.states, all.edges)),
                Some(met) => {
                    stopped += 1;
                    assert_eq!(*met, stop, "case {case}");
                    assert!(found.states <= all.states && found.edges <= all.edges);
                }
            }
            assert_eq!(budget.bytes_used(), 0, "case {case}");
        }
    });
    assert!(stopped > 0);
}

/// Values that exceed their fields are no words: counting restarts with the general store.
#[test]
fn outgrown_words_are_counted_with_the_general_store() {
    let system = pour(20_000);
    let space = Explicit::new(&system, Deadlock::Stutter);
    assert!(WordSearch::for_workers(&space, 2, &Budget::unlimited()).is_some());
    let budget = Budget::unlimited();
    let alone = count(&space, &[], RunContext::quiet(&budget));
    let found = count_together(&space, &[], workers(2), RunContext::quiet(&budget));
    let bytes = alone.bytes;
    assert_eq!(ExplicitCounts { bytes, ..found }, alone);
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
        let counted = count(&space, &[], RunContext::quiet(&budget)).states as usize;
        assert_eq!((known.len(), different.len()), (counted, counted));
        assert_eq!(last.len(), counted);
    }
}
