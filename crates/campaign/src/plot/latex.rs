//! Tables as LaTeX: a `tabular` with rules, to be included by `\input`.

use super::table::PlotTable;

/// Renders the heads and the rows, with title and note as comments.
pub fn latex(table: &PlotTable) -> String {
    let mut out = format!("% {}\n", comment(&table.title));
    if !table.note.is_empty() {
        out += &format!("% {}\n", comment(&table.note));
    }
    let align = |i| if table.is_numeric(i) { 'r' } else { 'l' };
    let columns: String = (0..table.heads.len()).map(align).collect();
    out += &format!("\\begin{{tabular}}{{{columns}}}\n\\hline\n");
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    out += &line(table.heads.iter().map(|head| plain(head)).collect());
    out += "\\hline\n";
    for row in &table.rows {
        out += &line(row.iter().map(|cell| plain(&cell.text)).collect());
    }
    out + "\\hline\n\\end{tabular}\n"
}

fn comment(text: &str) -> String {
    let line = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(line).collect()
}

/// Escapes special characters, and replaces control characters by blanks.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' => out += "$<$",
            '>' => out += "$>$",
            '|' => out += "$|$",
            '×' => out += "$\\times$",
            '–' => out += "--",
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
    fn special_characters_are_escaped() {
        let mut table = PlotTable::new("t", "T\nU", "");
        let name = TableCell::text("a_b & 5 %");
        table.add([("name", name), ("n", TableCell::count(3))]);
        assert_eq!(
            latex(&table),
            "% T U\n\\begin{tabular}{lr}\n\\hline\nname & n \\\\\n\\hline\n\
             a\\_b \\& 5 \\% & 3 \\\\\n\\hline\n\\end{tabular}\n"
        );
    }
}
