//! Lists of the contradicting answers and of all runs.

use super::results::Results;
use super::table::{Cell, Table};
use crate::Record;

/// Lists the contradicting answers; `None` if there are none.
pub fn contradictions(results: &Results<'_>) -> Option<Table> {
    let heads = [
        "model",
        "property",
        "engine",
        "answer",
        "contradicted by",
        "command",
    ];
    let note = "These answers contradict a known answer or, if there is none, each other. Plots and tables do not count them as solved.";
    let mut table = Table::new("contradictions", "Contradictions", note, &heads);
    table.is_alarm = true;
    for found in &results.contradictions {
        let record = found.record;
        table.rows.push(vec![
            Cell::text(&record.model),
            Cell::text(&record.property),
            Cell::text(&record.engine),
            Cell::text(record.answer.as_deref().unwrap_or(record.outcome.word())),
            Cell::text(&found.against),
            Cell::text(command(record)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Lists all runs, one per line, as input of other programs.
pub fn cases(results: &Results<'_>) -> Table {
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
    let mut table = Table::new("runs", "All runs", "", &heads);
    for case in &results.cases {
        for (engine, run) in results.engines.iter().zip(&case.runs) {
            let Some(run) = run else { continue };
            let record = run.record;
            let seconds = |value: f64| Cell::number(value, format!("{value:.3}"));
            table.rows.push(vec![
                Cell::text(&record.campaign),
                Cell::text(&record.family),
                Cell::text(&record.model),
                Cell::text(&record.property),
                Cell::text(&record.group),
                Cell::text(case.class.word()),
                Cell::text(engine),
                Cell::text(run.word()),
                seconds(record.cpu),
                seconds(record.wall),
                Cell::number(record.peak_bytes as f64, record.peak_bytes.to_string()),
                record.engine_seconds.map_or_else(Cell::default, seconds),
                Cell::count(run.repetitions),
                Cell::text(&record.job),
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
