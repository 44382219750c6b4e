//! Sizes of automata and products (tables 1 and 2 of the paper on generalized testing automata).
//!
//! Per model, group of properties and kind of automaton there is a row of means and a row of
//! maxima, with columns for verified and violated properties. A case that some kind did not solve
//! is omitted for all kinds. Sizes of complete products are shown if records have them
//! (`full_states`, `full_edges`), because a check that finds a counterexample explores only a part.
//! Transitions of testing automata are counted per change set, as in the paper; edges of other
//! automata are labelled by formulas over the propositions and counted once each.

use super::results::{AnswerClass, PlotData};
use super::table::{PlotTable, TableCell};
use crate::Record;
use lariat::internals::Statistic;
use std::collections::BTreeSet;

/// A column of the table: its head and the statistics to use, the first that a record has.
type Column = (&'static str, &'static [Statistic]);

const COLUMNS: [Column; 6] = [
    ("automaton st.", &[Statistic::AUTOMATON_STATES]),
    (
        "automaton tr.",
        &[Statistic::TESTING_TRANSITIONS, Statistic::AUTOMATON_EDGES],
    ),
    ("product st.", &[Statistic::FULL_STATES]),
    ("product tr.", &[Statistic::FULL_EDGES]),
    ("explored st.", &[Statistic::PRODUCT_STATES]),
    ("explored tr.", &[Statistic::PRODUCT_EDGES]),
];

/// An aggregate function with its name.
type Summary = (&'static str, fn(&[f64]) -> f64);

const MEAN: Summary = ("avg", |figures| {
    figures.iter().sum::<f64>() / figures.len() as f64
});
const LARGEST: Summary = ("max", |figures| figures.iter().copied().fold(0.0, f64::max));
const SUM: Summary = ("sum", |figures| figures.iter().sum());

/// Builds the table; `None` if no engine with a testing automaton has solved a case. Symbolic
/// engines are omitted, because their products are not comparable.
pub fn testing(results: &PlotData<'_>) -> Option<PlotTable> {
    let kinds: Vec<usize> = (0..results.engines.len())
        .filter(|&engine| {
            let runs = results.cases.iter().filter_map(|case| case.runs[engine]);
            let solved = runs.filter(|run| run.solved().is_some());
            let mut records = solved.map(|run| run.record).peekable();
            let is_explicit = |r: &Record| {
                r.stat(Statistic::PRODUCT_EDGES).is_some()
                    && r.stat(Statistic::AGGREGATES).is_none()
            };
            records.peek().is_some() && records.all(is_explicit)
        })
        .collect();
    let finished: Vec<(&Record, AnswerClass, Vec<&Record>)> = results
        .cases
        .iter()
        .filter(|case| kinds.iter().all(|&kind| case.solved(kind).is_some()))
        .map(|case| {
            let records = kinds
                .iter()
                .filter_map(|&kind| Some(case.runs[kind]?.record));
            (case.about, case.class, records.collect())
        })
        .collect();
    let mut records = finished.iter().flat_map(|(_, _, records)| records);
    if !records.any(|record| record.stat(Statistic::TESTING_TRANSITIONS).is_some()) {
        return None;
    }

    let omitted = results.cases.len() - finished.len();
    let note = format!(
        "Sizes of the automaton of the negated property, of the complete product if known, and of the part that the \
         check explored (in both passes, if there are two); T: time of the engine. {omitted} cases that some \
         kind did not solve are omitted for all kinds."
    );
    let mut table = PlotTable::new("testing-automata", "Automata and products", note);

    let groups: BTreeSet<(&str, &str)> = finished
        .iter()
        .map(|(about, ..)| (about.model.as_str(), about.group.as_str()))
        .collect();
    let mut add = |model: Option<(&str, &str)>, summaries: &[Summary]| {
        for (position, &kind) in kinds.iter().enumerate() {
            let member = |class: AnswerClass| -> Vec<&Record> {
                let is = |a: &Record| model.is_none_or(|model| model == (&a.model, &a.group));
                let own = finished
                    .iter()
                    .filter(|(about, c, _)| *c == class && is(about));
                own.filter_map(|(_, _, records)| records.get(position).copied())
                    .collect()
            };
            let (name, group) = model.unwrap_or(("all models", ""));
            for summary in summaries {
                let mut row = vec![
                    ("model".to_owned(), TableCell::text(name)),
                    ("group".to_owned(), TableCell::text(group)),
                    ("engine".to_owned(), TableCell::text(&results.engines[kind])),
                    ("figure".to_owned(), TableCell::text(summary.0)),
                ];
                row.extend(figures("verified", &member(AnswerClass::Holds), summary.1));
                row.extend(figures(
                    "violated",
                    &member(AnswerClass::Violated),
                    summary.1,
                ));
                table.add(row);
            }
        }
    };
    for &group in &groups {
        add(Some(group), &[MEAN, LARGEST]);
    }
    add(None, &[SUM, MEAN, LARGEST]);
    table.drop_empty();
    Some(table)
}

/// Returns states and transitions of the complete product, or of the explored part.
pub(super) fn product_size(record: &Record) -> [Option<f64>; 2] {
    [
        [Statistic::FULL_STATES, Statistic::PRODUCT_STATES],
        [Statistic::FULL_EDGES, Statistic::PRODUCT_EDGES],
    ]
    .map(|stats| stats.iter().find_map(|stat| record.stat(*stat)))
}

fn figures(
    side: &str,
    records: &[&Record],
    summary: fn(&[f64]) -> f64,
) -> Vec<(String, TableCell)> {
    let figure = |of: &dyn Fn(&Record) -> Option<f64>, digits: usize| {
        let all: Option<Vec<f64>> = records.iter().map(|record| of(record)).collect();
        let cell = |all: Vec<f64>| {
            let value = summary(&all);
            TableCell::number(value, format!("{value:.digits$}"))
        };
        all.filter(|all| !all.is_empty())
            .map(cell)
            .unwrap_or_default()
    };
    let number = match records.len() {
        0 => TableCell::default(),
        n => TableCell::count(n),
    };
    let mut cells = vec![(format!("{side}: n"), number)];
    for (head, stats) in COLUMNS {
        let of = |record: &Record| stats.iter().find_map(|stat| record.stat(*stat));
        cells.push((format!("{side}: {head}"), figure(&of, 0)));
    }
    let seconds = figure(&|record| record.engine_seconds, 3);
    cells.push((format!("{side}: T (s)"), seconds));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobOutcome;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;
    use serde_json::json;

    #[test]
    fn cases_unsolved_by_one_kind_are_omitted_for_all() {
        let with = |engine: &str, property: &str, outcome: JobOutcome, edges: u64| {
            let mut record = record(engine, property, outcome, 1.0);
            let stats = match engine {
                "explicit" => {
                    json!({"automaton_states": 2, "automaton_edges": 3, "product_states": 5, "product_edges": edges})
                }
                "slap" => json!({"aggregates": 4, "product_states": 1, "product_edges": 1}),
                _ => {
                    json!({"automaton_states": 4, "automaton_edges": 7, "testing_transitions": 8, "product_states": 6, "product_edges": edges})
                }
            };
            record.stats = stats.as_object().unwrap().clone();
            record
        };
        let records = [
            with("explicit", "p", JobOutcome::Holds, 10),
            with("tgta", "p", JobOutcome::Holds, 8),
            with("slap", "p", JobOutcome::Time, 8),
            with("explicit", "q", JobOutcome::Holds, 30),
            with("tgta", "q", JobOutcome::Holds, 20),
            with("explicit", "r", JobOutcome::Holds, 1000),
            with("tgta", "r", JobOutcome::Time, 1),
        ];
        let table = testing(&PlotData::new(&records, &[], Measure::Cpu, 0.0)).unwrap();
        let texts: Vec<String> = table.texts().iter().map(|row| row.join(" ")).collect();
        assert_eq!(texts[0], "kanban-5 random explicit avg 2 2 3 5 20 0.400");
        assert_eq!(texts[3], "kanban-5 random tgta max 2 4 8 6 20 0.400");
        assert_eq!(texts[4], "all models  explicit sum 2 4 6 10 40 0.800");
        assert_eq!(texts.len(), 10);
        let single = PlotData::new(&records, &["explicit".to_owned()], Measure::Cpu, 0.0);
        assert_eq!(testing(&single), None);
    }
}
