//! Deep diagrams, large values, wide nodes.

use lariat_budget::{Budget, Stop};
use lariat_dd::{EventPart, Store, UBig};

fn delta(level: u32, need: u32, delta: i64) -> EventPart {
    EventPart::Delta { level, need, delta }
}

#[test]
fn fifty_thousand_levels() {
    let levels = if cfg!(miri) { 600 } else { 50_000 };
    let mut store = Store::new(levels, &Budget::unlimited()).unwrap();
    let mut events = Vec::new();
    for level in (0..levels as u32 - 1).step_by(2) {
        let pair = [delta(level, 0, -1), delta(level + 1, 0, 1)];
        events.extend(store.event(&pair).unwrap());
    }
    // An event from the top level to the last.
    let long = [delta(0, 0, -1), delta(levels as u32 - 1, 1, 1)];
    events.extend(store.event(&long).unwrap());
    let all = store.subset(events.iter().copied());
    let start: Vec<u32> = (0..levels as u32).map(|level| 1 - level % 2).collect();
    let start = store.singleton(&start).unwrap();
    let reached = store.saturate(&all, &start).unwrap();
    assert!(store.count(&reached) >= UBig::ONE << (levels / 2));
    let inverses = store.inverse_subset(events).unwrap();
    let back = store
        .saturate_within(&inverses, &reached, &reached)
        .unwrap();
    assert_eq!(back, reached);
    let dead = store.dead(&all, &reached).unwrap();
    assert_eq!(store.count(&dead), 2u32.into());
    let image = store.image(&all, &start).unwrap();
    assert!(store.is_subset(&image, &reached).unwrap());
    assert_eq!(store.iter(&dead).count(), 2);
    assert!(store.ranges(&reached).is_some());
    let bytes = store.export(&dead);
    assert_eq!(store.import(&bytes), Ok(dead));
}

#[test]
fn one_event_on_very_many_levels() {
    let levels = if cfg!(miri) { 600 } else { 20_000 };
    let mut store = Store::new(levels, &Budget::unlimited()).unwrap();
    let parts: Vec<EventPart> = (0..levels as u32).map(|level| delta(level, 0, 1)).collect();
    let event = store.event(&parts).unwrap().unwrap();
    let start = store.singleton(&vec![0; levels]).unwrap();
    let image = store.image_of(event, &start).unwrap();
    let inverse = store.inverse(event).unwrap().unwrap();
    assert_eq!(store.image_of(inverse, &image).unwrap(), start);
    let table = EventPart::Table {
        levels: (0..levels as u32).collect(),
        rows: vec![vec![(0, 1); levels], vec![(1, 2); levels]],
    };
    let same = store.event(&[table]).unwrap().unwrap();
    assert_eq!(store.image_of(same, &start).unwrap(), image);
}

#[test]
fn large_values_cost_as_much_as_small_ones() {
    let mut store = Store::new(2, &Budget::bytes(1 << 20)).unwrap();
    let most = u32::MAX;
    let event = store
        .event(&[delta(0, 0, -1_000_000_000), delta(1, 0, 1_000_000_000)])
        .unwrap()
        .unwrap();
    let subset = store.subset([event]);
    let start = store.singleton(&[most, 0]).unwrap();
    let reached = store.saturate(&subset, &start).unwrap();
    assert_eq!(store.count(&reached), 5u32.into());
    assert!(store.contains(&reached, &[most - 4_000_000_000, 4_000_000_000]));
}

#[test]
fn a_value_beyond_the_largest_is_a_bound() {
    let mut store = Store::new(2, &Budget::unlimited()).unwrap();
    let event = store.event(&[delta(1, 0, 1)]).unwrap().unwrap();
    let subset = store.subset([event]);
    let start = store.singleton(&[0, u32::MAX - 2]).unwrap();
    assert!(matches!(
        store.saturate(&subset, &start),
        Err(Stop::Bound(_))
    ));
    let top = store.singleton(&[0, u32::MAX]).unwrap();
    assert!(matches!(store.image_of(event, &top), Err(Stop::Bound(_))));
    let far = store.event(&[delta(0, 0, i64::MIN)]).unwrap();
    assert_eq!(far, None);
    let far = store.event(&[delta(0, 0, i64::MAX)]).unwrap().unwrap();
    assert!(matches!(store.image_of(far, &top), Err(Stop::Bound(_))));
    assert_eq!(store.inverse(far).unwrap(), None);
}

#[test]
fn many_tokens_fill_a_node_from_the_top_down() {
    let tokens = if cfg!(miri) { 40 } else { 20_000 };
    let mut store = Store::new(2, &Budget::unlimited()).unwrap();
    let event = store.event(&[delta(0, 0, -1), delta(1, 0, 1)]).unwrap();
    let subset = store.subset(event);
    let start = store.singleton(&[tokens, 0]).unwrap();
    let reached = store.saturate(&subset, &start).unwrap();
    assert_eq!(store.count(&reached), (tokens + 1).into());
}

#[test]
fn a_single_unbounded_place_ends_at_the_limit() {
    let budget = Budget::bytes(4 << 20);
    let mut store = Store::new(1, &budget).unwrap();
    for step in [1, 1000] {
        let event = store.event(&[delta(0, 0, step)]).unwrap();
        let subset = store.subset(event);
        let start = store.singleton(&[0]).unwrap();
        assert_eq!(store.saturate(&subset, &start), Err(Stop::Memory));
        assert!(budget.bytes_peak() <= 4 << 20);
    }
}

#[test]
fn an_unbounded_net_ends_at_the_limit() {
    let budget = Budget::bytes(4 << 20);
    let mut store = Store::new(2, &budget).unwrap();
    let event = store.event(&[delta(0, 1, 0), delta(1, 0, 1)]).unwrap();
    let subset = store.subset(event);
    let start = store.singleton(&[1, 0]).unwrap();
    assert_eq!(store.saturate(&subset, &start), Err(Stop::Memory));
    assert!(budget.bytes_peak() <= 4 << 20);
}
