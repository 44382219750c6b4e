//! Lists of the contradicting answers and of all runs.

use super::results::PlotData;
use super::table::{PlotTable, TableCell};
use crate::Record;

/// Lists the contradicting answers; `None` if there are none.
pub fn contradictions(results: &PlotData<'_>) -> Option<PlotTable> {
    let note = "These answers contradict a known answer or, if there is none, each other. Plots and tables do not count them as solved.";
    let mut table = PlotTable::new("contradictions", "Contradictions", note);
    table.is_alarm = true;
    for found in &results.contradictions {
        let record = found.record;
        let answer = record.answer.as_deref().unwrap_or(record.outcome.word());
        table.add([
            ("model", TableCell::text(&record.model)),
            ("property", TableCell::text(&record.property)),
            ("engine", TableCell::text(&record.engine)),
            ("answer", TableCell::text(answer)),
            ("contradicted by", TableCell::text(&found.against)),
            ("command", TableCell::text(command(record))),
        ]);
    }
    table.filled()
}

/// Lists all runs, one per line, as input of other programs.
pub fn cases(results: &PlotData<'_>) -> PlotTable {
    let mut table = PlotTable::new("runs", "All runs", "");
    for case in &results.cases {
        for (engine, run) in results.engines.iter().zip(&case.runs) {
            let Some(run) = run else { continue };
            let record = run.record;
            let seconds = |value: f64| TableCell::number(value, format!("{value:.3}"));
            let memory = record.peak_bytes;
            let engine_seconds = record.engine_seconds.map(seconds);
            table.add([
                ("campaign", TableCell::text(&record.campaign)),
                ("family", TableCell::text(&record.family)),
                ("model", TableCell::text(&record.model)),
                ("property", TableCell::text(&record.property)),
                ("group", TableCell::text(&record.group)),
                ("answer", TableCell::text(case.class.word())),
                ("engine", TableCell::text(engine)),
                ("outcome", TableCell::text(run.word())),
                ("cpu", seconds(record.cpu)),
                ("wall", seconds(record.wall)),
                (
                    "memory",
                    TableCell::number(memory as f64, memory.to_string()),
                ),
                ("engine seconds", engine_seconds.unwrap_or_default()),
                ("repetitions", TableCell::count(run.repetitions)),
                ("job", TableCell::text(&record.job)),
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
