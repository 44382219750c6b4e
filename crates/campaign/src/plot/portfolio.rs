//! The engines as a portfolio: the virtual best engine and the unique solves of each engine.
//!
//! The virtual best engine (VBS) answers every case at the cost of the best engine. It would lose
//! the unique solves of an engine without that engine. The penalised mean (PAR-2) counts a case
//! without an answer, refusals included, as twice the time limit. It is defined only for times.

use super::measure::Unit;
use super::results::{Case, Class, Results};
use super::table::{Cell, Table};

/// Builds the table of the engines and the virtual best engine.
pub fn portfolio(results: &Results<'_>) -> Table {
    let title = results.measure.title();
    let sum = format!("{title} of solved cases");
    let heads = [
        "engine", "solved", "holds", "violated", "counted", "unique", "fastest", &sum, "PAR-2",
    ];
    let note = "Unique: solved by no other engine. Fastest: the best of all that succeeded, ties included. \
                PAR-2: mean over all cases, those without an answer counted as twice the time limit. Virtual best: the best \
                engine for each case.";
    let mut table = Table::new("portfolio", "Virtual best and unique solves", note, &heads);
    let best = |case: &Case<'_>| case.solutions().map(|s| s.1).min_by(f64::total_cmp);
    for engine in 0..results.engines.len() {
        let cost = |case: &Case<'_>| case.solved(engine);
        let mut row = figures(results, &results.engines[engine], &cost);
        row.insert(
            5,
            Cell::count(
                results
                    .cases
                    .iter()
                    .filter(|c| only_solver(c) == Some(engine))
                    .count(),
            ),
        );
        let is_fastest = |case: &&Case<'_>| match (case.solved(engine), best(case)) {
            (Some(own), Some(best)) => results.measure.is_tie(own, best),
            _ => false,
        };
        row.insert(
            6,
            Cell::count(results.cases.iter().filter(is_fastest).count()),
        );
        table.rows.push(row);
    }
    let mut row = figures(results, "virtual best", &best);
    row.splice(5..5, [Cell::default(), Cell::default()]);
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
pub fn unique(results: &Results<'_>) -> Option<Table> {
    let heads = [
        "engine",
        "model",
        "property",
        "answer",
        results.measure.title(),
        "formula",
    ];
    let mut table = Table::new("unique", "Solved by one engine only", "", &heads);
    for case in &results.cases {
        if let Some((engine, cost)) = only_solver(case).and_then(|e| Some((e, case.solved(e)?))) {
            table.rows.push(vec![
                Cell::text(&results.engines[engine]),
                Cell::text(&case.about.model),
                Cell::text(&case.about.property),
                Cell::text(case.class.word()),
                Cell::number(cost, results.measure.unit().show(cost)),
                Cell::text(case.about.formula.as_deref().unwrap_or("")),
            ]);
        }
    }
    table.rows.sort_by(|a, b| a[0].text.cmp(&b[0].text));
    (results.engines.len() > 1 && !table.rows.is_empty()).then_some(table)
}

/// Returns the engine that solves a case if it is the only one.
fn only_solver(case: &Case<'_>) -> Option<usize> {
    let mut solutions = case.solutions();
    let (engine, _) = solutions.next()?;
    solutions.next().is_none().then_some(engine)
}

fn figures(
    results: &Results<'_>,
    name: &str,
    cost: &dyn Fn(&Case<'_>) -> Option<f64>,
) -> Vec<Cell> {
    let count = |class: Option<Class>| {
        let of_class = results
            .cases
            .iter()
            .filter(|c| class.is_none_or(|class| c.class == class));
        Cell::count(of_class.filter(|case| cost(case).is_some()).count())
    };
    let unit = results.measure.unit();
    let sum: f64 = results.cases.iter().filter_map(cost).sum();
    let mut row = vec![
        Cell::text(name),
        count(None),
        count(Some(Class::Holds)),
        count(Some(Class::Violated)),
        count(Some(Class::Counted)),
        Cell::number(sum, unit.show(sum)),
    ];
    row.push(match unit {
        Unit::Seconds if !results.cases.is_empty() => {
            let penalty = |case: &Case<'_>| 2.0 * case.about.limits.seconds;
            let all = results
                .cases
                .iter()
                .map(|case| cost(case).unwrap_or_else(|| penalty(case)));
            let mean = all.sum::<f64>() / results.cases.len() as f64;
            Cell::number(mean, unit.show(mean))
        }
        _ => Cell::default(),
    });
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;

    #[test]
    fn virtual_best_solves_the_union() {
        let records = [
            record("a", "p", Outcome::Holds, 1.0),
            record("b", "p", Outcome::Holds, 2.0),
            record("a", "q", Outcome::Time, 10.0),
            record("b", "q", Outcome::Violated, 4.0),
            record("a", "r", Outcome::Time, 10.0),
            record("b", "r", Outcome::Memory, 10.0),
        ];
        let results = Results::new(&records, &[], Measure::Cpu, 0.0);
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
