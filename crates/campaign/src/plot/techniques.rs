//! What the techniques of a portfolio are worth: who decided, and what is lost without each.
//!
//! A campaign for this runs a portfolio and the same without one technique after the other. The first engine of the campaign, or of those that
//! are chosen, is the one that the others are compared with.

use super::results::{Class, Results};
use super::table::{Cell, Table};
use std::collections::BTreeMap;

/// Who decided inside of each engine; `None` if nobody had a choice.
pub fn deciders(results: &Results<'_>) -> Option<Table> {
    let title = results.measure.title();
    let heads = ["engine", "decided by", "cases", "holds", "violated", title];
    let note =
        "Decided by: the engine that had the answer, of those that were asked one after the other.";
    let mut table = Table::new("deciders", "Who decided", note, &heads);
    for (engine, name) in results.engines.iter().enumerate() {
        let mut by: BTreeMap<&str, (usize, usize, f64)> = BTreeMap::new();
        for case in &results.cases {
            let run = case.runs[engine].as_ref();
            let Some((run, price)) = run.and_then(|run| Some((run, run.solved()?))) else {
                continue;
            };
            if let Some(decider) = &run.record.decided_by {
                let (holds, violated, sum) = by.entry(decider).or_default();
                *holds += usize::from(case.class == Class::Holds);
                *violated += usize::from(case.class == Class::Violated);
                *sum += price;
            }
        }
        if by.len() < 2 {
            continue;
        }
        for (decider, (holds, violated, sum)) in by {
            table.rows.push(vec![
                Cell::text(name),
                Cell::text(decider),
                Cell::count(holds + violated),
                Cell::count(holds),
                Cell::count(violated),
                Cell::number(sum, results.measure.unit().show(sum)),
            ]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// What each engine loses and wins against the first; `None` if there is but one.
pub fn lost(results: &Results<'_>) -> Option<Table> {
    let first = results.engines.first()?;
    let title = results.measure.title();
    let (own, theirs) = (format!("{title} there"), format!("{title} of the first"));
    let heads = ["engine", "solved", "lost", "won", &own, &theirs];
    let note = format!(
        "Lost: cases that {first} solves and this one does not; won: the other way round. {title}: sums over the cases that both solve."
    );
    let mut table = Table::new("lost", "Against the first engine", &note, &heads);
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
            Cell::text(name),
            Cell::count(results.solved_by(engine)),
            Cell::count(lost),
            Cell::count(won),
            Cell::number(sums.0, unit.show(sums.0)),
            Cell::number(sums.1, unit.show(sums.1)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;
    use crate::{Outcome, Record};

    #[test]
    fn what_is_lost_and_who_decided() {
        let by = |decider: &str, record: Record| Record {
            decided_by: Some(decider.to_owned()),
            ..record
        };
        let records = [
            by("walk", record("all", "p", Outcome::Violated, 1.0)),
            by("facts", record("all", "q", Outcome::Holds, 2.0)),
            record("all", "r", Outcome::Time, 10.0),
            by("explicit", record("no walk", "p", Outcome::Violated, 3.0)),
            record("no walk", "q", Outcome::Time, 10.0),
            by("explicit", record("no walk", "r", Outcome::Holds, 4.0)),
        ];
        let results = Results::new(&records, &[], Measure::Cpu, 0.0);
        let texts = |table: Table| -> Vec<Vec<String>> {
            let row = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.clone()).collect();
            table.rows.iter().map(row).collect()
        };
        let who = texts(deciders(&results).unwrap());
        assert_eq!(who[0], ["all", "facts", "1", "1", "0", "2 s"]);
        assert_eq!(who[1], ["all", "walk", "1", "0", "1", "1 s"]);
        assert_eq!(who.len(), 2);
        let lost = texts(lost(&results).unwrap());
        assert_eq!(lost, [["no walk", "2", "1", "1", "3 s", "1 s"]]);
    }
}
