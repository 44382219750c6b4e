//! Images, pre-images, enabledness and deadlocks against explicit steps.

use lariat_dd::{EventPart, EventRelation, Store};

use crate::explicit::{self, Vectors, apply, get, image, parts, put, store};
use lariat_corpora::{Random, each_case};

fn enabled(event: &[EventPart], vectors: &Vectors) -> Vectors {
    let can = |v: &&Vec<u32>| !apply(event, v).is_empty();
    vectors.iter().filter(can).cloned().collect()
}

fn steps(random: &mut Random, always: bool) {
    let levels = 1 + random.below(5_usize);
    let domain = 2 + random.below(3);
    let mut store = store(levels);
    store.go_backwards(random.percent(50));
    store.collect_always(always);
    let count = 1 + random.below(5);
    let explicit: Vec<Vec<EventPart>> = (0..count)
        .map(|_| parts(random, levels, domain, true))
        .collect();
    let events: Vec<EventRelation> = explicit
        .iter()
        .map(|parts| store.event(parts).unwrap().expect("tables have rows"))
        .collect();
    let all = store.subset(events.iter().copied());
    let inverses = store.inverse_subset(events.iter().copied()).unwrap();
    for _ in 0..3 {
        let size = random.below(20);
        let vectors = explicit::vectors(random, levels, domain + 1, size);
        let set = put(&mut store, &vectors);
        for (event, parts) in events.iter().zip(&explicit) {
            let result = store.image_of(*event, &set).unwrap();
            let expected = image(std::slice::from_ref(parts), &vectors);
            assert_eq!(get(&store, &result), expected);
            let result = store.enabled_of(*event, &set).unwrap();
            assert_eq!(get(&store, &result), enabled(parts, &vectors));
        }
        let result = store.image(&all, &set).unwrap();
        assert_eq!(get(&store, &result), image(&explicit, &vectors));
        let somewhere = explicit.iter().flat_map(|e| enabled(e, &vectors)).collect();
        let result = store.enabled(&all, &set).unwrap();
        assert_eq!(get(&store, &result), somewhere);
        let result = store.dead(&all, &set).unwrap();
        assert_eq!(get(&store, &result), &vectors - &somewhere);

        let within = &explicit::vectors(random, levels, domain + 1, 25) | &vectors;
        let space = put(&mut store, &within);
        let result = store.pre_image(&inverses, &set, &space).unwrap();
        let leads =
            |v: &&Vec<u32>| !image(&explicit, &Vectors::from([v.to_vec()])).is_disjoint(&vectors);
        let expected: Vectors = within.iter().filter(leads).cloned().collect();
        assert_eq!(get(&store, &result), expected);
    }
}

#[test]
fn random_events() {
    each_case(1500, |random| steps(random, false));
}

#[test]
fn random_events_with_a_collection_before_every_node() {
    each_case(400, |random| steps(random, true));
}

#[test]
fn the_columns_of_a_table_may_depend_on_each_other() {
    let mut store = store(3);
    let swap = EventPart::Table {
        levels: vec![2, 0],
        rows: vec![vec![(0, 1), (1, 0)], vec![(1, 0), (0, 1)]],
    };
    let event = store.event(&[swap]).unwrap().unwrap();
    let all = Vectors::from([vec![0, 5, 0], vec![0, 5, 1], vec![1, 5, 0], vec![1, 5, 1]]);
    let set = put(&mut store, &all);
    let result = store.image_of(event, &set).unwrap();
    assert_eq!(
        get(&store, &result),
        Vectors::from([vec![1, 5, 0], vec![0, 5, 1]])
    );
}

#[test]
fn equal_ends_are_shared() {
    fn move_to(store: &mut Store, from: u32) -> EventRelation {
        let part = |level, delta| EventPart::Delta {
            level,
            need: 0,
            delta,
        };
        store.event(&[part(from, -1), part(4, 1)]).unwrap().unwrap()
    }
    let mut store = store(5);
    let events = [0, 1, 2, 3].map(|from| move_to(&mut store, from));
    let again = [0, 1, 2, 3].map(|from| move_to(&mut store, from));
    assert_eq!(events, again);
    // `(v, v + 1)` on level 4 is interned once, and shares its cache entries.
    let set = store.singleton(&[1, 1, 1, 1, 0]).unwrap();
    let subset = store.subset(events);
    let closed = store.saturate(&subset, &set).unwrap();
    assert_eq!(store.count(&closed), 16u32.into());
}

#[test]
fn idle_events_are_enabled() {
    let mut store = store(2);
    let idle = store.event(&[]).unwrap().unwrap();
    let look = store
        .event(&[EventPart::Delta {
            level: 1,
            need: 2,
            delta: 0,
        }])
        .unwrap()
        .unwrap();
    let vectors = Vectors::from([vec![0, 1], vec![0, 2]]);
    let set = put(&mut store, &vectors);
    let subset = store.subset([look]);
    let dead = store.dead(&subset, &set).unwrap();
    assert_eq!(get(&store, &dead), Vectors::from([vec![0, 1]]));
    let image = store.image(&subset, &set).unwrap();
    assert_eq!(get(&store, &image), Vectors::from([vec![0, 2]]));
    assert_eq!(store.saturate(&subset, &set).unwrap(), set);
    let subset = store.subset([idle, look]);
    assert!(store.dead(&subset, &set).unwrap().is_empty());
    assert_eq!(store.image(&subset, &set).unwrap(), set);
    assert_eq!(store.inverse(idle).unwrap(), Some(idle));
}

/// Results for one subset are not used for another.
#[test]
fn subsets_of_events_do_not_share_results() {
    let mut store = store(2);
    let mut down = |level| {
        let (need, delta) = (1, -1);
        let part = EventPart::Delta { level, need, delta };
        store.event(&[part]).unwrap().unwrap()
    };
    let events = [0, 1].map(&mut down);
    let vectors = Vectors::from([vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]]);
    let set = put(&mut store, &vectors);
    let top = store.singleton(&[1, 1]).unwrap();
    for (level, event) in events.into_iter().enumerate() {
        let subset = store.subset([event]);
        let empty = |v: &&Vec<u32>| v[level] == 0;
        let dead = store.dead(&subset, &set).unwrap();
        let expected: Vectors = vectors.iter().filter(empty).cloned().collect();
        assert_eq!(get(&store, &dead), expected);
        let image = store.image(&subset, &set).unwrap();
        assert_eq!(get(&store, &image), expected);
        let closed = store.saturate(&subset, &top).unwrap();
        let mut lower = vec![1, 1];
        lower[level] = 0;
        assert_eq!(get(&store, &closed), Vectors::from([lower, vec![1, 1]]));
    }
}

/// An idle event is enabled even without levels.
#[test]
fn an_idle_event_prevents_deadlock_without_levels() {
    let mut store = store(0);
    let idle = store.event(&[]).unwrap().unwrap();
    let set = store.singleton(&[]).unwrap();
    let none = store.subset([]);
    assert_eq!(store.dead(&none, &set).unwrap(), set);
    let subset = store.subset([idle]);
    assert!(store.dead(&subset, &set).unwrap().is_empty());
    assert_eq!(store.image(&subset, &set).unwrap(), set);
    assert!(store.image(&none, &set).unwrap().is_empty());
}
