//! Tables as Markdown.

use super::table::PlotTable;

/// Renders a heading, a table and a note.
pub fn markdown(table: &PlotTable) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = |i| if table.is_numeric(i) { "---:" } else { "---" };
    let mut out = format!("## {}\n\n", plain(&table.title));
    out += &line(table.heads.iter().map(|head| plain(head)).collect());
    out += &line((0..table.heads.len()).map(|i| rule(i).to_owned()).collect());
    for row in &table.rows {
        out += &line(row.iter().map(|cell| plain(&cell.text)).collect());
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
        let mut table = PlotTable::new("t", "T", "");
        let name = TableCell::text("a|b\n*c*");
        table.add([("name", name), ("n", TableCell::count(3))]);
        assert_eq!(
            markdown(&table),
            "## T\n\n| name | n |\n| --- | ---: |\n| a\\|b \\*c\\* | 3 |\n"
        );
    }
}
