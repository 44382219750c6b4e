//! Fairness assumptions, over the names of a program.

use lariat_formats::read;
use lariat_model::{Fairness, Strength};

const PAIR: &[u8] =
    b"byte x; process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> a {}; }
    process Q { state c; init c; trans c -> c { guard x > 0; effect x = 0; }; } system async;";

fn assumed(strength: Strength, what: &str) -> Result<Vec<(String, usize)>, String> {
    let model = read("pair.dve", PAIR).unwrap();
    let mut fairness = Fairness::default();
    fairness
        .add(&model.names(), strength, what)
        .map_err(|e| e.message)?;
    fairness
        .add(&model.names(), strength, what)
        .map_err(|e| e.message)?;
    assert_eq!(fairness.told.len(), 1, "duplicates are ignored");
    Ok(fairness
        .constraints
        .iter()
        .map(|c| (c.name.clone(), c.taken.len()))
        .collect())
}

#[test]
fn constraints_are_found_by_name() {
    let names = |list: &[(&str, usize)]| -> Result<Vec<(String, usize)>, String> {
        Ok(list
            .iter()
            .map(|(name, n)| ((*name).to_owned(), *n))
            .collect())
    };
    let weak = |what| assumed(Strength::Weak, what);
    assert_eq!(
        weak("all"),
        names(&[("P:a->b", 1), ("P:b->a", 1), ("Q:c->c", 1)])
    );
    assert_eq!(
        weak("processes"),
        names(&[("process:P", 2), ("process:Q", 1)])
    );
    assert_eq!(weak("process:P"), names(&[("process:P", 2)]));
    assert_eq!(weak("Q:*"), names(&[("Q:c->c", 1)]));
    assert_eq!(weak("P:a->b"), names(&[("P:a->b", 1)]));
    assert_eq!(weak("x == 1"), names(&[("x == 1", 0)]));
    assert_eq!(
        assumed(Strength::Strong, "process:Q"),
        names(&[("process:Q", 1)])
    );
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
