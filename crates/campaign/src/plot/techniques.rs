//! The contribution of each technique of a portfolio: cases it decides, and cases lost without it.
//!
//! A campaign for this purpose runs a portfolio and variants that each lack one technique. All
//! other engines are compared with the first one, in the order of columns.

use super::results::{AnswerClass, PlotData};
use super::table::{PlotTable, TableCell};
use std::collections::BTreeMap;

/// Builds the table of the engines that decided within each portfolio.
pub fn deciders(results: &PlotData<'_>) -> Option<PlotTable> {
    let title = results.measure.title();
    let heads = ["engine", "decided by", "cases", "holds", "violated", title];
    let note = "Decided by: the engine of the portfolio that gave the answer.";
    let mut table = PlotTable::new("deciders", "Deciding engines", note, &heads);
    for (engine, name) in results.engines.iter().enumerate() {
        let mut by: BTreeMap<&str, (usize, usize, f64)> = BTreeMap::new();
        for case in &results.cases {
            let run = case.runs[engine].as_ref();
            let Some((run, cost)) = run.and_then(|run| Some((run, run.solved()?))) else {
                continue;
            };
            if let Some(decider) = &run.record.decided_by {
                let (holds, violated, sum) = by.entry(decider).or_default();
                *holds += usize::from(case.class == AnswerClass::Holds);
                *violated += usize::from(case.class == AnswerClass::Violated);
                *sum += cost;
            }
        }
        if by.len() < 2 {
            continue;
        }
        for (decider, (holds, violated, sum)) in by {
            table.rows.push(vec![
                TableCell::text(name),
                TableCell::text(decider),
                TableCell::count(holds + violated),
                TableCell::count(holds),
                TableCell::count(violated),
                TableCell::number(sum, results.measure.unit().show(sum)),
            ]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Compares each engine with the first; `None` if there is only one.
pub fn lost(results: &PlotData<'_>) -> Option<PlotTable> {
    let first = results.engines.first()?;
    let title = results.measure.title();
    let (own, theirs) = (title.to_owned(), format!("{title} of the first"));
    let heads = ["engine", "solved", "lost", "won", &own, &theirs];
    let note = format!(
        "Lost: cases that {first} solves and this engine does not; won: the reverse. {title}: sums over the cases that both solve."
    );
    let mut table = PlotTable::new("lost", "Comparison with the first engine", &note, &heads);
    for (engine, name) in results.engines.iter().enumerate().skip(1) {
        let (mut lost, mut won, mut sums) = (0, 0, (0.0, 0.0));
        for case in &results.cases {
            match (case.solved(0), case.solved(engine)) {
                (Some(_), None) => lost += 1,
                (None, Some(_)) => won += 1,
                (Some(first), Some(own)) => sums = (sums.0 + own, sums.1 + first),
                (None, None) => {}
            }
        }
        let unit = results.measure.unit();
        table.rows.push(vec![
            TableCell::text(name),
            TableCell::count(results.solved_by(engine)),
            TableCell::count(lost),
            TableCell::count(won),
            TableCell::number(sums.0, unit.show(sums.0)),
            TableCell::number(sums.1, unit.show(sums.1)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;
    use crate::{JobOutcome, Record};

    #[test]
    fn deciders_and_lost_cases_are_counted() {
        let by = |decider: &str, record: Record| Record {
            decided_by: Some(decider.to_owned()),
            ..record
        };
        let records = [
            by("walk", record("all", "p", JobOutcome::Violated, 1.0)),
            by("facts", record("all", "q", JobOutcome::Holds, 2.0)),
            record("all", "r", JobOutcome::Time, 10.0),
            by(
                "explicit",
                record("no walk", "p", JobOutcome::Violated, 3.0),
            ),
            record("no walk", "q", JobOutcome::Time, 10.0),
            by("explicit", record("no walk", "r", JobOutcome::Holds, 4.0)),
        ];
        let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
        let texts = |table: PlotTable| -> Vec<Vec<String>> {
            let row = |row: &Vec<TableCell>| row.iter().map(|cell| cell.text.clone()).collect();
            table.rows.iter().map(row).collect()
        };
        let deciders = texts(deciders(&results).unwrap());
        assert_eq!(deciders[0], ["all", "facts", "1", "1", "0", "2 s"]);
        assert_eq!(deciders[1], ["all", "walk", "1", "0", "1", "1 s"]);
        assert_eq!(deciders.len(), 2);
        let lost = texts(lost(&results).unwrap());
        assert_eq!(lost, [["no walk", "2", "1", "1", "3 s", "1 s"]]);
    }
}
