//! Tables, independent of their output format.

/// A value and its text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TableCell {
    /// The text for display.
    pub text: String,
    /// The exact value, if it is a number.
    pub value: Option<f64>,
}

impl TableCell {
    pub fn text(text: impl Into<String>) -> TableCell {
        TableCell {
            text: text.into(),
            value: None,
        }
    }

    pub fn count(count: usize) -> TableCell {
        TableCell {
            text: count.to_string(),
            value: Some(count as f64),
        }
    }

    /// Creates a cell with a count and its percentage of `of`.
    pub fn share(count: usize, of: usize) -> TableCell {
        let percent = 100.0 * count as f64 / of.max(1) as f64;
        TableCell {
            text: format!("{count} ({percent:.0} %)"),
            value: Some(count as f64),
        }
    }

    /// Creates a cell with a number that the caller has formatted.
    pub fn number(value: f64, text: impl Into<String>) -> TableCell {
        TableCell {
            text: text.into(),
            // The empty sum is −0 in floating point.
            value: Some(value + 0.0),
        }
    }

    /// Creates a cell with `part` as a percentage of `whole`; empty if `whole` is not positive.
    pub fn percent(part: f64, whole: f64) -> TableCell {
        if whole > 0.0 {
            let percent = 100.0 * part / whole + 0.0;
            TableCell::number(percent, format!("{percent:.1} %"))
        } else {
            TableCell::default()
        }
    }
}

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct PlotTable {
    /// The name of its files.
    pub name: String,
    /// Its title.
    pub title: String,
    /// An explanation for the reader.
    pub note: String,
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// Rows of as many cells as there are heads.
    pub rows: Vec<Vec<TableCell>>,
    /// True for a table of errors, which is highlighted.
    pub is_alarm: bool,
}

impl PlotTable {
    /// Creates a table without rows.
    pub fn new(name: &str, title: &str, note: impl Into<String>) -> PlotTable {
        PlotTable {
            name: name.to_owned(),
            title: title.to_owned(),
            note: note.into(),
            heads: Vec::new(),
            rows: Vec::new(),
            is_alarm: false,
        }
    }

    /// Adds a row of cells with the heads of their columns, which are equal for all rows.
    pub fn add<H: Into<String>>(&mut self, row: impl IntoIterator<Item = (H, TableCell)>) {
        let row = row.into_iter().map(|(head, cell)| (head.into(), cell));
        let (heads, cells) = row.unzip();
        self.heads = heads;
        self.rows.push(cells);
    }

    /// Returns the table unless it has no rows.
    pub fn filled(self) -> Option<PlotTable> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// Returns the texts of all cells.
    pub fn texts(&self) -> Vec<Vec<&str>> {
        let rows = self.rows.iter();
        rows.map(|row| row.iter().map(|cell| cell.text.as_str()).collect())
            .collect()
    }

    /// Removes a column.
    pub fn drop_column(&mut self, column: usize) {
        self.heads.remove(column);
        for row in &mut self.rows {
            row.remove(column);
        }
    }

    /// Removes the columns without content.
    pub fn drop_empty(&mut self) {
        for column in (0..self.heads.len()).rev() {
            let is_empty = |row: &Vec<TableCell>| row[column] == TableCell::default();
            if self.rows.iter().all(is_empty) {
                self.drop_column(column);
            }
        }
    }

    /// Returns whether a column has only numbers and empty cells.
    pub fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.clone().any(|cell| cell.value.is_some())
            && cells.all(|cell| cell.value.is_some() || cell.text.is_empty())
    }

    /// Renders the table for a terminal, with aligned columns.
    pub fn lines(&self) -> String {
        let mut lines = vec![self.heads.iter().map(String::as_str).collect()];
        lines.extend(self.texts());
        let width = |i: usize| lines.iter().map(|line| line[i].chars().count()).max();
        let widths: Vec<usize> = (0..self.heads.len()).filter_map(width).collect();
        let mut out = String::new();
        for line in &lines {
            let mut text = String::new();
            for (i, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                if self.is_numeric(i) {
                    text.push_str(&format!("{cell:>width$}  "))
                } else {
                    text.push_str(&format!("{cell:<width$}  "))
                }
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        out
    }
}
