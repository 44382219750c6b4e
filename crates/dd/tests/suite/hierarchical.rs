//! Hierarchical sets against sets of vectors.

use lariat_budget::{Budget, Stop};
use lariat_corpora::{Random, each_case};
use lariat_dd::hierarchical::{HierSet, Hierarchy};
use std::collections::BTreeSet;

/// Vectors of four components with three local states each.
type Vectors = BTreeSet<[u32; 4]>;

fn random(random: &mut Random) -> Vectors {
    let few = random.between(1, 3) as u32;
    let vector = |random: &mut Random| [(); 4].map(|()| random.below(few as usize) as u32);
    (0..random.below(12_usize))
        .map(|_| vector(random))
        .collect()
}

/// Halves of halves: `((a, b), (c, d))`.
fn build(store: &mut Hierarchy, vectors: &Vectors) -> Result<HierSet, Stop> {
    let mut all = HierSet::EMPTY;
    for vector in vectors {
        let [a, b, c, d] = vector.map(|state| 1_u64 << state);
        let [a, b, c, d] = [
            store.leaf(a)?,
            store.leaf(b)?,
            store.leaf(c)?,
            store.leaf(d)?,
        ];
        let (left, right) = (store.pair(a, b)?, store.pair(c, d)?);
        let one = store.pair(left, right)?;
        all = store.union(all, one)?;
    }
    Ok(all)
}

/// Equal sets have equal ids, in every order of construction.
#[test]
fn sets_are_canonical() {
    each_case(3_000, |generator| {
        let mut store = Hierarchy::new(&Budget::unlimited());
        let (a, b) = (random(generator), random(generator));
        let [x, y] = [&a, &b].map(|vectors| build(&mut store, vectors).unwrap());
        let union: Vectors = a.union(&b).copied().collect();
        let common: Vectors = a.intersection(&b).copied().collect();
        let rest: Vectors = a.difference(&b).copied().collect();
        let expected = [&union, &common, &rest].map(|v| build(&mut store, v).unwrap());
        assert_eq!(store.union(x, y).unwrap(), expected[0]);
        assert_eq!(store.intersection(x, y).unwrap(), expected[1]);
        assert_eq!(store.difference(x, y).unwrap(), expected[2]);
        assert_eq!(x == y, a == b);
        assert_eq!(store.count(x).unwrap(), a.len().into());
    });
}
