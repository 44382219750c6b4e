//! Tables as Markdown.

use super::table::PlotTable;

/// Renders a heading, a table and a note.
pub fn markdown(table: &PlotTable) -> String {
    let heads: Vec<String> = table.heads.iter().map(|head| plain(head)).collect();
    let rules: Vec<&str> = (0..heads.len())
        .map(|i| if table.is_numeric(i) { "---:" } else { "---" })
        .collect();
    let mut out = format!("## {}\n\n", plain(&table.title));
    out.push_str(&format!(
        "| {} |\n| {} |\n",
        heads.join(" | "),
        rules.join(" | ")
    ));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| plain(&cell.text)).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    if !table.note.is_empty() {
        out.push_str(&format!("\n{}\n", plain(&table.note)));
    }
    out
}

/// Escapes markup and cell separators, and replaces control characters by blanks.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '*' | '_' | '`' | '\\' | '[' | ']' | '<' | '#' | '~' | '&' => {
                out.extend(['\\', c])
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::table::TableCell;

    #[test]
    fn names_are_escaped() {
        let mut table = PlotTable::new("t", "T", "", &["name", "n"]);
        table
            .rows
            .push(vec![TableCell::text("a|b\n*c*"), TableCell::count(3)]);
        assert_eq!(
            markdown(&table),
            "## T\n\n| name | n |\n| --- | ---: |\n| a\\|b \\*c\\* | 3 |\n"
        );
    }
}
