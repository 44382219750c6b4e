//! Statistics of the component-wise engine, as in table 1 of the paper: the avoided symbolic runs.
//!
//! Every pair of a saturated node and a residual is a *check*. It is decided without a symbolic
//! fixpoint if there are no recurring states, or if the node-wise abstraction has no cycle through
//! new transitions. Three criteria are not in the paper: the events cannot form a cycle on the
//! level, the automaton cannot move within it, or an acceptance mark does not occur.
//!
//! - prevented = 1 − Σ runs / Σ checks,
//! - by recurring states = Σ prevented by them / Σ prevented by any,
//! - share of SCC detection = Σ time in it / Σ time of the product,
//! - × state space = geometric mean of the time of the product / the time to reach all states of
//!   the model without counting them, over cases with a check and models where the latter is at
//!   least 50 ms, if the campaign counts states.
//!
//! Sums are over the decided cases only, as in the paper.

use super::results::{AnswerClass, PlotData, RepeatedRun};
use super::table::{PlotTable, TableCell};
use lariat::internals::Statistic;
use std::collections::{BTreeMap, BTreeSet};

/// Checks of a saturated node with a residual.
const CHECKS: Statistic = Statistic::SCC_CHECKS;
const RUNS: Statistic = Statistic::SCC_SYMBOLIC_RUNS;
/// Criteria that avoid a symbolic run, with their column heads.
const PREVENTED: [(Statistic, &str); 5] = [
    (Statistic::SCC_PREVENTED_BY_STRUCTURE, "by structure"),
    (Statistic::SCC_PREVENTED_BY_AUTOMATON, "by automaton"),
    (Statistic::SCC_PREVENTED_BY_RECURRING, "by recurring"),
    (Statistic::SCC_PREVENTED_BY_ABSTRACTION, "by abstraction"),
    (Statistic::SCC_PREVENTED_BY_MARKS, "by marks"),
];
/// Seconds for the product, without variable ordering and translation.
const PRODUCT: Statistic = Statistic::PRODUCT_SECONDS;
/// Least seconds to reach the states of a model for a meaningful ratio.
const LEAST_BASE: f64 = 0.05;
/// Seconds to reach all states, without counting them.
const REACH: Statistic = Statistic::REACH_SECONDS;
/// Share of SCC detection in the time of the product, from 0 to 1.
const SHARE: Statistic = Statistic::SCC_SHARE;

/// Builds the table; `None` if no engine has these statistics.
pub fn components(results: &PlotData<'_>) -> Option<PlotTable> {
    let mut heads = vec![
        "engine",
        "cases",
        "answer",
        "n",
        "SCC detection",
        "prevented",
    ];
    heads.extend(PREVENTED.map(|(_, head)| head));
    heads.extend(["checks", "symbolic runs", "ratios", "× state space"]);
    let note = "SCC detection: its share of the product's time. Prevented: checks that needed no symbolic run; by: the \
                criterion that prevented them. × state space: time of the product relative to reaching the states of the same model, \
                where that takes 50 ms or more; geometric mean. Decided cases only.";
    let mut table = PlotTable::new(
        "components",
        "Component-wise engine: SCC detection",
        note,
        &heads,
    );
    let bases = bases(results);
    let has_stats =
        |run: &RepeatedRun<'_>| run.solved().is_some() && run.record.stat(CHECKS).is_some();
    let families: BTreeSet<&str> = results
        .cases
        .iter()
        .map(|c| c.about.family.as_str())
        .collect();
    for (engine, name) in results.engines.iter().enumerate() {
        let runs: Vec<(&str, AnswerClass, &RepeatedRun<'_>)> = results
            .cases
            .iter()
            .filter_map(|case| {
                Some((
                    case,
                    case.runs[engine].as_ref().filter(|run| has_stats(run))?,
                ))
            })
            .map(|(case, run)| (case.about.family.as_str(), case.class, run))
            .collect();
        let answers = [
            (None, "all"),
            (Some(AnswerClass::Holds), "holds"),
            (Some(AnswerClass::Violated), "violated"),
        ];
        let mut add = |family: Option<&str>, class: Option<AnswerClass>, answer: &str| {
            let is_member = |(f, c, _): &&(&str, AnswerClass, &RepeatedRun<'_>)| {
                family.is_none_or(|family| *f == family) && class.is_none_or(|class| *c == class)
            };
            let members: Vec<&RepeatedRun<'_>> = runs
                .iter()
                .filter(is_member)
                .map(|(_, _, run)| *run)
                .collect();
            if !members.is_empty() {
                let cells = [name, family.unwrap_or("all families"), answer].map(TableCell::text);
                let mut row = cells.to_vec();
                row.extend(figures(&members, &bases));
                table.rows.push(row);
            }
        };
        for (class, answer) in answers {
            add(None, class, answer);
        }
        for family in &families {
            for (class, answer) in &answers[1..] {
                add(Some(family), *class, answer);
            }
        }
    }
    table.drop_empty();
    (!table.rows.is_empty()).then_some(table)
}

fn bases<'a>(results: &PlotData<'a>) -> BTreeMap<&'a str, f64> {
    let mut bases = BTreeMap::new();
    for case in results
        .cases
        .iter()
        .filter(|c| c.class == AnswerClass::Counted)
    {
        let solved = case.runs.iter().flatten().filter(|r| r.solved().is_some());
        let seconds = solved.filter_map(|run| run.record.stat(REACH));
        if let Some(least) = seconds.min_by(f64::total_cmp) {
            bases.insert(case.about.model.as_str(), least);
        }
    }
    bases
}

fn figures(runs: &[&RepeatedRun<'_>], bases: &BTreeMap<&str, f64>) -> Vec<TableCell> {
    let sum = |stat: Statistic| {
        runs.iter()
            .filter_map(|run| run.record.stat(stat))
            .sum::<f64>()
    };
    let (checks, started) = (sum(CHECKS), sum(RUNS));
    let prevented = PREVENTED.map(|(stat, _)| sum(stat));
    let all: f64 = prevented.iter().sum();
    let timed = || {
        let pair =
            |run: &&RepeatedRun<'_>| Some((run.record.stat(SHARE)?, run.record.stat(PRODUCT)?));
        runs.iter().filter_map(pair)
    };
    let searching = timed().map(|(share, seconds)| share * seconds).sum();
    let seconds = timed().map(|(_, seconds)| seconds).sum();
    let mut row = vec![
        TableCell::count(runs.len()),
        TableCell::percent(searching, seconds),
        TableCell::percent(checks - started, checks),
    ];
    row.extend(prevented.map(|part| TableCell::percent(part, all)));
    row.push(TableCell::number(checks, format!("{checks}")));
    row.push(TableCell::number(started, format!("{started}")));
    let ratio = |run: &&RepeatedRun<'_>| {
        let base = bases.get(run.record.model.as_str()).copied();
        let base = base.filter(|base| *base >= LEAST_BASE)?;
        // Without a check the product is trivial.
        run.record.stat(CHECKS).filter(|checks| *checks > 0.0)?;
        Some(run.record.stat(PRODUCT)?.max(1e-6) / base)
    };
    let logarithms: Vec<f64> = runs.iter().filter_map(ratio).map(f64::ln).collect();
    row.push(match logarithms.len() {
        0 => TableCell::default(),
        n => TableCell::count(n),
    });
    row.push(match logarithms.len() {
        0 => TableCell::default(),
        n => {
            let mean = (logarithms.iter().sum::<f64>() / n as f64).exp();
            TableCell::number(mean, format!("{mean:.3}"))
        }
    });
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;
    use crate::{JobOutcome, Record};
    use serde_json::json;

    #[test]
    fn shares_are_weighted_by_time_and_omit_time_outs() {
        let with = |mut record: Record,
                    checks: u64,
                    runs: u64,
                    recurring: u64,
                    share: f64,
                    seconds: f64| {
            let stats = json!({
                CHECKS.name(): checks, RUNS.name(): runs, SHARE.name(): share, PRODUCT.name(): seconds,
                PREVENTED[2].0.name(): recurring, PREVENTED[3].0.name(): checks - runs - recurring,
            });
            record.stats = stats.as_object().unwrap().clone();
            record
        };
        let records = [
            with(
                record("hyb", "p", JobOutcome::Holds, 1.0),
                90,
                0,
                80,
                0.0,
                3.0,
            ),
            with(
                record("hyb", "q", JobOutcome::Violated, 1.0),
                10,
                5,
                5,
                1.0,
                1.0,
            ),
            with(
                record("hyb", "r", JobOutcome::Time, 1.0),
                1000,
                1000,
                0,
                1.0,
                10.0,
            ),
            record("slap", "p", JobOutcome::Holds, 1.0),
        ];
        let table = components(&PlotData::new(&records, &[], Measure::Cpu, 0.0)).unwrap();
        let row = |i: usize| {
            table.rows[i]
                .iter()
                .map(|c| c.text.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(
            row(0),
            "hyb, all families, all, 2, 25.0 %, 95.0 %, 0.0 %, 0.0 %, 89.5 %, 10.5 %, 0.0 %, 100, 5"
        );
        assert_eq!(
            row(1),
            "hyb, all families, holds, 1, 0.0 %, 100.0 %, 0.0 %, 0.0 %, 88.9 %, 11.1 %, 0.0 %, 90, 0"
        );
        assert_eq!(
            row(4),
            "hyb, kanban, violated, 1, 100.0 %, 50.0 %, 0.0 %, 0.0 %, 100.0 %, 0.0 %, 0.0 %, 10, 5"
        );
        assert_eq!(table.rows.len(), 5);
        let none = PlotData::new(&records, &["slap".to_owned()], Measure::Cpu, 0.0);
        assert_eq!(components(&none), None);
    }
}
