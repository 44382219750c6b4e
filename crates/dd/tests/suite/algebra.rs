//! The set algebra, exhaustively on small domains and at random beyond.

use lariat_dd::{Set, Store, UBig};

use crate::explicit::{Vectors, get, put, store, vectors};
use lariat_corpora::{Random, each_case};

/// Returns all sets over vectors with these domains.
fn all_sets(store: &mut Store, domains: &[u32]) -> Vec<(Vectors, Set)> {
    let mut vectors: Vec<Vec<u32>> = vec![vec![]];
    for &domain in domains {
        let longer = |v: &Vec<u32>| {
            let v = v.clone();
            (0..domain).map(move |value| [v.clone(), vec![value]].concat())
        };
        vectors = vectors.iter().flat_map(longer).collect();
    }
    (0..1u32 << vectors.len())
        .map(|bits| {
            let chosen = (0..vectors.len()).filter(|at| bits >> at & 1 == 1);
            let chosen: Vectors = chosen.map(|at| vectors[at].clone()).collect();
            let set = put(store, &chosen);
            (chosen, set)
        })
        .collect()
}

fn check_pair(store: &mut Store, a: &Vectors, x: &Set, b: &Vectors, y: &Set) {
    let union = store.union(x, y).unwrap();
    assert_eq!(get(store, &union), a | b);
    let intersection = store.intersection(x, y).unwrap();
    assert_eq!(get(store, &intersection), a & b);
    let difference = store.difference(x, y).unwrap();
    assert_eq!(get(store, &difference), a - b);
    assert_eq!(store.is_subset(x, y).unwrap(), a.is_subset(b));
    assert_eq!(x == y, a == b);
}

fn check_one(store: &mut Store, a: &Vectors, x: &Set) {
    assert_eq!(get(store, x), *a);
    assert_eq!(store.count(x), UBig::from(a.len()));
    assert_eq!(store.pick(x), a.first().cloned());
    assert_eq!(x.is_empty(), a.is_empty());
    let ranges = store.ranges(x);
    assert_eq!(ranges.is_some(), !a.is_empty());
    let values = store.values(x);
    for (level, (low, high)) in ranges.into_iter().flatten().enumerate() {
        let of_level = a.iter().map(|vector| vector[level]);
        let of_level: std::collections::BTreeSet<u32> = of_level.collect();
        assert_eq!(Some(&low), of_level.first());
        assert_eq!(Some(&high), of_level.last());
        assert!(values[level].iter().eq(&of_level));
    }
    let bytes = store.export(x);
    assert_eq!(store.import(&bytes).as_ref(), Ok(x));
    let mut other = crate::explicit::store(store.levels());
    let copy = other.import(&bytes).unwrap();
    assert_eq!(get(&other, &copy), *a);
}

fn check_projection(store: &mut Store, a: &Vectors, x: &Set, keep: &[bool]) {
    let project = |vector: &Vec<u32>| -> Vec<u32> {
        let pairs = vector.iter().zip(keep);
        pairs.map(|(&v, &keep)| if keep { v } else { 0 }).collect()
    };
    let projection = store.project(x, keep).unwrap();
    assert_eq!(get(store, &projection), a.iter().map(project).collect());
}

#[test]
fn all_sets_over_small_domains() {
    let shapes: &[&[u32]] = if cfg!(miri) {
        &[&[2]]
    } else {
        &[&[3], &[2, 2], &[3, 2], &[2, 3], &[1, 5]]
    };
    for domains in shapes {
        let mut store = store(domains.len());
        let sets = all_sets(&mut store, domains);
        for (a, x) in &sets {
            check_one(&mut store, a, x);
            for keep in 0..1u32 << domains.len() {
                let keep: Vec<bool> = (0..domains.len()).map(|k| keep >> k & 1 == 1).collect();
                check_projection(&mut store, a, x, &keep);
            }
            for (b, y) in &sets {
                check_pair(&mut store, a, x, b, y);
            }
        }
    }
}

#[test]
fn the_empty_vector() {
    let mut store = store(0);
    let (none, one) = (store.empty(), store.singleton(&[]).unwrap());
    for (a, x) in [(Vectors::new(), &none), (Vectors::from([vec![]]), &one)] {
        check_one(&mut store, &a, x);
        check_pair(&mut store, &a, x, &Vectors::from([vec![]]), &one);
        check_projection(&mut store, &a, x, &[]);
    }
}

fn at_random(random: &mut Random, always: bool) {
    let levels = 1 + random.below(5_usize);
    let domain = [2, 3, 4, 30][random.below(4_usize)];
    let mut store = store(levels);
    store.go_backwards(random.percent(50));
    store.collect_always(always);
    for _ in 0..4 {
        let mut sets = Vec::new();
        for _ in 0..2 {
            let count = random.below(if always { 10 } else { 60 });
            let mut vectors = vectors(random, levels, domain, count);
            if random.percent(30) {
                let far = vectors
                    .iter()
                    .map(|v| v.iter().map(|v| v * 1_000_003).collect());
                vectors = far.collect();
            }
            let set = put(&mut store, &vectors);
            check_one(&mut store, &vectors, &set);
            let keep: Vec<bool> = (0..levels).map(|_| random.percent(50)).collect();
            check_projection(&mut store, &vectors, &set, &keep);
            sets.push((vectors, set));
        }
        let [(a, x), (b, y)] = &sets[..] else {
            unreachable!()
        };
        check_pair(&mut store, a, x, b, y);
        check_pair(&mut store, b, y, a, x);
    }
}

#[test]
fn random_sets() {
    each_case(400, |random| at_random(random, false));
}

#[test]
fn random_sets_with_a_collection_before_every_node() {
    each_case(150, |random| at_random(random, true));
}

#[test]
fn the_largest_values() {
    let mut store = store(2);
    let vectors = Vectors::from([
        vec![u32::MAX, 0],
        vec![u32::MAX, u32::MAX],
        vec![u32::MAX - 1, 7],
        vec![0, u32::MAX],
    ]);
    let set = put(&mut store, &vectors);
    check_one(&mut store, &vectors, &set);
    assert!(store.figures().node_bytes < 1000);
}

#[test]
fn malformed_bytes_are_refused() {
    let mut store = store(3);
    let set = put(&mut store, &vectors(&mut Random::new(7), 3, 4, 12));
    let bytes = store.export(&set);
    for length in 0..bytes.len() {
        assert!(store.import(&bytes[..length]).is_err());
    }
    for at in 0..bytes.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut broken = bytes.clone();
            broken[at] = byte;
            // The result is a set of vectors of three values or an error.
            if let Ok(set) = store.import(&broken) {
                assert!(store.iter(&set).all(|vector| vector.len() == 3));
            }
        }
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(store.import(&longer).is_err());
    assert!(crate::explicit::store(4).import(&bytes).is_err());
}

#[test]
fn dot_names_every_node() {
    let mut store = store(2);
    let set = put(&mut store, &Vectors::from([vec![0, 1], vec![2, 3]]));
    let dot = store.dot(&set);
    assert!(dot.starts_with("digraph"));
    assert_eq!(dot.matches("->").count(), 4);
}

#[test]
fn a_set_of_another_store_is_not_equal() {
    let (mut one, mut other) = (store(1), store(1));
    assert_ne!(one.singleton(&[1]).unwrap(), other.singleton(&[1]).unwrap());
}
