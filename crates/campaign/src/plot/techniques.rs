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
    let note = "Decided by: the engine of the portfolio that gave the answer.";
    let mut table = PlotTable::new("deciders", "Deciding engines", note);
    for (engine, name) in results.engines.iter().enumerate() {
        let mut by: BTreeMap<&str, (usize, usize, f64)> = BTreeMap::new();
        for case in &results.cases {
            if let Some(cost) = case.solved(engine)
                && let Some(decider) =
                    case.runs[engine].and_then(|run| run.record.decided_by.as_ref())
            {
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
            table.add([
                ("engine", TableCell::text(name)),
                ("decided by", TableCell::text(decider)),
                ("cases", TableCell::count(holds + violated)),
                ("holds", TableCell::count(holds)),
                ("violated", TableCell::count(violated)),
                (title, results.cost(sum)),
            ]);
        }
    }
    table.filled()
}

/// Compares each engine with the first; `None` if there is only one.
pub fn lost(results: &PlotData<'_>) -> Option<PlotTable> {
    let first = results.engines.first()?;
    let title = results.measure.title();
    let theirs = format!("{title} of the first");
    let note = format!(
        "Lost: cases that {first} solves and this engine does not; won: the reverse. {title}: sums over the cases that both solve."
    );
    let mut table = PlotTable::new("lost", "Comparison with the first engine", note);
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
        table.add([
            ("engine", TableCell::text(name)),
            ("solved", TableCell::count(results.solved_by(engine))),
            ("lost", TableCell::count(lost)),
            ("won", TableCell::count(won)),
            (title, results.cost(sums.0)),
            (&theirs, results.cost(sums.1)),
        ]);
    }
    table.filled()
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
        let facts = ["all", "facts", "1", "1", "0", "2 s"];
        let walk = ["all", "walk", "1", "0", "1", "1 s"];
        assert_eq!(deciders(&results).unwrap().texts(), [facts, walk]);
        let expected = ["no walk", "2", "1", "1", "3 s", "1 s"];
        assert_eq!(lost(&results).unwrap().texts(), [expected]);
    }
}
