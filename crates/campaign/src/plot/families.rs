//! Every engine on every family of models.
//!
//! Costs are summed over the *common* cases of a family: those solved by every engine that solves
//! any case of it. An engine that refuses the whole family is disregarded.

use super::results::{AnswerClass, FailureKind, PlotCase, PlotData, RunEnd};
use super::table::{PlotTable, TableCell};
use std::collections::BTreeMap;

/// Builds the table. If there are several families, the last rows sum up all of them.
pub fn families(results: &PlotData<'_>) -> PlotTable {
    let title = results.measure.title();
    let sum = format!("{title}, common cases");
    let heads = [
        "family", "engine", "cases", "solved", "holds", "violated", "counted", "time-out",
        "memory", "refused", "other", "common", &sum,
    ];
    let note = format!(
        "Common: the cases solved by every engine that solves any case of the family; {title} is summed over these. \
         Other: undecided for another reason, crashed, or wrong."
    );
    let mut table = PlotTable::new("families", "Families of models", note, &heads);
    let mut families: BTreeMap<&str, Vec<&PlotCase<'_>>> = BTreeMap::new();
    for case in &results.cases {
        families.entry(&case.about.family).or_default().push(case);
    }
    for (family, cases) in &families {
        rows(results, family, cases, &mut table);
    }
    if families.len() > 1 {
        rows(
            results,
            "all",
            &results.cases.iter().collect::<Vec<_>>(),
            &mut table,
        );
    }
    // Omit columns of zeros.
    for column in (4..11).rev() {
        if table.rows.iter().all(|row| row[column].value == Some(0.0)) {
            table.drop_column(column);
        }
    }
    table
}

fn rows(results: &PlotData<'_>, family: &str, cases: &[&PlotCase<'_>], table: &mut PlotTable) {
    let engines = 0..results.engines.len();
    let able: Vec<usize> = engines
        .clone()
        .filter(|&engine| cases.iter().any(|case| case.solved(engine).is_some()))
        .collect();
    let is_common = |case: &&PlotCase<'_>| able.iter().all(|&engine| case.solved(engine).is_some());
    let common: Vec<&PlotCase<'_>> = cases.iter().copied().filter(is_common).collect();
    for engine in engines {
        let runs = || {
            let own = cases
                .iter()
                .filter_map(|case| Some((*case, case.runs[engine].as_ref()?)));
            own.map(|(case, run)| (case, run.end))
        };
        let solved = |class: Option<AnswerClass>| {
            let is = |(case, end): &(&PlotCase<'_>, RunEnd)| {
                matches!(end, RunEnd::Solved(_)) && class.is_none_or(|class| case.class == class)
            };
            TableCell::count(runs().filter(is).count())
        };
        let failed = |which: &[FailureKind]| {
            let is = |(_, end): &(&PlotCase<'_>, RunEnd)| matches!(end, RunEnd::Failed(f) if which.contains(f));
            TableCell::count(runs().filter(is).count())
        };
        let mut row = vec![
            TableCell::text(family),
            TableCell::text(&results.engines[engine]),
            TableCell::count(runs().count()),
            solved(None),
            solved(Some(AnswerClass::Holds)),
            solved(Some(AnswerClass::Violated)),
            solved(Some(AnswerClass::Counted)),
            failed(&[FailureKind::Time]),
            failed(&[FailureKind::Memory]),
            failed(&[FailureKind::Refused]),
            failed(&[
                FailureKind::Undecided,
                FailureKind::Crash,
                FailureKind::Wrong,
            ]),
        ];
        if able.contains(&engine) {
            let sum: f64 = common.iter().filter_map(|case| case.solved(engine)).sum();
            row.push(TableCell::count(common.len()));
            row.push(TableCell::number(sum, results.measure.unit().show(sum)));
        } else {
            row.extend([TableCell::default(), TableCell::default()])
        }
        table.rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobOutcome;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;

    #[test]
    fn sums_are_over_common_cases() {
        let records = [
            record("a", "p", JobOutcome::Holds, 1.0),
            record("b", "p", JobOutcome::Holds, 2.0),
            record("c", "p", JobOutcome::Refused, 0.0),
            record("a", "q", JobOutcome::Violated, 5.0),
            record("b", "q", JobOutcome::Time, 10.0),
            record("c", "q", JobOutcome::Refused, 0.0),
        ];
        let table = families(&PlotData::new(&records, &[], Measure::Cpu, 0.0));
        let heads: Vec<&str> = table.heads.iter().map(String::as_str).collect();
        let expected = "family engine cases solved holds violated time-out refused common";
        assert_eq!(heads[..9].join(" "), expected);
        let row =
            |i: usize| -> Vec<&str> { table.rows[i].iter().map(|c| c.text.as_str()).collect() };
        assert_eq!(
            row(0),
            ["kanban", "a", "2", "2", "1", "1", "0", "0", "1", "1 s"]
        );
        assert_eq!(
            row(1),
            ["kanban", "b", "2", "1", "1", "0", "1", "0", "1", "2 s"]
        );
        assert_eq!(
            row(2),
            ["kanban", "c", "2", "0", "0", "0", "0", "2", "", ""]
        );
    }
}
