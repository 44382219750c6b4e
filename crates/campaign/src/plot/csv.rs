//! Tables as CSV (RFC 4180): numbers in full precision, text quoted if necessary.

use super::table::PlotTable;

/// Renders the heads and the rows.
pub fn csv(table: &PlotTable) -> String {
    let heads: Vec<String> = table.heads.iter().map(|head| quote(head)).collect();
    let mut out = heads.join(",") + "\n";
    for row in &table.rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| match cell.value {
                Some(value) => value.to_string(),
                None => quote(&cell.text),
            })
            .collect();
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

fn quote(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::plot::table::TableCell;

    /// Parses CSV.
    pub(crate) fn parse(text: &str) -> Vec<Vec<String>> {
        let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
        let mut quoted = false;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (quoted, c) {
                (true, '"') if chars.peek() == Some(&'"') => field.extend(chars.next()),
                (_, '"') => quoted = !quoted,
                (false, ',') => row.push(std::mem::take(&mut field)),
                (false, '\n') => {
                    row.push(std::mem::take(&mut field));
                    rows.push(std::mem::take(&mut row));
                }
                (_, c) => field.push(c),
            }
        }
        assert!(!quoted && row.is_empty() && field.is_empty());
        rows
    }

    #[test]
    fn csv_can_be_parsed_back() {
        let names = ["plain", "a,b", "say \"yes\"", "two\nlines", " space "];
        let mut table = PlotTable::new("t", "T", "");
        for name in names {
            let value = TableCell::number(0.125, "125 ms");
            table.add([("na\"me", TableCell::text(name)), ("n", value)]);
        }
        let rows = parse(&csv(&table));
        assert_eq!(rows[0], ["na\"me", "n"]);
        for (row, name) in rows[1..].iter().zip(names) {
            assert_eq!(row, &[name, "0.125"]);
        }
    }
}
