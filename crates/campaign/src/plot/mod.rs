//! Tables and plots of results, as in the papers that introduced the engines.
//!
//! [`plot`] turns records into files: every plot as SVG, every table as CSV and Markdown, and an
//! HTML page with all of them. One module per kind of plot or table:
//!
//! | kind | contents | as in |
//! | --- | --- | --- |
//! | `scatter` | one engine against another, case by case | all papers |
//! | `cactus` | number of solved cases by cost | the component-wise paper, figure 8 |
//! | `cumulative` | cost relative to the worst engine | the SLAP paper, figures 4 and 5 |
//! | `win_lose_fail` | best, worst and failing engines | the SLAP paper, table 2 |
//! | `families` | every engine on every family of models | |
//! | `portfolio` | virtual best engine, unique solves | |
//! | `components` | avoided symbolic SCC detection | the component-wise paper, table 1 |
//! | `speed_up` | speed-up by threads | |
//! | `testing` | sizes of automata and products | the testing-automata paper, tables 1 and 2 |
//! | `papers` | published tables beside the measured figures | |
//!
//! The papers: Duret-Lutz, Klai, Poitrenaud, Thierry-Mieg, *Combining Explicit and Symbolic
//! Approaches for Better On-the-Fly LTL Model Checking*; Molnár, Vörös, Darvas, Bartha, Majzik,
//! *Component-wise Incremental LTL Model Checking*; Ben Salem, Duret-Lutz, Kordon, *Model Checking
//! using Generalized Testing Automata*.
//!
//! This module does no file I/O: the result is names and contents of files.

mod cactus;
mod cases;
mod chart;
mod components;
mod csv;
mod cumulative;
mod families;
mod html;
mod latex;
mod markdown;
mod marks;
mod measure;
mod papers;
mod portfolio;
mod results;
mod scale;
mod scatter;
mod speed_up;
mod table;
mod techniques;
mod testing;
mod win_lose_fail;

pub use measure::Measure;
pub use table::PlotTable;

use crate::Record;
use html::{PageFigure, PageSection};
use lariat_draw::svg;
use marks::Medium;
use results::{AnswerClass, PlotData, QuestionKind};
use std::collections::HashSet;
use std::fmt;

/// A kind of plot or table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlotKind {
    /// One engine against another, case by case.
    Scatter,
    /// Number of solved cases by cost.
    Cactus,
    /// Cost relative to the worst engine.
    Cumulative,
    /// Best, worst and failing engines.
    WinLoseFail,
    /// Every engine on every family of models.
    Families,
    /// Virtual best engine and unique solves.
    Portfolio,
    /// Statistics of the component-wise engine.
    Components,
    /// Sizes of automata and products, and their explored parts.
    Testing,
    /// Speed-up by threads.
    SpeedUp,
    /// Published tables beside the measured figures.
    Papers,
}

/// Options of [`plot`].
#[derive(Clone, Debug, Default)]
pub struct PlotOptions {
    /// The kinds of plots and tables; if empty, all that the records allow.
    pub kinds: Vec<PlotKind>,
    /// The engines in the order of columns; if empty, all, sorted by name.
    pub engines: Vec<String>,
    /// The quantity to compare.
    pub measure: Measure,
    /// Omit cases that every engine solves at a lower cost.
    pub at_least: f64,
    /// Write tables as LaTeX, too.
    pub latex: bool,
}

/// Tables and plots.
#[derive(Clone, Debug)]
pub struct Output {
    /// Names and contents of files.
    pub files: Vec<(String, String)>,
    /// The contradicting answers, if any.
    pub contradictions: Option<PlotTable>,
    /// The table of wins, losses and failures.
    pub summary: PlotTable,
}

/// An error in the input of [`plot`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlotError {
    /// There are no records.
    Empty,
    /// No record has the requested engine; the second field lists the known ones.
    Engine(String, Vec<String>),
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlotError::Empty => write!(f, "there are no results"),
            PlotError::Engine(name, known) => {
                let known = known.join(", ");
                write!(
                    f,
                    "no results of the engine `{name}`; there are results of: {known}"
                )
            }
        }
    }
}

impl std::error::Error for PlotError {}

/// Makes the tables and plots of `choice` from `records`.
pub fn plot(records: &[Record], choice: &PlotOptions) -> Result<Output, PlotError> {
    let known = results::names(&results::labels(records));
    if let Some(name) = choice.engines.iter().find(|name| !known.contains(name)) {
        return Err(PlotError::Engine(name.clone(), known));
    }
    let results = PlotData::new(records, &choice.engines, choice.measure, choice.at_least);
    if results.cases.is_empty() {
        return Err(PlotError::Empty);
    }
    let wants = |kind: PlotKind| choice.kinds.is_empty() || choice.kinds.contains(&kind);
    let summary = win_lose_fail::win_lose_fail(&results);
    let contradictions = cases::contradictions(&results);

    let mut files = Files::default();
    let mut parts = Vec::from_iter(contradictions.clone().map(PageSection::Table));
    if wants(PlotKind::WinLoseFail) {
        parts.push(PageSection::Table(summary.clone()));
    }
    use PlotKind::{
        Cactus, Components, Cumulative, Families, Papers, Portfolio, Scatter, SpeedUp, Testing,
    };
    for kind in [SpeedUp, Cactus, Cumulative, Scatter] {
        if wants(kind) {
            parts.extend(figures(&results, kind, choice, &mut files));
        }
    }
    let tables = [
        (SpeedUp, speed_up::table(&results)),
        (Families, Some(families::families(&results))),
        (Portfolio, Some(portfolio::portfolio(&results))),
        (Portfolio, portfolio::unique(&results)),
        (Portfolio, techniques::deciders(&results)),
        (Portfolio, techniques::lost(&results)),
        (Components, components::components(&results)),
        (Testing, testing::testing(&results)),
    ];
    for (kind, table) in tables {
        parts.extend(table.filter(|_| wants(kind)).map(PageSection::Table));
    }
    if wants(Papers) {
        parts.extend(papers::papers(&results).into_iter().map(PageSection::Table));
    }
    for part in &parts {
        if let PageSection::Table(table) = part {
            if choice.latex {
                files.add(&table.name, "tex", latex::latex(table));
            }
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

/// Draws the plots of one kind, both as files and for the page.
fn figures(
    results: &PlotData<'_>,
    kind: PlotKind,
    choice: &PlotOptions,
    files: &mut Files,
) -> Option<PageSection> {
    let mut figures = Vec::new();
    let mut add = |name: &str, draw: &dyn Fn(Medium) -> Option<svg::Picture>| {
        if let (Some(file), Some(page)) = (draw(Medium::File), draw(Medium::Page)) {
            let (name, svg) = (files.add(name, "svg", file.text), page.text);
            figures.push(PageFigure { name, svg });
        }
    };
    let heading = match kind {
        PlotKind::Scatter => {
            for (x, y) in scatter::pairs(results, !choice.engines.is_empty()) {
                let name = format!("scatter-{}-{}", results.engines[x], results.engines[y]);
                add(&name, &|medium| scatter::scatter(results, x, y, medium));
            }
            "One engine against another"
        }
        PlotKind::SpeedUp => {
            add("speed-up", &|medium| speed_up::speed_up(results, medium));
            "Speed-up by threads"
        }
        PlotKind::Cumulative => {
            for class in AnswerClass::ALL {
                let name = format!("cumulative-{}", class.word());
                let draw = |medium| cumulative::cumulative(results, class, medium);
                add(&name, &draw);
            }
            "Relative to the worst engine"
        }
        _ => {
            for question in QuestionKind::ALL {
                let name = match question {
                    QuestionKind::Properties => "cactus",
                    QuestionKind::States => "cactus-states",
                };
                add(name, &|medium| cactus::cactus(results, question, medium));
            }
            "Solved cases"
        }
    };
    (!figures.is_empty()).then_some(PageSection::Figures(heading, figures))
}

/// Files with unique names.
#[derive(Default)]
struct Files {
    files: Vec<(String, String)>,
    taken: HashSet<String>,
}

impl Files {
    /// Adds a file and returns its name, made unique and free of special characters.
    fn add(&mut self, name: &str, extension: &str, content: String) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        let plain = name.chars().map(|c| if is_plain(c) { c } else { '_' });
        let plain: String = plain.take(120).collect();
        let mut full = format!("{plain}.{extension}");
        let mut number = 2;
        // Some file systems ignore case.
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
