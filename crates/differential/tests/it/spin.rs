//! Promela: all subjects on random models, SPIN on random models, SPIN's verdicts about real ones.

use lariat::{Checker, EngineId, Model, Properties, Report};
use lariat_corpora::{models, number, table};
use lariat_differential::{spin, subjects};
use lariat_formats::promela::{ACCEPTANCE_CYCLE, NON_PROGRESS_CYCLE};
use lariat_testkit::{Campaign, Case};
use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

const REPLAY: &str = "cargo test -p lariat-differential promela";

#[test]
fn subjects_agree_with_the_oracle_on_promela() {
    let campaign = Campaign::from_env(10).about(Case::promela);
    campaign.replayed_by(REPLAY).pass(&subjects::all());
    let campaign = Campaign::from_env(10).about(Case::fair_promela);
    campaign.replayed_by(REPLAY).pass(&subjects::fair());
}

/// More with `LARIAT_CASES=2000`, faster with `LARIAT_CC=tcc`.
#[test]
fn random_promela_models_agree_with_spin() {
    let Some(installed) = spin::Spin::installed("random") else {
        return;
    };
    let campaign = Campaign::from_env(8);
    match spin::compare(&installed, campaign.seeds()) {
        Ok(tally) => println!("{tally:?}"),
        Err(difference) => panic!("{difference}"),
    }
}

/// Rows of the tables on which SPIN is not followed, with the reason.
const DIFFERENT: [(&str, &str, &str); 1] = [
    // SPIN requires steps of a process whose `provided` clause is false.
    ("own_provided", "f1", "violated"),
];

/// A row of a table: what is checked, and SPIN's verdicts.
struct Row<'t> {
    model: &'t str,
    kind: &'t str,
    name: &'t str,
    formula: &'t str,
    expected: &'t str,
    expected_fair: &'t str,
}

fn row<'t>(model: &'t str, cells: &'t [String]) -> Row<'t> {
    Row {
        model,
        kind: &cells[0],
        name: &cells[1],
        formula: &cells[2],
        expected: &cells[3],
        expected_fair: &cells[4],
    }
}

/// Returns the verdict on a row in the words of the table.
fn verdict(row: &Row<'_>, text: &str, path: &Path, fair: bool) -> String {
    let own = row.formula == "(in the model)";
    let text = match row.kind == "ltl" && !own {
        true => format!("{text}\nltl {} {{ {} }}\n", row.name, row.formula),
        false => text.to_owned(),
    };
    let origin = path.display().to_string();
    let model = Model::parse(&origin, text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let mut properties = Properties::new(&model);
    let mut add = |(name, formula)| properties.add_named(name, formula);
    match row.kind {
        "accept" => add(ACCEPTANCE_CYCLE).unwrap_or_else(|e| panic!("{e}")),
        "progress" => add(NON_PROGRESS_CYCLE).unwrap_or_else(|e| panic!("{e}")),
        "ltl" => {
            let added = properties.add_model_formulas();
            added.unwrap_or_else(|e| panic!("{e}"));
            let wanted = [row.name.to_owned()];
            properties.select(&wanted).unwrap_or_else(|e| panic!("{e}"));
        }
        "never" => properties.add_property_process().unwrap(),
        "deadlock" => {
            properties.add_findings().unwrap_or_else(|e| panic!("{e}"));
            let wanted = ["invalid end state".to_owned()];
            properties.select(&wanted).unwrap_or_else(|e| panic!("{e}"));
        }
        _ => properties.add_findings().unwrap_or_else(|e| panic!("{e}")),
    }
    if fair {
        let weak = lariat::internals::Strength::Weak;
        properties
            .assume(weak, "process")
            .unwrap_or_else(|e| panic!("{e}"));
    }
    let checker = Checker::new(&model).engine(EngineId::Auto).vacuity(false);
    let checker = checker.timeout(Duration::from_secs(120)).memory(6 << 30);
    let mut reports: Vec<Report> = Vec::new();
    let checked = checker
        .threads(NonZeroUsize::MIN)
        .check_all(&properties, |report| {
            reports.push(report);
            ControlFlow::Continue(())
        });
    checked.unwrap_or_else(|e| panic!("{e}"));
    if row.kind == "assert" {
        reports.retain(|report| report.name().starts_with("assert"));
    } else {
        assert_eq!(reports.len(), 1, "{} {}", row.model, row.name);
    }
    let holds: Vec<Option<bool>> = reports.iter().map(Report::holds).collect();
    let words = match row.kind {
        "ltl" | "never" => ["holds", "violated"],
        _ => ["no", "yes"],
    };
    if holds.contains(&Some(false)) {
        words[1].to_owned()
    } else if holds.contains(&None) {
        format!("{reports:?}")
    } else {
        words[0].to_owned()
    }
}

/// All rows of models of at most `LARIAT_STATES` (10 000) states; all with a larger number.
#[test]
fn verdicts_on_promela_models_are_those_of_spin() {
    let Some(folder) = models("promela") else {
        return;
    };
    let limit = number("LARIAT_STATES", 10_000);
    let (mut rows, mut differences) = (0, Vec::new());
    for line in table(&folder.join("INDEX.tsv")) {
        let (model, states) = (&line[0], line[2].parse::<u64>().expect("a number"));
        if states > limit {
            continue;
        }
        let path = folder.join(format!("{model}.pml"));
        let text = fs::read(&path).expect("a readable model");
        let text = String::from_utf8_lossy(&text);
        let all = table(&folder.join(format!("{model}.tsv")));
        let fails = all
            .iter()
            .any(|cells| cells[0] == "assert" && cells[3] == "yes");
        for cells in all.iter().filter(|cells| cells[0] != "states") {
            let row = row(model, cells);
            // The table was made without assertions that fail.
            let quiet = match row.kind == "ltl" && fails {
                true => format!("#define assert(x) (true)\n{text}"),
                false => text.clone().into_owned(),
            };
            for (is_fair, expected) in [(false, row.expected), (true, row.expected_fair)] {
                if expected.is_empty() || expected == "?" {
                    continue;
                }
                let ours = DIFFERENT
                    .iter()
                    .find(|(m, name, _)| is_fair && *m == row.model && *name == row.name);
                let expected = ours.map_or(expected, |(.., verdict)| verdict);
                let found = verdict(&row, &quiet, &path, is_fair);
                rows += 1;
                if found != expected {
                    let (name, formula) = (row.name, row.formula);
                    let fair = if is_fair { " with fairness" } else { "" };
                    let line = format!("{model} {name} {formula}{fair}: {found}, SPIN: {expected}");
                    differences.push(line);
                }
            }
        }
    }
    println!("{rows} verdicts");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(rows > 100, "{rows}");
}
