//! Tables and plots from results, as in the papers the engines come from.
//!
//! [`plot`] turns records into files: every plot as SVG, every table as CSV and Markdown, and one page that
//! shows all of it. One kind of plot or table, one file here:
//!
//! | kind | what it shows | as in |
//! | --- | --- | --- |
//! | [`scatter`] | one engine against another, case by case | all papers |
//! | [`cactus`] | how many cases are solved at which price | the component-wise paper, figure 8 |
//! | [`cumulative`] | price relative to the dearest engine | the SLAP paper, figures 4 and 5 |
//! | [`win_lose_fail`] | who is best, worst, or fails | the SLAP paper, table 2 |
//! | [`families`] | every engine on every family of models | |
//! | [`portfolio`] | virtual best, unique solves | |
//! | [`components`] | how rarely symbolic SCC detection runs | the component-wise paper, table 1 |
//! | [`speed_up`] | what threads gain | |
//! | [`testing`] | automata, products, what was explored | the testing-automata paper, tables 1 and 2 |
//!
//! The papers: Duret-Lutz, Klai, Poitrenaud, Thierry-Mieg, *Combining Explicit and Symbolic Approaches for Better On-the-Fly
//! LTL Model Checking*; Molnár, Vörös, Darvas, Bartha, Majzik, *Component-wise Incremental LTL Model Checking*; Ben Salem,
//! Duret-Lutz, Kordon, *Model Checking using Generalized Testing Automata*.
//!
//! Nothing here reads or writes files: the result is their names and contents.

pub mod cactus;
pub mod cases;
pub mod components;
pub mod csv;
pub mod cumulative;
pub mod families;
pub mod html;
pub mod markdown;
mod marks;
pub mod measure;
pub mod portfolio;
pub mod results;
mod scale;
pub mod scatter;
pub mod speed_up;
pub mod table;
mod techniques;
pub mod testing;
pub mod win_lose_fail;

pub use lariat_draw::svg;
pub use measure::Measure;
pub use table::Table;

use crate::Record;
use html::{Figure, Part};
use marks::Medium;
use results::{Class, Question, Results};
use std::collections::HashSet;
use std::fmt;

/// A kind of plot or table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlotKind {
    /// One engine against another, case by case.
    Scatter,
    /// How many cases are solved at which price.
    Cactus,
    /// Price relative to the dearest engine.
    Cumulative,
    /// Who is best, worst, or fails.
    WinLoseFail,
    /// Every engine on every family of models.
    Families,
    /// Virtual best and unique solves.
    Portfolio,
    /// Statistics of the component-wise engine.
    Components,
    /// Automata, products and what was explored of them.
    Testing,
    /// What threads gain.
    SpeedUp,
}

/// What is made.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The kinds; all that the records allow, if empty.
    pub kinds: Vec<PlotKind>,
    /// The engines, in this order; all of them by name, if empty.
    pub engines: Vec<String>,
    /// What is compared.
    pub measure: Measure,
    /// Cases that every engine solves at a lower price are left out.
    pub at_least: f64,
}

/// What was made.
#[derive(Clone, Debug)]
pub struct Output {
    /// Names and contents of files.
    pub files: Vec<(String, String)>,
    /// The answers that cannot be trusted, if there are any.
    pub contradictions: Option<Table>,
    /// Who wins, loses and fails.
    pub summary: Table,
}

/// Why nothing can be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// There are no records.
    Empty,
    /// An engine was asked for that no record has; these are there.
    Engine(String, Vec<String>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Empty => write!(f, "there are no results yet"),
            Error::Engine(name, known) => {
                write!(
                    f,
                    "no result is of the engine `{name}`; there are: {}",
                    known.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for Error {}

/// Makes the tables and plots of `choice` from `records`.
pub fn plot(records: &[Record], choice: &Choice) -> Result<Output, Error> {
    let known = results::names(&results::labels(records));
    if let Some(name) = choice.engines.iter().find(|name| !known.contains(name)) {
        return Err(Error::Engine(name.clone(), known));
    }
    let results = Results::new(records, &choice.engines, choice.measure, choice.at_least);
    if results.cases.is_empty() {
        return Err(Error::Empty);
    }
    let wants = |kind: PlotKind| choice.kinds.is_empty() || choice.kinds.contains(&kind);
    let summary = win_lose_fail::win_lose_fail(&results);
    let contradictions = cases::contradictions(&results);

    let mut files = Files::default();
    let mut parts: Vec<Part> = contradictions
        .clone()
        .map(Part::Table)
        .into_iter()
        .collect();
    if wants(PlotKind::WinLoseFail) {
        parts.push(Part::Table(summary.clone()));
    }
    for kind in [
        PlotKind::SpeedUp,
        PlotKind::Cactus,
        PlotKind::Cumulative,
        PlotKind::Scatter,
    ] {
        if wants(kind) {
            parts.extend(figures(&results, kind, choice, &mut files));
        }
    }
    let tables = [
        (PlotKind::SpeedUp, speed_up::table(&results)),
        (PlotKind::Families, Some(families::families(&results))),
        (PlotKind::Portfolio, Some(portfolio::portfolio(&results))),
        (PlotKind::Portfolio, portfolio::unique(&results)),
        (PlotKind::Portfolio, techniques::deciders(&results)),
        (PlotKind::Portfolio, techniques::lost(&results)),
        (PlotKind::Components, components::components(&results)),
        (PlotKind::Testing, testing::testing(&results)),
    ];
    for (kind, table) in tables {
        parts.extend(table.filter(|_| wants(kind)).map(Part::Table));
    }
    for part in &parts {
        if let Part::Table(table) = part {
            files.add(&table.name, "csv", csv::csv(table));
            files.add(&table.name, "md", markdown::markdown(table));
        }
    }
    files.add("runs", "csv", csv::csv(&cases::cases(&results)));
    files.add("index", "html", html::html(&results, &parts));
    Ok(Output {
        files: files.files,
        contradictions,
        summary,
    })
}

/// The plots of one kind: as files, and for the page.
fn figures(
    results: &Results<'_>,
    kind: PlotKind,
    choice: &Choice,
    files: &mut Files,
) -> Option<Part> {
    let mut figures = Vec::new();
    let mut add = |name: &str, draw: &dyn Fn(Medium) -> Option<svg::Picture>| {
        if let (Some(file), Some(page)) = (draw(Medium::File), draw(Medium::Page)) {
            let name = files.add(name, "svg", file.text);
            figures.push(Figure {
                name,
                svg: page.text,
            });
        }
    };
    let heading = match kind {
        PlotKind::Scatter => {
            for (x, y) in scatter::pairs(results, !choice.engines.is_empty()) {
                let name = format!("scatter-{}-{}", results.engines[x], results.engines[y]);
                add(&name, &|place| scatter::scatter(results, x, y, place));
            }
            "One engine against another"
        }
        PlotKind::SpeedUp => {
            add("speed-up", &|place| speed_up::speed_up(results, place));
            "What threads gain"
        }
        PlotKind::Cumulative => {
            for class in Class::ALL {
                let name = format!("cumulative-{}", class.word());
                add(&name, &|place| {
                    cumulative::cumulative(results, class, place)
                });
            }
            "Relative to the worst engine"
        }
        _ => {
            for question in Question::ALL {
                let name = match question {
                    Question::Properties => "cactus",
                    Question::States => "cactus-states",
                };
                add(name, &|place| cactus::cactus(results, question, place));
            }
            "Solved cases"
        }
    };
    (!figures.is_empty()).then_some(Part::Figures(heading, figures))
}

/// Files, each with a name of its own.
#[derive(Default)]
struct Files {
    files: Vec<(String, String)>,
    taken: HashSet<String>,
}

impl Files {
    /// Adds a file under the name, or one like it: names of engines may contain anything.
    fn add(&mut self, name: &str, extension: &str, content: String) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        let plain: String = name
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .take(120)
            .collect();
        let mut full = format!("{plain}.{extension}");
        let mut number = 2;
        // Some file systems do not tell capitals from small letters.
        while !self.taken.insert(full.to_lowercase()) {
            full = format!("{plain}-{number}.{extension}");
            number += 1;
        }
        self.files.push((full.clone(), content));
        full
    }
}

#[cfg(test)]
mod colours;
#[cfg(test)]
mod tests;
