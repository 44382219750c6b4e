//! An exceeded budget is a value, whatever the limit, and leaves the store usable.

use std::time::Duration;

use lariat_budget::{Budget, Cancel, Stop};
use lariat_dd::{EventPart, Set, Store, Subset};

/// `n` independent counters up to three, `4ⁿ` states, and a token that visits all of them.
fn counters(budget: &Budget, n: usize) -> Result<(Store, Subset, Set), Stop> {
    let mut store = Store::new(2 * n, budget)?;
    let part = |level: usize, delta| EventPart::Delta {
        level: level as u32,
        need: 0,
        delta,
    };
    let mut events = Vec::new();
    for i in 0..n {
        let j = (i * 7 + 3) % n;
        events.extend(store.event(&[part(2 * i, -1), part(2 * j + 1, 1)])?);
        if i != j {
            events.extend(store.event(&[part(2 * i + 1, -1), part(2 * j, 1)])?);
        }
    }
    let subset = store.subset(events);
    let start: Vec<u32> = (0..2 * n as u32).map(|i| (i % 3 == 0) as u32 * 2).collect();
    let start = store.singleton(&start)?;
    Ok((store, subset, start))
}

#[test]
fn memory() {
    for kilobytes in [16, 64, 256, 1024, 4096] {
        let budget = Budget::bytes(kilobytes << 10);
        let outcome = counters(&budget, 30).and_then(|(mut store, subset, start)| {
            let outcome = store.saturate(&subset, &start);
            // Afterwards memory is available again.
            store.union(&start, &start)?;
            outcome
        });
        assert_eq!(outcome, Err(Stop::Memory));
        assert!(budget.bytes_peak() <= kilobytes << 10);
        assert_eq!(budget.bytes_used(), 0);
    }
}

#[test]
fn counted_work() {
    let budget = Budget::unlimited();
    let (mut store, subset, start) = counters(&budget, 20).unwrap();
    store.set_budget(&budget.clone().with_work(20_000));
    let limit = Err(Stop::Work(20_000));
    assert_eq!(store.saturate(&subset, &start), limit);
    assert!(store.figures().created < 30_000);
    store.set_budget(&budget.clone().with_work(1));
    assert_eq!(store.singleton(&[77; 40]), Err(Stop::Work(1)));
}

#[test]
fn deadline_and_cancellation() {
    let budget = Budget::unlimited();
    let (mut store, subset, start) = counters(&budget, 20).unwrap();
    store.set_budget(&budget.clone().with_deadline(Duration::ZERO));
    assert_eq!(store.saturate(&subset, &start), Err(Stop::Time));
    let cancel = Cancel::default();
    cancel.press();
    store.set_budget(&budget.clone().with_cancel(cancel));
    assert_eq!(store.saturate(&subset, &start), Err(Stop::Interrupted));
}

#[test]
fn dropped_sets_are_collected() {
    let budget = Budget::unlimited();
    let mut store = Store::new(3, &budget).unwrap();
    let kept = store.singleton(&[1, 2, 3]).unwrap();
    let copy = kept.clone();
    for i in 0..1000 {
        store.singleton(&[i, i, i]).unwrap();
    }
    drop(kept);
    store.collect();
    assert_eq!(store.figures().nodes, 3);
    assert_eq!(store.pick(&copy), Some(vec![1, 2, 3]));
    drop(copy);
    store.collect();
    assert_eq!(store.figures().nodes, 0);
}

#[test]
fn freed_memory_is_reused() {
    let budget = Budget::unlimited();
    let (mut store, _, start) = counters(&budget, 12).unwrap();
    let mut after_first = None;
    for round in 0..40u32 {
        let vectors = (0..200u32).map(|i| {
            let value = |k: u32| i.wrapping_mul(k + 3) % 7 + round;
            (0..24).map(value).collect::<Vec<u32>>()
        });
        store.from_vectors(vectors).unwrap();
        store.collect();
        let pool = store.figures().pool_bytes;
        assert!(*after_first.get_or_insert(2 * pool) >= pool);
    }
    assert!(!start.is_empty());
}
