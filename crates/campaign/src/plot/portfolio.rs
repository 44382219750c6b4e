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
    let note = "Unique: solved by no other engine. Fastest: the best of all that succeeded, ties included. \
                PAR-2: mean over all cases, those without an answer counted as twice the time limit. Virtual best: the best \
                engine for each case.";
    let mut table = PlotTable::new("portfolio", "Virtual best and unique solves", note);
    for engine in (0..results.engines.len()).map(Some).chain([None]) {
        row(results, engine, &mut table);
    }
    for column in [8, 4, 3, 2] {
        let is_zero = |row: &Vec<TableCell>| row[column].value.unwrap_or(0.0) == 0.0;
        if table.rows.iter().all(is_zero) {
            table.drop_column(column);
        }
    }
    table
}

/// Adds the row of an engine, or of the virtual best one.
fn row(results: &PlotData<'_>, engine: Option<usize>, table: &mut PlotTable) {
    let best = |case: &PlotCase<'_>| case.solutions().map(|s| s.1).min_by(f64::total_cmp);
    let cost = |case: &PlotCase<'_>| engine.map_or_else(|| best(case), |e| case.solved(e));
    let number = |is: &dyn Fn(&PlotCase<'_>) -> bool| {
        TableCell::count(results.cases.iter().filter(|case| is(case)).count())
    };
    let of = |class| number(&|case| case.class == class && cost(case).is_some());
    let is_fastest = |case: &PlotCase<'_>| match (cost(case), best(case)) {
        (Some(own), Some(best)) => results.measure.is_tie(own, best),
        _ => false,
    };
    let (unique, fastest) = match engine {
        Some(_) => (
            number(&|case| only_solver(case) == engine),
            number(&is_fastest),
        ),
        None => (TableCell::default(), TableCell::default()),
    };
    let penalised = match results.measure.unit() {
        MeasureUnit::Seconds if !results.cases.is_empty() => {
            let penalty = |case: &PlotCase<'_>| 2.0 * case.about.limits.seconds;
            let all = results.cases.iter();
            let all = all.map(|case| cost(case).unwrap_or_else(|| penalty(case)));
            results.cost(all.sum::<f64>() / results.cases.len() as f64)
        }
        _ => TableCell::default(),
    };
    let name = engine.map_or("virtual best", |engine| &results.engines[engine]);
    let sum = format!("{} of solved cases", results.measure.title());
    table.add([
        ("engine", TableCell::text(name)),
        ("solved", number(&|case| cost(case).is_some())),
        ("holds", of(AnswerClass::Holds)),
        ("violated", of(AnswerClass::Violated)),
        ("counted", of(AnswerClass::Counted)),
        ("unique", unique),
        ("fastest", fastest),
        (
            &sum,
            results.cost(results.cases.iter().filter_map(cost).sum()),
        ),
        ("PAR-2", penalised),
    ]);
}

/// Lists the cases that only one engine solves; `None` if there are none.
pub fn unique(results: &PlotData<'_>) -> Option<PlotTable> {
    let mut table = PlotTable::new("unique", "Solved by one engine only", "");
    for case in &results.cases {
        if let Some(engine) = only_solver(case)
            && let Some(cost) = case.solved(engine)
        {
            table.add([
                ("engine", TableCell::text(&results.engines[engine])),
                ("model", TableCell::text(&case.about.model)),
                ("property", TableCell::text(&case.about.property)),
                ("answer", TableCell::text(case.class.word())),
                (results.measure.title(), results.cost(cost)),
                (
                    "formula",
                    TableCell::text(case.about.formula.as_deref().unwrap_or("")),
                ),
            ]);
        }
    }
    table.rows.sort_by(|a, b| a[0].text.cmp(&b[0].text));
    table.filled().filter(|_| results.engines.len() > 1)
}

/// Returns the engine that solves a case if it is the only one.
fn only_solver(case: &PlotCase<'_>) -> Option<usize> {
    let mut solutions = case.solutions();
    let (engine, _) = solutions.next()?;
    solutions.next().is_none().then_some(engine)
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
        // The limit is 10 s: a failure counts 20 s.
        let a = ["a", "1", "1", "0", "0", "1", "1 s", "13.7 s"];
        let b = ["b", "2", "1", "1", "1", "1", "6 s", "8.67 s"];
        let best = ["virtual best", "2", "1", "1", "", "", "5 s", "8.33 s"];
        assert_eq!(table.texts(), [a, b, best]);
        assert_eq!(unique(&results).unwrap().rows.len(), 1);
    }
}
