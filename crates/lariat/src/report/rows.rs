//! Rows of a run: columns that fit a width, and long parts that are folded.

use std::fmt::Write as _;

/// The form in which a run is printed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RunLayout {
    /// Print whole states, and all steps.
    pub full: bool,
    /// Limit on the characters per line; cells that do not fit are wrapped.
    pub width: Option<usize>,
    /// The option that shows omitted values and steps, if the reader has one.
    pub option: Option<&'static str>,
}

impl RunLayout {
    /// `; --full shows them`, if there is such an option.
    pub(crate) fn advice(&self, what: &str) -> String {
        match self.option {
            Some(option) => format!("; {option} shows {what}"),
            None => String::new(),
        }
    }
}

/// Limit on the steps of the prefix and of the loop that are printed, unless all are requested.
const STEPS: usize = 40;
/// Limit on the width of the state column without a limit on the line; longer states push the
/// event to the right.
const STATE_WIDTH: usize = 56;
/// Minimum width of a column.
const NARROWEST: usize = 8;

/// A line of a table.
pub(super) enum TableLine {
    /// Mark and position, then the true atoms, the state, and the event.
    Row { margin: String, cells: [String; 3] },
    /// A remark that stands between rows.
    Remark(String),
}

/// Writes rows as columns; cells are wrapped if they exceed the width.
pub(super) fn write_rows(out: &mut String, lines: &[TableLine], width: Option<usize>) {
    let rows = || {
        lines.iter().filter_map(|line| match line {
            TableLine::Row { margin, cells } => Some((margin, cells)),
            TableLine::Remark(_) => None,
        })
    };
    let widest = |i: usize| rows().map(|(_, cells)| cells[i].chars().count()).max();
    let widest = |i: usize| widest(i).unwrap_or(0);
    let natural = [widest(0), widest(1), widest(2)];
    let margin = rows().map(|(margin, _)| margin.chars().count()).max();
    let margin = margin.unwrap_or(0) + 2;
    // Blanks after the letters, and the arrow before the event.
    let between = if natural[0] > 0 { 2 } else { 0 } + 4;
    let is_too_wide = |width: &usize| margin + between + natural.iter().sum::<usize>() > *width;
    let (widths, wraps) = match width.filter(is_too_wide) {
        Some(width) => (
            shared(natural, width.saturating_sub(margin + between)),
            true,
        ),
        None => ([natural[0], natural[1].min(STATE_WIDTH), natural[2]], false),
    };
    for line in lines {
        let (head, cells) = match line {
            TableLine::Row { margin, cells } => (margin, cells),
            TableLine::Remark(text) => {
                let _ = writeln!(out, "{text}");
                continue;
            }
        };
        let lines = |i: usize| match wraps {
            true => wrapped(&cells[i], widths[i]),
            false => vec![cells[i].clone()],
        };
        let columns = [lines(0), lines(1), lines(2)];
        let height = columns.iter().map(Vec::len).max().unwrap_or(1);
        for line in 0..height {
            let cell = |i: usize| columns[i].get(line).map_or("", String::as_str);
            let (head, arrow) = match line {
                0 => (head.as_str(), "→"),
                _ => ("", " "),
            };
            let letters = match natural[0] {
                0 => String::new(),
                _ => format!("{:width$}  ", cell(0), width = widths[0]),
            };
            let text = format!(
                "{head:margin$}{letters}{:width$}  {arrow} {}",
                cell(1),
                cell(2),
                width = widths[1]
            );
            let _ = writeln!(out, "{}", text.trim_end());
        }
    }
}

/// Divides a width among columns: narrow columns get their natural width, the others equal shares.
fn shared(natural: [usize; 3], width: usize) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by_key(|i| natural[*i]);
    let (mut widths, mut left) = (natural, width);
    for (nth, i) in order.into_iter().enumerate() {
        let share = (left / (3 - nth)).max(NARROWEST);
        widths[i] = natural[i].min(share);
        left = left.saturating_sub(widths[i]);
    }
    widths
}

/// The lines of a text, broken at blanks, and inside of words that are longer than a line.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for (i, word) in text.split(' ').enumerate() {
        let mut letters: Vec<char> = word.chars().collect();
        if i > 0 && used + 1 + letters.len() <= width {
            line.push(' ');
            used += 1;
        } else if i > 0 {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        while letters.len() > width {
            let rest = letters.split_off(width);
            lines.push(String::from_iter(&letters));
            letters = rest;
        }
        line.extend(&letters);
        used += letters.len();
    }
    lines.push(line);
    lines
}

/// Writes a text after `head`; further lines are indented by the width of `head`.
pub(crate) fn write_line(out: &mut String, head: &str, text: &str, width: Option<usize>) {
    let indent = head.chars().count();
    let lines = match width {
        Some(width) => wrapped(text, width.saturating_sub(indent).max(NARROWEST)),
        None => vec![text.to_owned()],
    };
    let text = lines.join(&format!("\n{:indent$}", ""));
    let _ = writeln!(out, "{}", format!("{head}{text}").trim_end());
}

/// The steps of a part that are omitted: those in the middle of a long one, except one that must be
/// visible.
pub(crate) fn folded(
    steps: std::ops::Range<usize>,
    visible: Option<usize>,
    layout: &RunLayout,
) -> std::ops::Range<usize> {
    let nothing = steps.start..steps.start;
    if layout.full || steps.len() <= STEPS {
        return nothing;
    }
    let middle = steps.start + STEPS / 2..steps.end - STEPS / 2;
    match visible {
        Some(at) if middle.contains(&at) => {
            let (before, after) = (middle.start..at, at + 1..middle.end);
            if before.len() > after.len() {
                before
            } else {
                after
            }
        }
        _ => middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(margin: &str, cells: [&str; 3]) -> TableLine {
        TableLine::Row {
            margin: margin.to_owned(),
            cells: cells.map(str::to_owned),
        }
    }

    #[test]
    fn cells_are_wrapped_to_the_width() {
        let state = "one two three four five six seven";
        let rows = [
            row("   0", ["a", state, "an_event_with_a_long_name"]),
            row("   1", ["·", "+x", "t"]),
        ];
        let mut text = String::new();
        write_rows(&mut text, &rows, Some(40));
        assert!(
            text.lines().all(|line| line.chars().count() <= 40),
            "{text}"
        );
        let words: Vec<&str> = text.split_whitespace().collect();
        for word in state.split(' ') {
            assert!(words.contains(&word), "{word} in\n{text}");
        }
        text.clear();
        write_rows(&mut text, &rows, None);
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn words_are_broken_only_if_they_exceed_a_line() {
        assert_eq!(wrapped("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    #[test]
    fn the_middle_of_long_parts_is_folded() {
        let layout = RunLayout::default();
        assert!(folded(5..45, None, &layout).is_empty());
        assert_eq!(folded(0..100, None, &layout), 20..80);
        assert_eq!(folded(0..100, Some(30), &layout), 31..80);
        let full = RunLayout {
            full: true,
            ..layout
        };
        assert!(folded(0..100, None, &full).is_empty());
    }
}
