//! Engines on sets decide properties of systems with more states than can be listed.

use crate::asking::{FORMULAS, by, check, holds, philosophers};
use lariat::internals::{Budget, Plan};

#[test]
fn many_philosophers() {
    for (formula, expected) in FORMULAS {
        for (count, engine) in [(50, "slap"), (50, "el"), (50, "owcty"), (100, "slap-fst")] {
            let options = by(Plan::of(engine));
            let report = check(
                &philosophers(count),
                formula,
                &options,
                &Budget::unlimited(),
            );
            assert_eq!(holds(&report), expected, "{engine}: {formula} of {count}");
        }
    }
}
