//! The engines as a portfolio: the virtual best engine and the unique solves of each engine.
//!
//! The virtual best engine (VBS) answers every case at the cost of the best engine. It would lose
//! the unique solves of an engine without that engine. The penalised mean (PAR-2) counts a case
//! without an answer, refusals included, as twice the time limit. It is defined only for times.

use super::measure::MeasureUnit;
use super::results::{AnswerClass, PlotCase, PlotData};
use super::table::{PlotTable, TableCell};

/// Builds the table of the engines and the virtual best engine.
pub fn portfolio(results: &PlotData<'_>) -> PlotTable {
    let title = results.measure.title();
    let sum = format!("{title} of solved cases");
    let heads = [
        "engine", "solved", "holds", "violated", "counted", "unique", "fastest", &sum, "PAR-2",
    ];
    let note = "Unique: solved by no other engine. Fastest: the best of all that succeeded, ties included. \
                PAR-2: mean over all cases, those without an answer counted as twice the time limit. Virtual best: the best \
                engine for each case.";
    let mut table = PlotTable::new("portfolio", "Virtual best and unique solves", note, &heads);
    let best = |case: &PlotCase<'_>| case.solutions().map(|s| s.1).min_by(f64::total_cmp);
    for engine in 0..results.engines.len() {
        let cost = |case: &PlotCase<'_>| case.solved(engine);
        let mut row = figures(results, &results.engines[engine], &cost);
        row.insert(
            5,
            TableCell::count(
                results
                    .cases
                    .iter()
                    .filter(|c| only_solver(c) == Some(engine))
                    .count(),
            ),
        );
        let is_fastest = |case: &&PlotCase<'_>| match (case.solved(engine), best(case)) {
            (Some(own), Some(best)) => results.measure.is_tie(own, best),
            _ => false,
        };
        row.insert(
            6,
            TableCell::count(results.cases.iter().filter(is_fastest).count()),
        );
        table.rows.push(row);
    }
    let mut row = figures(results, "virtual best", &best);
    row.splice(5..5, [TableCell::default(), TableCell::default()]);
    table.rows.push(row);
    for column in [8, 4, 3, 2] {
        if table
            .rows
            .iter()
            .all(|row| row[column].value.unwrap_or(0.0) == 0.0)
        {
            table.drop_column(column);
        }
    }
    table
}

/// Lists the cases that only one engine solves; `None` if there are none.
pub fn unique(results: &PlotData<'_>) -> Option<PlotTable> {
    let heads = [
        "engine",
        "model",
        "property",
        "answer",
        results.measure.title(),
        "formula",
    ];
    let mut table = PlotTable::new("unique", "Solved by one engine only", "", &heads);
    for case in &results.cases {
        if let Some((engine, cost)) = only_solver(case).and_then(|e| Some((e, case.solved(e)?))) {
            table.rows.push(vec![
                TableCell::text(&results.engines[engine]),
                TableCell::text(&case.about.model),
                TableCell::text(&case.about.property),
                TableCell::text(case.class.word()),
                TableCell::number(cost, results.measure.unit().show(cost)),
                TableCell::text(case.about.formula.as_deref().unwrap_or("")),
            ]);
        }
    }
    table.rows.sort_by(|a, b| a[0].text.cmp(&b[0].text));
    (results.engines.len() > 1 && !table.rows.is_empty()).then_some(table)
}

/// Returns the engine that solves a case if it is the only one.
fn only_solver(case: &PlotCase<'_>) -> Option<usize> {
    let mut solutions = case.solutions();
    let (engine, _) = solutions.next()?;
    solutions.next().is_none().then_some(engine)
}

fn figures(
    results: &PlotData<'_>,
    name: &str,
    cost: &dyn Fn(&PlotCase<'_>) -> Option<f64>,
) -> Vec<TableCell> {
    let count = |class: Option<AnswerClass>| {
        let of_class = results
            .cases
            .iter()
            .filter(|c| class.is_none_or(|class| c.class == class));
        TableCell::count(of_class.filter(|case| cost(case).is_some()).count())
    };
    let unit = results.measure.unit();
    let sum: f64 = results.cases.iter().filter_map(cost).sum();
    let mut row = vec![
        TableCell::text(name),
        count(None),
        count(Some(AnswerClass::Holds)),
        count(Some(AnswerClass::Violated)),
        count(Some(AnswerClass::Counted)),
        TableCell::number(sum, unit.show(sum)),
    ];
    row.push(match unit {
        MeasureUnit::Seconds if !results.cases.is_empty() => {
            let penalty = |case: &PlotCase<'_>| 2.0 * case.about.limits.seconds;
            let all = results
                .cases
                .iter()
                .map(|case| cost(case).unwrap_or_else(|| penalty(case)));
            let mean = all.sum::<f64>() / results.cases.len() as f64;
            TableCell::number(mean, unit.show(mean))
        }
        _ => TableCell::default(),
    });
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobOutcome;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;

    #[test]
    fn virtual_best_solves_the_union() {
        let records = [
            record("a", "p", JobOutcome::Holds, 1.0),
            record("b", "p", JobOutcome::Holds, 2.0),
            record("a", "q", JobOutcome::Time, 10.0),
            record("b", "q", JobOutcome::Violated, 4.0),
            record("a", "r", JobOutcome::Time, 10.0),
            record("b", "r", JobOutcome::Memory, 10.0),
        ];
        let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
        let table = portfolio(&results);
        let row =
            |i: usize| -> Vec<&str> { table.rows[i].iter().map(|c| c.text.as_str()).collect() };
        // The limit is 10 s: a failure counts 20 s.
        assert_eq!(row(0), ["a", "1", "1", "0", "0", "1", "1 s", "13.7 s"]);
        assert_eq!(row(1), ["b", "2", "1", "1", "1", "1", "6 s", "8.67 s"]);
        assert_eq!(
            row(2),
            ["virtual best", "2", "1", "1", "", "", "5 s", "8.33 s"]
        );
        assert_eq!(unique(&results).unwrap().rows.len(), 1);
    }
}
