//! Best, worst and failing engines (SLAP paper, table 2).
//!
//! Per group of properties and answer, the number of cases that an engine
//!
//! - *wins*: it has the best cost of all engines that succeed, or a tie with it;
//! - *loses*: it fails, or has the worst cost of the engines that succeed and another one is
//!   better;
//! - *fails* (these cases are also lost).
//!
//! A refusal is none of the three; the paper leaves the cells of such engines empty. If an engine
//! refuses some cases of a row and answers others, a separate line counts the refusals. Several
//! engines can win a case. In cases without an answer only failures are counted.

use super::measure::MeasureUnit;
use super::results::{AnswerClass, PlotCase, PlotData};
use super::table::{PlotTable, TableCell};

/// Counts of one engine over some cases.
#[derive(Clone, Copy, Default)]
pub(super) struct Score {
    pub attempted: usize,
    pub win: usize,
    pub lose: usize,
    pub fail: usize,
    refused: usize,
}

/// Builds the table.
pub fn win_lose_fail(results: &PlotData<'_>) -> PlotTable {
    let note = format!(
        "Win: the best {} of all engines that succeed (within 1 %{} of it). Lose: failed, or the worst of the \
         engines that succeed while another one is better. Fail: out of time or memory, or otherwise undecided. Refused: \
         the engine does not support the property or the model; none of the three. Percentages are of the cases.{}",
        results.measure.title(),
        match results.measure.unit() {
            MeasureUnit::Seconds => " or 1 ms",
            MeasureUnit::Bytes | MeasureUnit::Count => "",
        },
        match results.trivial {
            0 => String::new(),
            trivial => format!(" {trivial} trivial cases are omitted."),
        }
    );
    let mut table = PlotTable::new("win-lose-fail", "Win, lose, fail", note);
    for group in results.groups() {
        for class in AnswerClass::ALL {
            let cases = results.cases.iter();
            let cases: Vec<&PlotCase<'_>> = cases
                .filter(|case| case.class == class && case.about.group == group)
                .collect();
            if !cases.is_empty() {
                rows(results, group, class, &cases, &mut table);
            }
        }
    }
    // Omit the column of groups if it is empty.
    if results.groups().iter().all(|group| group.is_empty()) {
        table.drop_column(0);
    }
    table
}

fn rows(
    results: &PlotData<'_>,
    group: &str,
    class: AnswerClass,
    cases: &[&PlotCase<'_>],
    table: &mut PlotTable,
) {
    let scores: Vec<Score> = (0..results.engines.len())
        .map(|engine| score(results, engine, cases))
        .collect();
    let mut line = |word: &str, figure: &dyn Fn(&Score) -> usize| {
        let mut row = vec![
            ("group", TableCell::text(group)),
            ("answer", TableCell::text(class.word())),
            ("cases", TableCell::count(cases.len())),
            ("result", TableCell::text(word)),
        ];
        for (engine, score) in results.engines.iter().zip(&scores) {
            let share = || TableCell::share(figure(score), cases.len());
            let cell = (score.attempted > 0).then(share);
            row.push((engine, cell.unwrap_or_default()));
        }
        table.add(row);
    };
    if class != AnswerClass::Undecided {
        line("win", &|score| score.win);
        line("lose", &|score| score.lose);
    }
    line("fail", &|score| score.fail);
    let refuses_some = |score: &Score| score.refused > 0 && score.attempted > 0;
    if scores.iter().any(refuses_some) {
        line("refused", &|score| score.refused);
    }
}

/// Counts the results of one engine.
pub(super) fn score(results: &PlotData<'_>, engine: usize, cases: &[&PlotCase<'_>]) -> Score {
    let mut score = Score::default();
    for case in cases {
        let Some(run) = case.runs.get(engine).and_then(Option::as_ref) else {
            continue;
        };
        if run.is_refused() {
            score.refused += 1;
            continue;
        }
        score.attempted += 1;
        let Some(own) = run.solved() else {
            score.fail += 1;
            score.lose += 1;
            continue;
        };
        let costs = || case.solutions().map(|(_, value)| value);
        let best = costs().fold(f64::INFINITY, f64::min);
        let worst = costs().fold(0.0, f64::max);
        let is_tie = |other| results.measure.is_tie(own, other);
        score.win += usize::from(is_tie(best));
        score.lose += usize::from(is_tie(worst) && !is_tie(best));
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;
    use crate::{JobOutcome, Record};

    #[test]
    fn wins_losses_and_failures_are_counted() {
        use JobOutcome::{Holds, Refused, Time, Violated};
        let records: Vec<Record> = vec![
            record("a", "p", Holds, 1.0),
            record("b", "p", Holds, 2.0),
            record("c", "p", Refused, 0.0),
            // A tie.
            record("a", "q", Holds, 1.0),
            record("b", "q", Holds, 1.005),
            record("c", "q", Time, 10.0),
            record("a", "r", Violated, 4.0),
            record("b", "r", Violated, 3.0),
            record("c", "r", Violated, 2.0),
        ];
        let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
        let table = win_lose_fail(&results);
        let texts: Vec<String> = table.texts().iter().map(|row| row.join(" | ")).collect();
        let expected = [
            "random | holds | 2 | win | 2 (100 %) | 1 (50 %) | 0 (0 %)",
            "random | holds | 2 | lose | 0 (0 %) | 1 (50 %) | 1 (50 %)",
            "random | holds | 2 | fail | 0 (0 %) | 0 (0 %) | 1 (50 %)",
            "random | holds | 2 | refused | 0 (0 %) | 0 (0 %) | 1 (50 %)",
            "random | violated | 1 | win | 0 (0 %) | 0 (0 %) | 1 (100 %)",
            "random | violated | 1 | lose | 1 (100 %) | 0 (0 %) | 0 (0 %)",
            "random | violated | 1 | fail | 0 (0 %) | 0 (0 %) | 0 (0 %)",
        ];
        assert_eq!(texts, expected);
        // A single engine is the best and not the worst.
        let single = PlotData::new(&records, &["b".to_owned()], Measure::Cpu, 0.0);
        assert_eq!(win_lose_fail(&single).rows[1][4].value, Some(0.0));
    }
}
