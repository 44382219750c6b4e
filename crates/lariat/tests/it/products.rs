//! Numbers of product nodes and edges that each engine computes on fixed questions. They detect
//! changes in laziness, closures and edge order; after an intended change the table is updated.

use crate::asking::{by, check, holds, order, philosophers};
use lariat::internals::{Budget, CheckOptions, Preset, StatValue, Statistic};

/// Questions: philosophers, a formula, and whether it holds.
const QUESTIONS: [(u32, &str, bool); 3] = [
    (3, r#"G !("HasLeft_2 = 1" & "HasRight_1 = 1")"#, true),
    (3, "F deadlock", false),
    (3, r#"G ("WaitsLeft_1 = 1" -> F "HasLeft_1 = 1")"#, false),
];

/// Per preset the computed nodes and edges for each question; `-` for engines without a graph.
const PINNED: &[(&str, [&str; 3])] = &[
    ("explicit", ["76/215", "4/4", "34/45"]),
    // The formula preserves some symmetries of the philosophers.
    ("sym", ["42/122", "5/5", "34/45"]),
    // The net has no symmetries of colours.
    ("ssp", ["76/215", "4/4", "34/45"]),
    ("sog", ["6/10", "2/2", "5/8"]),
    ("sop", ["6/10", "2/2", "5/8"]),
    ("slap", ["1/0", "1/1", "2/2"]),
    ("slap-fst", ["1/0", "1/1", "2/2"]),
    ("bcz", ["94/194", "4/4", "19/31"]),
    ("owcty", ["-/-", "-/-", "-/-"]),
    ("el", ["-/-", "-/-", "-/-"]),
    ("hyb", ["-/-", "-/-", "-/-"]),
    ("ba", ["76/215", "4/4", "34/45"]),
    ("ta", ["76/215", "4/4", "29/39"]),
    ("tgta", ["76/215", "4/4", "46/69"]),
];

fn size(preset: &Preset, question: (u32, &str, bool)) -> String {
    let (count, formula, expected) = question;
    let options = CheckOptions {
        order: order("file-up"),
        ..by(preset.plan())
    };
    let report = check(
        &philosophers(count),
        formula,
        &options,
        &Budget::unlimited(),
    );
    assert_eq!(holds(&report), expected, "{}: {formula}", preset.id.name());
    let figure = |statistic| match report.account.stats.get(statistic) {
        Some(StatValue::Count(count)) => count.to_string(),
        _ => "-".to_owned(),
    };
    let (nodes, edges) = (Statistic::PRODUCT_STATES, Statistic::PRODUCT_EDGES);
    format!("{}/{}", figure(nodes), figure(edges))
}

#[test]
fn product_sizes_are_as_pinned() {
    let mut differences = Vec::new();
    // Walks store no product.
    let presets = Preset::ALL.iter();
    for preset in presets.filter(|preset| preset.id.name() != "walk") {
        let sizes = QUESTIONS.map(|question| size(preset, question));
        let pinned = PINNED.iter().find(|(name, _)| *name == preset.id.name());
        if pinned.is_none_or(|(_, pinned)| *pinned != sizes) {
            differences.push(format!("    ({:?}, {sizes:?}),", preset.id.name()));
        }
    }
    let table = differences.join("\n");
    assert!(differences.is_empty(), "product sizes changed:\n{table}");
}
