//! Cumulative plots of the cost relative to the worst engine (SLAP paper, figures 4 and 5).
//!
//! Per case that some engine solves, the largest cost of an engine that solves it is 100 %. A curve
//! through (20, 2000) means that for 2000 cases the engine needs at most 20 % of this cost.
//! Failures and refusals are drawn at 120 %. So the step at 100 % counts cases in which the engine
//! is the most expensive, and the step at 120 % those it does not solve.

use super::chart::{Chart, Curve, CurveLabel, WIDTH, height, sort};
use super::marks::{GRID, GUIDE_DASHED, Medium, capital};
use super::results::{AnswerClass, PlotData};
use super::scale::counts;
use super::svg::{Picture, SIZE, fit, n, xy};

const LEFT: f64 = 66.0;
const TOP: f64 = 58.0;
/// The percentage at which failures are drawn.
const FAILED: f64 = 120.0;

/// Relative costs of the engines for the cases of one class.
struct Shares {
    cases: usize,
    /// Per engine, the percentages of its solved cases in increasing order, and the cases.
    curves: Vec<Curve>,
    /// True for engines with at least one run.
    has_runs: Vec<bool>,
    refused: Vec<usize>,
}

/// Draws the cases of one class; `None` if there is nothing to compare.
pub fn cumulative(results: &PlotData<'_>, class: AnswerClass, medium: Medium) -> Option<Picture> {
    let shares = shares(results, class)?;
    let labels = labels(results, &shares);
    let height = height(labels.len());
    let across = |percent: f64| LEFT + WIDTH * percent / FAILED;
    let up = |count: usize| TOP + height - height * count as f64 / shares.cases as f64;
    let (worst, measure) = (results.measure.worst(), results.measure.title());
    let title = format!("{} relative to the {worst} engine", capital(measure));
    let full = format!("{title}, {}", class.word());
    let mut chart = Chart::new((LEFT, TOP), height, &labels, &full);
    chart.heading(20.0, &title);
    chart.subtitle(&format!("{} cases, {}", shares.cases, class.word()));
    for step in counts(shares.cases, 6) {
        chart.tick_y(up(step), Some(GRID), Some(&step.to_string()));
    }
    for percent in [0.0, 20.0, 40.0, 60.0, 80.0] {
        chart.tick_x(across(percent), Some(GRID), &format!("{percent} %"));
    }
    chart.tick_x(across(100.0), Some(GUIDE_DASHED), "100 %");
    chart.tick_x(across(FAILED), Some(GRID), "no answer");
    chart.frame(&format!("share of the {worst} engine's {measure}"), "cases");

    let mut names = Vec::new();
    for (engine, (curve, label)) in shares.curves.iter().zip(labels).enumerate() {
        // Engines without a run have not failed.
        if !shares.has_runs[engine] {
            continue;
        }
        let mut path = format!("M{}", xy((across(0.0), up(0))));
        let mut points = Vec::new();
        for (count, (percent, case)) in (1..).zip(curve) {
            let (x, y) = (across(*percent), up(count));
            path.push_str(&format!("H{}V{}", n(x), n(y)));
            points.push((*case, (x, y)));
        }
        path.push_str(&format!("H{}V{}", n(across(FAILED)), n(up(shares.cases))));
        chart.curve(engine, &path, points.into_iter(), shares.cases, medium);
        let end = (across(FAILED), up(curve.len()));
        names.push(CurveLabel { engine, label, end });
    }
    let solved = |name: &CurveLabel| shares.curves[name.engine].len();
    names.sort_by_key(|name| (std::cmp::Reverse(solved(name)), name.engine));
    Some(chart.finish(&names))
}

/// Computes relative costs; `None` if no case was solved or fewer than two engines have runs.
fn shares(results: &PlotData<'_>, class: AnswerClass) -> Option<Shares> {
    let engines = results.engines.len();
    let mut shares = Shares {
        cases: 0,
        curves: vec![Vec::new(); engines],
        has_runs: vec![false; engines],
        refused: vec![0; engines],
    };
    for (number, case) in results.cases.iter().enumerate() {
        let highest = case.solutions().map(|(_, value)| value).fold(0.0, f64::max);
        if case.class != class || highest <= 0.0 {
            continue;
        }
        shares.cases += 1;
        let counted = shares.has_runs.iter_mut().zip(&mut shares.refused);
        for ((has_runs, refused), run) in counted.zip(&case.runs) {
            *has_runs |= run.is_some();
            *refused += usize::from(run.is_some_and(|run| run.is_refused()));
        }
        for (engine, value) in case.solutions() {
            shares.curves[engine].push((100.0 * value / highest, number));
        }
    }
    if shares.cases == 0 || shares.has_runs.iter().filter(|has_runs| **has_runs).count() < 2 {
        return None;
    }
    for curve in &mut shares.curves {
        sort(curve);
    }
    Some(shares)
}

/// Names of the engines with their numbers of failures and refusals.
fn labels(results: &PlotData<'_>, shares: &Shares) -> Vec<String> {
    let curves = shares.curves.iter().zip(&shares.refused);
    let engines = results.engines.iter().zip(curves);
    engines
        .map(|(engine, (curve, &refused))| {
            let engine = fit(engine, SIZE, 130.0);
            match (shares.cases - curve.len() - refused, refused) {
                (0, 0) => engine,
                (failed, 0) => format!("{engine} ({failed} failed)"),
                (0, refused) => format!("{engine} ({refused} refused)"),
                (failed, refused) => format!("{engine} ({failed} failed, {refused} refused)"),
            }
        })
        .collect()
}
