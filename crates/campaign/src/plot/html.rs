//! A self-contained HTML page: style, script, pictures and data are inline.
//!
//! Without its script the page still shows all pictures and tables. The script sorts tables by a
//! click on a head and shows the case of a point under the pointer, or selected by the arrow keys
//! once a plot has the focus. A click or Enter shows the commands that repeat the case.

use super::cases::command;
use super::results::PlotData;
use super::svg::escape;
use super::table::{PlotTable, TableCell};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A picture on the page.
pub struct PageFigure {
    /// The name of its file.
    pub name: String,
    pub svg: String,
}

/// A part of the page, with a heading.
pub enum PageSection {
    Figures(&'static str, Vec<PageFigure>),
    Table(PlotTable),
}

/// Renders the page.
pub fn html(results: &PlotData<'_>, parts: &[PageSection]) -> String {
    let names = results.cases.iter().map(|c| c.about.campaign.as_str());
    let names: Vec<&str> = BTreeSet::from_iter(names).into_iter().collect();
    let title = escape(&names.join(", "));
    let mut body = format!(
        "<header><h1>{title}</h1>\n<p>{}</p>\n<nav>",
        escape(&about(results))
    );
    for (i, part) in parts.iter().enumerate() {
        let (heading, class) = match part {
            PageSection::Figures(heading, _) => (*heading, ""),
            PageSection::Table(table) => (table.title.as_str(), alarm(table)),
        };
        let _ = write!(body, "<a href=\"#part{i}\"{class}>{}</a> ", escape(heading));
    }
    body.push_str("</nav></header>\n<main>\n");
    for (i, part) in parts.iter().enumerate() {
        match part {
            PageSection::Figures(heading, figures) => {
                let _ = writeln!(
                    body,
                    "<section id=\"part{i}\"><h2>{}</h2><div class=\"figures\">",
                    escape(heading)
                );
                for figure in figures {
                    let name = escape(&figure.name);
                    let _ = writeln!(
                        body,
                        "<figure>\n{}<figcaption><a href=\"{name}\" download>{name}</a></figcaption></figure>",
                        figure.svg
                    );
                }
                body.push_str("</div></section>\n");
            }
            PageSection::Table(table) => {
                let _ = writeln!(body, "<section id=\"part{i}\"{}>", alarm(table));
                write_table(&mut body, table);
                body.push_str("</section>\n");
            }
        }
    }
    body.push_str("</main>\n");
    // Only `<` can end a script element.
    let data = data(results).to_string().replace('<', "\\u003c");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <div id=\"hint\" role=\"status\" hidden></div>\n\
         <aside id=\"job\" aria-label=\"Case\" hidden></aside>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn alarm(table: &PlotTable) -> &'static str {
    if table.is_alarm {
        " class=\"alarm\""
    } else {
        ""
    }
}

/// Summarizes the origin of the results.
fn about(results: &PlotData<'_>) -> String {
    let runs = || results.cases.iter().flat_map(|c| c.runs.iter().flatten());
    let records = || runs().map(|run| run.record);
    let list = |of: &dyn Fn(&crate::Record) -> String| {
        let all: BTreeSet<String> = records().map(of).collect();
        match all.len() {
            0..=3 => all.into_iter().collect::<Vec<_>>().join(", "),
            more => format!("{more} different"),
        }
    };
    let version = list(&|r| match &r.commit {
        Some(commit) => format!("{} ({commit:.10})", r.version),
        None => r.version.clone(),
    });
    let limits = list(&|r| {
        let memory = match r.limits.bytes {
            small if small < 1 << 30 => format!("{} MiB", small >> 20),
            large => {
                let tenths = (large as f64 / 1e8 / 1.073_741_824).round();
                format!("{} GiB", tenths / 10.0)
            }
        };
        format!("{} s and {memory}", r.limits.seconds)
    });
    let starved = match records().filter(|record| record.is_starved()).count() {
        0 => String::new(),
        starved => format!(
            " The machine was busy: {} reached the time limit with less than half of it as processor time, so these results say nothing about the engines.",
            several(starved, "run")
        ),
    };
    format!(
        "{}, {}, {}. Lariat {version}, on {}, at most {limits} per job. Compared by {}.{starved}",
        several(results.cases.len(), "case"),
        several(results.engines.len(), "engine"),
        several(records().count(), "run"),
        list(&|r| r.host.clone()),
        results.measure.title()
    )
}

/// Returns the count and the noun, in plural if necessary.
fn several(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

fn write_table(out: &mut String, table: &PlotTable) {
    let _ = write!(
        out,
        "<h2>{}</h2><div class=\"scroll\"><table><thead><tr>",
        escape(&table.title)
    );
    let class = |i: usize| {
        if table.is_numeric(i) {
            " class=\"n\""
        } else {
            ""
        }
    };
    let classes: Vec<&str> = (0..table.heads.len()).map(class).collect();
    for (head, class) in table.heads.iter().zip(&classes) {
        let _ = write!(out, "<th{class} scope=\"col\">{}</th>", escape(head));
    }
    out.push_str("</tr></thead><tbody>\n");
    // A rule between groups, where the first column changes, unless it changes in most rows.
    let group = |row: &Vec<TableCell>| row.first().map(|cell| cell.text.clone());
    let changes = |pair: &&[Vec<TableCell>]| group(&pair[0]) != group(&pair[1]);
    let grouped = 2 * table.rows.windows(2).filter(changes).count() < table.rows.len();
    let mut before = None;
    for row in &table.rows {
        let is_first = grouped && before.is_some() && before != group(row);
        out.push_str(if is_first {
            "<tr class=\"first\">"
        } else {
            "<tr>"
        });
        before = group(row);
        for (cell, class) in row.iter().zip(&classes) {
            let value = cell.value.map(|value| format!(" data-v=\"{value}\""));
            let value = value.unwrap_or_default();
            let _ = write!(out, "<td{class}{value}>{}</td>", escape(&cell.text));
        }
        out.push_str("</tr>\n");
    }
    let _ = writeln!(out, "</tbody></table></div>");
    if !table.note.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&table.note));
    }
    let name = escape(&table.name);
    let _ = writeln!(
        out,
        "<p class=\"files\"><a href=\"{name}.csv\" download>{name}.csv</a> <a href=\"{name}.md\" download>{name}.md</a></p>"
    );
}

/// The cases of the points, as JSON for the script.
fn data(results: &PlotData<'_>) -> Json {
    let unit = results.measure.unit();
    let cases = results.cases.iter().map(|case| {
        let runs = case.runs.iter().map(|run| match run {
            None => Json::Null,
            Some(run) => json!([
                run.word(),
                run.solved().map(|value| unit.show(value)),
                run.record.reason,
                command(run.record),
            ]),
        });
        json!({
            "name": case.name(),
            "group": case.about.group,
            "formula": case.about.formula,
            "answer": case.class.word(),
            "runs": runs.collect::<Vec<_>>(),
        })
    });
    json!({ "engines": results.engines, "cases": cases.collect::<Vec<_>>() })
}
