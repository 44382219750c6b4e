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
    let note = format!(
        "Common: the cases solved by every engine that solves any case of the family; {title} is summed over these. \
         Other: undecided for another reason, crashed, or wrong."
    );
    let mut table = PlotTable::new("families", "Families of models", note);
    let mut families: BTreeMap<&str, Vec<&PlotCase<'_>>> = BTreeMap::new();
    for case in &results.cases {
        families.entry(&case.about.family).or_default().push(case);
    }
    for (family, cases) in &families {
        rows(results, family, cases, &mut table);
    }
    if families.len() > 1 {
        let all: Vec<&PlotCase<'_>> = results.cases.iter().collect();
        rows(results, "all", &all, &mut table);
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
        let count = |is: &dyn Fn(&PlotCase<'_>, RunEnd) -> bool| {
            let is = |case: &&&PlotCase<'_>| case.runs[engine].is_some_and(|run| is(case, run.end));
            TableCell::count(cases.iter().filter(is).count())
        };
        let solved =
            |class| count(&|case, end| matches!(end, RunEnd::Solved(_)) && case.class == class);
        let failed = |which| count(&|_, end| end == RunEnd::Failed(which));
        let is_other = |_: &PlotCase<'_>, end| {
            use FailureKind::{Crash, Undecided, Wrong};
            matches!(end, RunEnd::Failed(Undecided | Crash | Wrong))
        };
        let (mut number, mut sum) = (TableCell::default(), TableCell::default());
        if able.contains(&engine) {
            number = TableCell::count(common.len());
            sum = results.cost(common.iter().filter_map(|case| case.solved(engine)).sum());
        }
        let head = format!("{}, common cases", results.measure.title());
        table.add([
            ("family", TableCell::text(family)),
            ("engine", TableCell::text(&results.engines[engine])),
            ("cases", count(&|_, _| true)),
            ("solved", count(&|_, end| matches!(end, RunEnd::Solved(_)))),
            ("holds", solved(AnswerClass::Holds)),
            ("violated", solved(AnswerClass::Violated)),
            ("counted", solved(AnswerClass::Counted)),
            ("time-out", failed(FailureKind::Time)),
            ("memory", failed(FailureKind::Memory)),
            ("refused", failed(FailureKind::Refused)),
            ("other", count(&is_other)),
            ("common", number),
            (&head, sum),
        ]);
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
        let a = ["kanban", "a", "2", "2", "1", "1", "0", "0", "1", "1 s"];
        let b = ["kanban", "b", "2", "1", "1", "0", "1", "0", "1", "2 s"];
        let c = ["kanban", "c", "2", "0", "0", "0", "0", "2", "", ""];
        assert_eq!(table.texts(), [a, b, c]);
    }
}
