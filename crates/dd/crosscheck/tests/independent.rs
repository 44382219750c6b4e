//! Comparison with list decision diagrams of an independent library.

use lariat_dd::{EventRelation, EventPart};
use merc_ldd::{Ldd, Storage};

#[allow(dead_code, reason = "shared with the tests of the core, which use all of it")]
#[path = "../../tests/suite/explicit.rs"]
mod explicit;

use explicit::{Vectors, put, store, vectors};
use lariat_corpora::{Random, each_case};

fn put_there(storage: &mut Storage, vectors: impl IntoIterator<Item = Vec<u32>>) -> Ldd {
    let mut sum = storage.empty_set().clone();
    for vector in vectors {
        let one = merc_ldd::singleton(storage, &vector);
        sum = merc_ldd::union(storage, &sum, &one);
    }
    sum
}

/// The table of an event: its levels in increasing order, and its rows.
fn table(random: &mut Random, levels: u32, domain: u32) -> (Vec<u32>, Vec<Vec<(u32, u32)>>) {
    let mut chosen: Vec<u32> = (0..levels).filter(|_| random.percent(35)).collect();
    if chosen.is_empty() {
        chosen.push(random.below(levels));
    }
    let rows = 1 + random.below(12);
    let pair = |random: &mut Random| (random.below(domain), random.below(domain));
    let row = |random: &mut Random| chosen.iter().map(|_| pair(random)).collect();
    let rows = (0..rows).map(|_| row(random)).collect();
    (chosen, rows)
}

fn agree(random: &mut Random) {
    let levels = 4 + random.below(5);
    let domain = 3 + random.below(3);
    let tables: Vec<_> = (0..5).map(|_| table(random, levels, domain)).collect();
    let initial = vectors(random, levels as usize, domain, 3);

    let mut store = store(levels as usize);
    let events: Vec<EventRelation> = tables
        .iter()
        .map(|(levels, rows)| {
            let (levels, rows) = (levels.clone(), rows.clone());
            let table = EventPart::Table { levels, rows };
            store.event(&[table]).unwrap().unwrap()
        })
        .collect();
    let subset = store.subset(events);
    let from = put(&mut store, &initial);
    let reached = store.saturate(&subset, &from).unwrap();

    let mut storage = Storage::new();
    let mut there = put_there(&mut storage, initial.clone());
    let relations: Vec<(Ldd, Ldd)> = tables
        .iter()
        .map(|(levels, rows)| {
            let flat = rows
                .iter()
                .map(|row| row.iter().flat_map(|&(a, b)| [a, b]).collect());
            let relation = put_there(&mut storage, flat);
            let meta = merc_ldd::compute_meta(&mut storage, levels, levels).0;
            (relation, meta)
        })
        .collect();
    loop {
        let mut next = there.clone();
        for (relation, meta) in &relations {
            let image = merc_ldd::relational_product(&mut storage, &next, relation, meta);
            next = merc_ldd::union(&mut storage, &next, &image);
        }
        if next == there {
            break;
        }
        there = next;
    }
    let count = merc_ldd::len(&mut storage, &there);
    assert_eq!(store.count(&reached), count.into());
    let inside = |vector: Vec<u32>| merc_ldd::element_of(&storage, &vector, &there);
    assert!(store.iter(&reached).take(5000).all(inside));

    let others: Vectors = vectors(random, levels as usize, domain, 200);
    let (mine, yours) = (put(&mut store, &others), put_there(&mut storage, others));
    let rest = store.difference(&reached, &mine).unwrap();
    let rest_there = merc_ldd::minus(&mut storage, &there, &yours);
    let count = merc_ldd::len(&mut storage, &rest_there);
    assert_eq!(store.count(&rest), count.into());
}

#[test]
#[cfg_attr(miri, ignore)]
fn reachable_sets_agree() {
    each_case(60, agree);
}
