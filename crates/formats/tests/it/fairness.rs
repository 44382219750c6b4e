//! Fairness assumptions, over the names of a program.

use lariat_formats::read;
use lariat_model::{Fairness, Strength};

const PAIR: &[u8] =
    b"byte x; process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> a {}; }
    process Q { state c; init c; trans c -> c { guard x > 0; effect x = 0; }; } system async;";

fn assumed(strength: Strength, what: &str) -> Result<Vec<(String, usize)>, String> {
    let model = read("pair.dve", PAIR).unwrap();
    let mut fairness = Fairness::default();
    for _ in 0..2 {
        let added = fairness.add(&model.names(), strength, what);
        added.map_err(|e| e.message)?;
    }
    assert_eq!(fairness.told.len(), 1, "duplicates are ignored");
    let found = fairness.constraints.iter();
    Ok(found.map(|c| (c.name.clone(), c.taken.len())).collect())
}

#[test]
fn constraints_are_found_by_name() {
    for (strength, what, expected) in [
        (
            Strength::Weak,
            "all",
            &[("P:a->b", 1), ("P:b->a", 1), ("Q:c->c", 1)][..],
        ),
        (
            Strength::Weak,
            "processes",
            &[("process:P", 2), ("process:Q", 1)],
        ),
        (Strength::Weak, "process:P", &[("process:P", 2)]),
        (Strength::Weak, "Q:*", &[("Q:c->c", 1)]),
        (Strength::Weak, "P:a->b", &[("P:a->b", 1)]),
        (Strength::Weak, "x == 1", &[("x == 1", 0)]),
        (Strength::Strong, "process:Q", &[("process:Q", 1)]),
    ] {
        let found = assumed(strength, what).unwrap();
        let found: Vec<(&str, usize)> = found.iter().map(|(name, n)| (&**name, *n)).collect();
        assert_eq!(found, expected, "{what}");
    }
    for (strength, wrong) in [
        (Strength::Weak, "R:*"),
        (Strength::Weak, "process:R"),
        (Strength::Weak, "P:a->c"),
        (Strength::Weak, "5 / x == 1"),
        (Strength::Strong, "x == 1"),
    ] {
        let refused = assumed(strength, wrong);
        assert!(refused.is_err(), "{wrong}: {refused:?}");
    }
}
