//! Lists of the contradicting answers and of all runs.

use super::results::PlotData;
use super::table::{PlotTable, TableCell};
use crate::Record;

/// Lists the contradicting answers; `None` if there are none.
pub fn contradictions(results: &PlotData<'_>) -> Option<PlotTable> {
    let heads = [
        "model",
        "property",
        "engine",
        "answer",
        "contradicted by",
        "command",
    ];
    let note = "These answers contradict a known answer or, if there is none, each other. Plots and tables do not count them as solved.";
    let mut table = PlotTable::new("contradictions", "Contradictions", note, &heads);
    table.is_alarm = true;
    for found in &results.contradictions {
        let record = found.record;
        table.rows.push(vec![
            TableCell::text(&record.model),
            TableCell::text(&record.property),
            TableCell::text(&record.engine),
            TableCell::text(record.answer.as_deref().unwrap_or(record.outcome.word())),
            TableCell::text(&found.against),
            TableCell::text(command(record)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Lists all runs, one per line, as input of other programs.
pub fn cases(results: &PlotData<'_>) -> PlotTable {
    let heads = [
        "campaign",
        "family",
        "model",
        "property",
        "group",
        "answer",
        "engine",
        "outcome",
        "cpu",
        "wall",
        "memory",
        "engine seconds",
        "repetitions",
        "job",
    ];
    let mut table = PlotTable::new("runs", "All runs", "", &heads);
    for case in &results.cases {
        for (engine, run) in results.engines.iter().zip(&case.runs) {
            let Some(run) = run else { continue };
            let record = run.record;
            let seconds = |value: f64| TableCell::number(value, format!("{value:.3}"));
            table.rows.push(vec![
                TableCell::text(&record.campaign),
                TableCell::text(&record.family),
                TableCell::text(&record.model),
                TableCell::text(&record.property),
                TableCell::text(&record.group),
                TableCell::text(case.class.word()),
                TableCell::text(engine),
                TableCell::text(run.word()),
                seconds(record.cpu),
                seconds(record.wall),
                TableCell::number(record.peak_bytes as f64, record.peak_bytes.to_string()),
                record
                    .engine_seconds
                    .map_or_else(TableCell::default, seconds),
                TableCell::count(run.repetitions),
                TableCell::text(&record.job),
            ]);
        }
    }
    table
}

/// Returns the shell command that repeats a job.
pub fn command(record: &Record) -> String {
    let program = record.program.as_deref().unwrap_or("lariat");
    let words = std::iter::once(program).chain(record.command.iter().map(String::as_str));
    words.map(quote).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::plain;

    #[test]
    fn commands_can_be_pasted() {
        let mut record = plain();
        record.command = ["check", "a b.pnml", "-f", "G \"it's\"", ""]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(
            command(&record),
            r#"lariat check 'a b.pnml' -f 'G "it'\''s"' ''"#
        );
    }
}
