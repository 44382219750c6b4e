//! Cumulative plots of the cost relative to the worst engine (SLAP paper, figures 4 and 5).
//!
//! Per case that some engine solves, the largest cost of an engine that solves it is 100 %. A curve
//! through (20, 2000) means that for 2000 cases the engine needs at most 20 % of this cost.
//! Failures and refusals are drawn at 120 %. So the step at 100 % counts cases in which the engine
//! is the most expensive, and the step at 120 % those it does not solve.

use super::marks::{
    CurveLabel, FRAME, GRID, GUIDE_DASHED, INK, Medium, PALE, TICK, capital, draw_points,
    name_curves, names_width, series,
};
use super::results::{AnswerClass, PlotData};
use super::scale::counts;
use super::svg::{Anchor, Picture, SIZE, Svg, TITLE, fit, n};

const WIDTH: f64 = 360.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 58.0;
/// The percentage at which failures are drawn.
const FAILED: f64 = 120.0;

/// Relative costs of the engines for the cases of one class.
struct Shares {
    cases: usize,
    /// Per engine, the percentages of its solved cases in increasing order, and the cases.
    curves: Vec<Vec<(f64, usize)>>,
    /// True for engines with at least one run; the others have not failed.
    has_runs: Vec<bool>,
    refused: Vec<usize>,
}

/// Mapping of percentages and numbers of cases to coordinates.
struct Axes {
    height: f64,
    bottom: f64,
    cases: usize,
}

impl Axes {
    fn across(&self, percent: f64) -> f64 {
        LEFT + WIDTH * percent / FAILED
    }

    fn up(&self, count: f64) -> f64 {
        self.bottom - self.height * count / self.cases as f64
    }
}

/// Draws the cases of one class; `None` if there is nothing to compare.
pub fn cumulative(results: &PlotData<'_>, class: AnswerClass, medium: Medium) -> Option<Picture> {
    let shares = shares(results, class)?;
    let labels = labels(results, &shares);
    let height = (16.0 * labels.len() as f64).max(290.0);
    let axes = Axes {
        height,
        bottom: TOP + height,
        cases: shares.cases,
    };
    let total = LEFT + WIDTH + names_width(&labels);
    let title = format!(
        "{} relative to the {} engine",
        capital(results.measure.title()),
        results.measure.worst()
    );
    let mut svg = Svg::new(
        total,
        axes.bottom + 48.0,
        &format!("{title}, {}", class.word()),
        "",
    );
    let bold = format!(r#"{INK} font-weight="600""#);
    svg.text(
        (12.0, 20.0),
        Anchor::Start,
        TITLE * 0.94,
        &fit(&title, TITLE, total - 24.0),
        &bold,
    );
    let subtitle = format!("{} cases, {}", shares.cases, class.word());
    svg.text((12.0, 37.0), Anchor::Start, SIZE, &subtitle, PALE);
    draw_axes(&mut svg, &axes, results);
    draw_curves(&mut svg, &axes, &shares, &labels, medium);
    Some(svg.finish())
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
        curve.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    Some(shares)
}

/// Names of the engines with their numbers of failures and refusals.
fn labels(results: &PlotData<'_>, shares: &Shares) -> Vec<String> {
    results
        .engines
        .iter()
        .zip(shares.curves.iter().zip(&shares.refused))
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

/// Draws the grid, its labels and the frame.
fn draw_axes(svg: &mut Svg, axes: &Axes, results: &PlotData<'_>) {
    let bottom = axes.bottom;
    for step in counts(axes.cases, 6) {
        let y = axes.up(step as f64);
        svg.line((LEFT, y), (LEFT + WIDTH, y), GRID);
        svg.line((LEFT - 6.0, y), (LEFT, y), TICK);
        svg.text(
            (LEFT - 9.0, y + 0.36 * SIZE),
            Anchor::End,
            SIZE,
            &step.to_string(),
            INK,
        );
    }
    for percent in [0.0, 20.0, 40.0, 60.0, 80.0, 100.0, FAILED] {
        let x = axes.across(percent);
        svg.line(
            (x, TOP),
            (x, bottom),
            if percent == 100.0 { GUIDE_DASHED } else { GRID },
        );
        svg.line((x, bottom), (x, bottom + 6.0), TICK);
        let label = if percent == FAILED {
            "no answer".to_owned()
        } else {
            format!("{percent} %")
        };
        svg.text((x, bottom + 19.0), Anchor::Middle, SIZE, &label, INK);
    }
    svg.rect([LEFT, TOP, WIDTH, axes.height], FRAME);
    let below = format!(
        "share of the {} engine's {}",
        results.measure.worst(),
        results.measure.title()
    );
    svg.text(
        (LEFT + WIDTH / 2.0, bottom + 38.0),
        Anchor::Middle,
        SIZE,
        &below,
        INK,
    );
    svg.upward(
        (16.0, TOP + axes.height / 2.0),
        Anchor::Middle,
        SIZE,
        "cases",
        INK,
    );
}

/// Draws and labels the curves of the engines that have runs.
fn draw_curves(svg: &mut Svg, axes: &Axes, shares: &Shares, labels: &[String], medium: Medium) {
    let curves = &shares.curves;
    let mut names = Vec::new();
    for (engine, curve) in curves
        .iter()
        .enumerate()
        .filter(|(e, _)| shares.has_runs[*e])
    {
        let mut d = format!("M{} {}", n(axes.across(0.0)), n(axes.up(0.0)));
        let mut points = Vec::new();
        for (count, (percent, _)) in (1..).zip(curve) {
            let (x, y) = (axes.across(*percent), axes.up(f64::from(count)));
            d.push_str(&format!("H{}V{}", n(x), n(y)));
            points.push((x, y));
        }
        let last = axes.up(shares.cases as f64);
        d.push_str(&format!("H{}V{}", n(axes.across(FAILED)), n(last)));
        svg.path(&d, &series(engine), "");
        draw_points(
            svg,
            engine,
            curve.iter().map(|p| p.1).zip(points),
            shares.cases,
            medium,
        );
        names.push(CurveLabel {
            engine,
            label: labels[engine].clone(),
            end: (axes.across(FAILED), axes.up(curve.len() as f64)),
        });
    }
    names.sort_by_key(|name| (std::cmp::Reverse(curves[name.engine].len()), name.engine));
    name_curves(svg, &names, LEFT + WIDTH, (TOP, axes.bottom));
}
