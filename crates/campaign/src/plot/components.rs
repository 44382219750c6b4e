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

use super::results::{AnswerClass, PlotCase, PlotData, RepeatedRun};
use super::table::{PlotTable, TableCell};
use crate::Record;
use lariat::internals::Statistic;
use lariat::internals::ltl::{Formulas, FreeVocabulary, classes, parse};
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

/// Cases of a row.
#[derive(Clone, Copy)]
enum CaseGroup<'a> {
    All,
    /// Formulas that are obligations by their syntax, or the others.
    Obligation(bool),
    Family(&'a str),
}

impl<'a> CaseGroup<'a> {
    fn contains(self, case: &PlotCase<'_>) -> bool {
        match self {
            CaseGroup::All => true,
            CaseGroup::Obligation(wanted) => is_obligation(case) == Some(wanted),
            CaseGroup::Family(family) => case.about.family == family,
        }
    }

    fn name(self) -> &'a str {
        match self {
            CaseGroup::All => "all families",
            CaseGroup::Obligation(true) => "obligations",
            CaseGroup::Obligation(false) => "no obligations",
            CaseGroup::Family(family) => family,
        }
    }
}

/// Returns whether the syntax shows that the formula is an obligation; `None` without a formula.
pub(super) fn is_obligation(case: &PlotCase<'_>) -> Option<bool> {
    let mut formulas = Formulas::new();
    let text = case.about.formula.as_deref()?;
    let formula = parse(text, &mut formulas, &mut FreeVocabulary).ok()?;
    Some(classes(&formulas, formula).obligation)
}

/// Builds the table; `None` if no engine has these statistics.
pub fn components<'a>(results: &PlotData<'a>) -> Option<PlotTable> {
    let note = "SCC detection: its share of the product's time. Prevented: checks that needed no symbolic run; by: the \
                criterion that prevented them. × state space: time of the product relative to reaching the states of the same model, \
                where that takes 50 ms or more; geometric mean. Decided cases only.";
    let title = "Component-wise engine: SCC detection";
    let mut table = PlotTable::new("components", title, note);
    let bases = bases(results);
    let has_stats =
        |run: &RepeatedRun<'_>| run.solved().is_some() && run.record.stat(CHECKS).is_some();
    let families = results.cases.iter().map(|c| c.about.family.as_str());
    let families: BTreeSet<&str> = families.collect();
    for (engine, name) in results.engines.iter().enumerate() {
        let run = |case: &PlotCase<'a>| case.runs[engine].filter(has_stats);
        let answers = [
            (None, "all"),
            (Some(AnswerClass::Holds), "holds"),
            (Some(AnswerClass::Violated), "violated"),
        ];
        let mut add = |group: CaseGroup<'_>, class: Option<AnswerClass>, answer: &str| {
            let is_member = |case: &&PlotCase<'a>| {
                group.contains(case) && class.is_none_or(|class| case.class == class)
            };
            let members = results.cases.iter().filter(is_member);
            let members: Vec<&Record> = members.filter_map(run).map(|run| run.record).collect();
            if !members.is_empty() {
                let mut row = vec![
                    ("engine", TableCell::text(name)),
                    ("cases", TableCell::text(group.name())),
                    ("answer", TableCell::text(answer)),
                ];
                row.extend(figures(&members, &bases));
                table.add(row);
            }
        };
        for (class, answer) in answers {
            add(CaseGroup::All, class, answer);
        }
        for obligation in [true, false] {
            add(CaseGroup::Obligation(obligation), None, "all");
        }
        for family in &families {
            for (class, answer) in &answers[1..] {
                add(CaseGroup::Family(family), *class, answer);
            }
        }
    }
    table.drop_empty();
    table.filled()
}

/// Returns the shares of detection, of prevented runs, and of those prevented by recurring states and
/// by abstraction.
pub(super) fn shares(records: &[&Record]) -> [TableCell; 4] {
    let row = figures(records, &BTreeMap::new());
    [
        "SCC detection",
        "prevented",
        "by recurring",
        "by abstraction",
    ]
    .map(|head| {
        let cell = row.iter().find(|(other, _)| *other == head);
        cell.map(|(_, cell)| cell.clone()).unwrap_or_default()
    })
}

fn bases<'a>(results: &PlotData<'a>) -> BTreeMap<&'a str, f64> {
    let mut bases = BTreeMap::new();
    let is_counted = |case: &&PlotCase<'_>| case.class == AnswerClass::Counted;
    for case in results.cases.iter().filter(is_counted) {
        let solved = case.runs.iter().flatten().filter(|r| r.solved().is_some());
        let seconds = solved.filter_map(|run| run.record.stat(REACH));
        if let Some(least) = seconds.min_by(f64::total_cmp) {
            bases.insert(case.about.model.as_str(), least);
        }
    }
    bases
}

fn figures(records: &[&Record], bases: &BTreeMap<&str, f64>) -> Vec<(&'static str, TableCell)> {
    let sum = |stat: Statistic| -> f64 { records.iter().filter_map(|r| r.stat(stat)).sum() };
    let (checks, started) = (sum(CHECKS), sum(RUNS));
    let prevented = PREVENTED.map(|(stat, head)| (head, sum(stat)));
    let all: f64 = prevented.iter().map(|(_, part)| part).sum();
    let pair = |record: &&Record| Some((record.stat(SHARE)?, record.stat(PRODUCT)?));
    let timed = || records.iter().filter_map(pair);
    let searching = timed().map(|(share, seconds)| share * seconds).sum();
    let seconds = timed().map(|(_, seconds)| seconds).sum();
    let mut row = vec![
        ("n", TableCell::count(records.len())),
        ("SCC detection", TableCell::percent(searching, seconds)),
        ("prevented", TableCell::percent(checks - started, checks)),
    ];
    row.extend(prevented.map(|(head, part)| (head, TableCell::percent(part, all))));
    row.push(("checks", TableCell::number(checks, checks.to_string())));
    row.push((
        "symbolic runs",
        TableCell::number(started, started.to_string()),
    ));
    let ratio = |record: &&Record| {
        let base = bases.get(record.model.as_str()).copied();
        let base = base.filter(|base| *base >= LEAST_BASE)?;
        // Without a check the product is trivial.
        record.stat(CHECKS).filter(|checks| *checks > 0.0)?;
        Some(record.stat(PRODUCT)?.max(1e-6) / base)
    };
    let logarithms: Vec<f64> = records.iter().filter_map(ratio).map(f64::ln).collect();
    let (ratios, mean) = match logarithms.len() {
        0 => (TableCell::default(), TableCell::default()),
        n => {
            let mean = (logarithms.iter().sum::<f64>() / n as f64).exp();
            (
                TableCell::count(n),
                TableCell::number(mean, format!("{mean:.3}")),
            )
        }
    };
    row.extend([("ratios", ratios), ("× state space", mean)]);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobOutcome;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;
    use serde_json::json;

    #[test]
    fn shares_are_weighted_by_time_and_omit_time_outs() {
        let with = |mut record: Record,
                    [checks, runs, recurring]: [u64; 3],
                    [share, seconds]: [f64; 2]| {
            let stats = json!({
                CHECKS.name(): checks, RUNS.name(): runs, SHARE.name(): share, PRODUCT.name(): seconds,
                PREVENTED[2].0.name(): recurring, PREVENTED[3].0.name(): checks - runs - recurring,
            });
            record.stats = stats.as_object().unwrap().clone();
            record
        };
        let hyb = |property, outcome| record("hyb", property, outcome, 1.0);
        let records = [
            with(hyb("p", JobOutcome::Holds), [90, 0, 80], [0.0, 3.0]),
            with(hyb("q", JobOutcome::Violated), [10, 5, 5], [1.0, 1.0]),
            with(hyb("r", JobOutcome::Time), [1000, 1000, 0], [1.0, 10.0]),
            record("slap", "p", JobOutcome::Holds, 1.0),
        ];
        let table = components(&PlotData::new(&records, &[], Measure::Cpu, 0.0)).unwrap();
        let rows = table.texts();
        for (row, expected) in [
            (
                0,
                "hyb, all families, all, 2, 25.0 %, 95.0 %, 0.0 %, 0.0 %, 89.5 %, 10.5 %, 0.0 %, 100, 5",
            ),
            (
                1,
                "hyb, all families, holds, 1, 0.0 %, 100.0 %, 0.0 %, 0.0 %, 88.9 %, 11.1 %, 0.0 %, 90, 0",
            ),
            (
                3,
                "hyb, obligations, all, 2, 25.0 %, 95.0 %, 0.0 %, 0.0 %, 89.5 %, 10.5 %, 0.0 %, 100, 5",
            ),
            (
                5,
                "hyb, kanban, violated, 1, 100.0 %, 50.0 %, 0.0 %, 0.0 %, 100.0 %, 0.0 %, 0.0 %, 10, 5",
            ),
        ] {
            assert_eq!(rows[row].join(", "), expected);
        }
        assert_eq!(rows.len(), 6);
        let none = PlotData::new(&records, &["slap".to_owned()], Measure::Cpu, 0.0);
        assert_eq!(components(&none), None);
    }
}
