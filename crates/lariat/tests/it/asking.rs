//! What several tests begin with: philosophers, and a property of them.

use lariat::System;
use lariat::model::generate::{Family, generate};
use lariat::model::{Names, Properties};

/// So many philosophers, and a formula about them.
pub fn about_philosophers(philosophers: u32, formula: &str) -> (System, Properties) {
    let system = generate(Family::Philosophers, philosophers).unwrap();
    let mut properties = Properties::new();
    let names = Names::of(&system);
    properties
        .add_formula(&names, "test", None, formula)
        .unwrap();
    (system, properties)
}
