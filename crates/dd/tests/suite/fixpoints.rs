//! Saturation, filtered and unfiltered, against explicit fixpoints.

use lariat_budget::Stop;
use lariat_dd::kernel::{CacheScopeId, DdNode, Halt, Kernel};
use lariat_dd::saturation::{Fired, Listener, Silent, StepFilter, Unfiltered};
use lariat_dd::{CacheScope, EventPart, EventRelation, Residual, Store, Subset};

use crate::explicit::{Linear, Test, Vectors, closure, get, parts, put, store, vectors};
use lariat_corpora::{Random, each_case};

fn fixpoints(random: &mut Random, always: bool, tables: bool) {
    let levels = 1 + random.below(6_usize);
    let domain = 2 + random.below(3);
    let count = 1 + random.below(6);
    let explicit: Vec<Vec<EventPart>> = (0..count)
        .map(|_| parts(random, levels, domain, tables))
        .collect();
    let mut store = store(levels);
    store.go_backwards(random.percent(50));
    store.collect_always(always);
    let events: Vec<EventRelation> = explicit
        .iter()
        .map(|parts| store.event(parts).unwrap().expect("tables have rows"))
        .collect();
    // Several problems on one store: scopes keep their cache entries apart.
    for _ in 0..3 {
        let size = 1 + random.below(3);
        let initial = vectors(random, levels, domain + 1, size);
        let from = put(&mut store, &initial);
        let chosen: Vec<usize> = (0..events.len()).filter(|_| random.percent(70)).collect();
        let some: Vec<Vec<EventPart>> = chosen.iter().map(|&at| explicit[at].clone()).collect();
        let subset = store.subset(chosen.iter().map(|&at| events[at]));
        let Some(reached) = closure(&some, &initial, |_, _| true) else {
            continue;
        };
        let result = store.saturate(&subset, &from).unwrap();
        assert_eq!(get(&store, &result), reached, "unfiltered");

        let mut predicate = Linear::new(random, &mut store);
        let start = predicate.start();
        let satisfies = predicate.clone();
        let selected = store.select(&result, &mut predicate, start).unwrap();
        let expected: Vectors = reached
            .iter()
            .filter(|v| satisfies.holds(v))
            .cloned()
            .collect();
        assert_eq!(get(&store, &selected), expected, "select");

        let result = store
            .saturate_from(&subset, &from, &mut predicate, start)
            .unwrap();
        let expected = closure(&some, &initial, |source, _| satisfies.holds(source)).unwrap();
        assert_eq!(get(&store, &result), expected, "from");

        let result = store
            .saturate_into(&subset, &from, &mut predicate, start)
            .unwrap();
        let expected = closure(&some, &initial, |_, target| satisfies.holds(target)).unwrap();
        assert_eq!(get(&store, &result), expected, "into");

        let inside: Vectors = reached
            .iter()
            .filter(|_| random.percent(70))
            .cloned()
            .collect();
        let within = put(&mut store, &inside);
        let result = store.saturate_within(&subset, &from, &within).unwrap();
        let expected = closure(&some, &initial, |_, target| inside.contains(target)).unwrap();
        assert_eq!(get(&store, &result), expected, "within");

        let goals: Vectors = reached
            .iter()
            .filter(|_| random.percent(10))
            .cloned()
            .collect();
        let goal = put(&mut store, &goals);
        let inverses = store
            .inverse_subset(chosen.iter().map(|&at| events[at]))
            .unwrap();
        let result = store.saturate_within(&inverses, &goal, &within).unwrap();
        let expected = backward(&some, &goals, &inside);
        assert_eq!(get(&store, &result), expected, "backward");
    }
}

/// `X = goals ∪ (pre(X) ∩ inside)`
fn backward(events: &[Vec<EventPart>], goals: &Vectors, inside: &Vectors) -> Vectors {
    let mut reached = goals.clone();
    loop {
        let leads = |v: &&Vec<u32>| {
            let next = crate::explicit::image(events, &Vectors::from([v.to_vec()]));
            !next.is_disjoint(&reached)
        };
        let more: Vectors = inside.iter().filter(leads).cloned().collect();
        if more.is_subset(&reached) {
            return reached;
        }
        reached.extend(more);
    }
}

#[test]
fn random_nets() {
    each_case(2000, |random| fixpoints(random, false, false));
}

#[test]
fn random_tables() {
    each_case(2000, |random| fixpoints(random, false, true));
}

#[test]
fn random_nets_with_a_collection_before_every_node() {
    each_case(400, |random| fixpoints(random, true, false));
}

#[test]
fn random_tables_with_a_collection_before_every_node() {
    each_case(400, |random| fixpoints(random, true, true));
}

/// Counts the calls, and leaves when a target node is reached.
#[derive(Default)]
struct Counter {
    events: Option<Subset>,
    begun: usize,
    fired: usize,
    saturated: usize,
    leave_after: usize,
}

impl Listener<Unfiltered> for Counter {
    fn begun(&mut self, _: u32) {
        self.begun += 1;
    }

    fn fired(
        &mut self,
        kernel: &mut Kernel,
        filter: &mut Unfiltered,
        fired: Fired,
    ) -> Result<(), Halt> {
        self.fired += 1;
        // The unsaturated image is part of the saturated one.
        let image = kernel.image(fired.rest, fired.source, fired.level + 1)?;
        assert!(kernel.is_subset(image, fired.image)?);
        // Saturating it separately, during the saturation, gives the same.
        let (below, any) = (fired.level + 1, Residual::TRUE);
        let events = self.events.as_ref().unwrap();
        let mark = kernel.mark();
        kernel.push(0, image)?;
        let closed = kernel.saturate_below(image, below, events, filter, any)?;
        kernel.release(mark);
        assert_eq!(closed, fired.image);
        if self.fired == self.leave_after {
            return Err(kernel.leave());
        }
        Ok(())
    }

    fn saturated(
        &mut self,
        kernel: &mut Kernel,
        _: &mut Unfiltered,
        level: u32,
        _: Residual,
        node: DdNode,
    ) -> Result<(), Halt> {
        self.saturated += 1;
        // A closed set has no further successors, even with collections meanwhile.
        let events = self.events.as_ref().unwrap();
        let image = kernel.image_all(events, node, level)?;
        assert!(kernel.is_subset(image, node)?);
        Ok(())
    }
}

#[test]
fn a_listener_observes_and_may_leave() {
    let mut store = store(3);
    store.collect_always(true);
    let ring = |from: u32, to: u32| {
        [(from, -1), (to, 1)].map(|(level, delta)| EventPart::Delta {
            level,
            need: 0,
            delta,
        })
    };
    let events: Vec<EventRelation> = [ring(0, 1), ring(1, 2), ring(2, 0)]
        .iter()
        .map(|parts| store.event(parts).unwrap().unwrap())
        .collect();
    let subset = store.subset(events.iter().copied());
    let from = store.singleton(&[3, 0, 0]).unwrap();
    let mut counter = Counter {
        leave_after: 2,
        events: Some(subset.clone()),
        ..Counter::default()
    };
    let left = store.saturate_with(
        &subset,
        &from,
        &mut Unfiltered,
        Residual::TRUE,
        &mut counter,
    );
    assert_eq!(left, Ok(None));
    let subset = store.subset(events);
    let mut counter = Counter {
        events: Some(subset.clone()),
        ..Counter::default()
    };
    let reached = store
        .saturate_with(
            &subset,
            &from,
            &mut Unfiltered,
            Residual::TRUE,
            &mut counter,
        )
        .unwrap()
        .unwrap();
    assert_eq!(store.count(&reached), 10u32.into());
    assert!(counter.fired > 2 && counter.saturated > 0);
    assert_eq!(counter.begun, counter.saturated);
}

/// Images and closures omit values above the cap, which does not affect enabledness.
#[test]
fn nothing_rises_above_the_cap() {
    each_case(600, |random| {
        let levels = 1 + random.below(4_usize);
        let cap = 1 + random.below(3);
        let mut capped = store(levels).capped(cap);
        let mut free = store(levels);
        let delta = |random: &mut Random, level| EventPart::Delta {
            level,
            need: random.below(2),
            delta: random.below(5_i64) - 2,
        };
        let explicit: Vec<Vec<EventPart>> = (0..1 + random.below(4))
            .map(|_| {
                let levels = (0..levels as u32).filter(|_| random.coin());
                let levels: Vec<u32> = levels.collect();
                levels
                    .into_iter()
                    .map(|level| delta(random, level))
                    .collect()
            })
            .collect();
        let from = vectors(random, levels, cap + 1, 3);
        let below = |_: &[u32], to: &[u32]| to.iter().all(|value| *value <= cap);
        let expected = closure(&explicit, &from, below).expect("few values, few vectors");
        let events = |store: &mut Store| {
            let made = explicit.iter().map(|parts| store.event(parts).unwrap());
            let made: Vec<EventRelation> = made.flatten().collect();
            store.subset(made)
        };
        let (in_capped, in_free) = (events(&mut capped), events(&mut free));
        let set = put(&mut capped, &from);
        let closed = capped.saturate(&in_capped, &set).unwrap();
        assert_eq!(get(&capped, &closed), expected);
        let all = put(&mut free, &expected);
        let image = free.image(&in_free, &all).unwrap();
        let mut image = get(&free, &image);
        image.retain(|to| below(&[], to));
        let found = capped.image(&in_capped, &closed).unwrap();
        assert_eq!(get(&capped, &found), image);
        let dead = free.dead(&in_free, &all).unwrap();
        let found = capped.dead(&in_capped, &closed).unwrap();
        assert_eq!(get(&capped, &found), get(&free, &dead));
    });
}

/// An event leads from a dense node to a distant value: the node keeps all its values.
#[test]
fn distant_values_are_added_to_dense_nodes() {
    let mut store = store(1);
    let table = EventPart::Table {
        levels: vec![0],
        rows: vec![vec![(0, 1)], vec![(1, 1000)], vec![(1000, 500)]],
    };
    let event = store.event(&[table]).unwrap();
    let events = store.subset(event);
    let from = store.singleton(&[0]).unwrap();
    let reached = store.saturate(&events, &from).unwrap();
    let values: Vec<Vec<u32>> = store.iter(&reached).collect();
    assert_eq!(values, [[0], [1], [500], [1000]]);
}

/// Cached results under a target set are dropped with that set. Otherwise an entry would be used
/// for the set that takes its node id after a collection.
#[test]
fn results_for_a_collected_set_are_not_reused() {
    let mut store = store(1);
    let events = from_zero_to_one(&mut store);
    let [zero, one, two] = [0, 1, 2].map(|value| store.singleton(&[value]).unwrap());
    let first = store.union(&one, &two).unwrap();
    let reached = store.saturate_within(&events, &zero, &first).unwrap();
    assert_eq!(store.count(&reached), 2_u32.into());
    let place = first.node();
    drop(first);
    store.collect();
    let second = store.union(&zero, &two).unwrap();
    assert_eq!(second.node(), place);
    let stays = store.saturate_within(&events, &zero, &second).unwrap();
    assert_eq!(stays, zero);
}

/// The step from 0 to 1 on the first level.
fn from_zero_to_one(store: &mut Store) -> Subset {
    let part = EventPart::Table {
        levels: vec![0],
        rows: vec![vec![(0, 1)]],
    };
    let event = store.event(&[part]).unwrap();
    store.subset(event)
}

/// Two predicates number their residuals alike with different meanings. If the scope were not part
/// of the key, the second would get cached images of the first.
#[test]
fn predicates_do_not_share_images() {
    let mut store = store(2);
    let events = from_zero_to_one(&mut store);
    let from = store.from_vectors([[0, 0], [0, 1]]).unwrap();
    for (test, bound, entered) in [(Test::AtMost, 0, 0), (Test::AtLeast, 1, 1)] {
        let mut predicate = Linear::new(&mut Random::new(0), &mut store);
        predicate.coefficients = vec![0, 1];
        (predicate.test, predicate.bound) = (test, bound);
        let start = predicate.start();
        assert_eq!(start, Residual(2));
        let reached = store
            .saturate_into(&events, &from, &mut predicate, start)
            .unwrap();
        let expected = [vec![0, 0], vec![0, 1], vec![1, entered]];
        assert_eq!(get(&store, &reached), Vectors::from(expected));
    }
}

/// Admits steps unless both components are present in source and target.
struct Exclusive(CacheScope);

const EXCLUSIVE: Residual = Residual(2);
const ABSENT: Residual = Residual(3);

impl StepFilter for Exclusive {
    const SOURCE: bool = true;
    const TARGET: bool = true;

    fn scope(&self) -> CacheScopeId {
        self.0.id()
    }

    fn step(
        &mut self,
        _: &Kernel,
        residual: Residual,
        _: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        Ok(match (residual, value) {
            (_, 0) => Residual::TRUE,
            (EXCLUSIVE, _) => ABSENT,
            _ => Residual::FALSE,
        })
    }
}

/// On the levels that a step keeps, the source may be unrestricted while the target is not.
#[test]
fn a_filter_may_restrict_both_ends_of_a_step() {
    let mut store = store(2);
    let events = from_zero_to_one(&mut store);
    let from = store.from_vectors([[0, 0], [0, 1]]).unwrap();
    let mut filter = Exclusive(store.scope());
    let reached = store
        .saturate_with(&events, &from, &mut filter, EXCLUSIVE, &mut Silent)
        .unwrap()
        .unwrap();
    let expected = [vec![0, 0], vec![0, 1], vec![1, 0]];
    assert_eq!(get(&store, &reached), Vectors::from(expected));
}
