//! Cactus plots: the number of cases that an engine solves within a given cost per case.
//!
//! Solved cases of an engine are sorted by cost; the n-th is drawn at x = n. A lower curve means a
//! faster engine, a longer curve more solved cases. Curves are labelled at their ends.

use super::marks::{
    CurveLabel, FRAME, GRID, GUIDE_DASHED, INK, Medium, PALE, TICK, capital, draw_points,
    name_curves, names_width, series,
};
use super::measure::{Measure, MeasureUnit};
use super::results::{PlotCase, PlotData, QuestionKind};
use super::scale::{Log, counts};
use super::svg::{Anchor, Picture, SIZE, Svg, TITLE, fit, n};

const WIDTH: f64 = 360.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 44.0;

/// Costs of the cases that an engine solved, in increasing order, with the indices of the cases.
type Curve = Vec<(f64, usize)>;

/// Mapping of numbers of cases and costs to coordinates.
struct Axes {
    height: f64,
    bottom: f64,
    /// The largest number of cases that an engine solved.
    most: usize,
    up: Log,
    /// The time limit, if it is drawn.
    limit: Option<f64>,
}

impl Axes {
    fn across(&self, count: f64) -> f64 {
        // A margin, so that the longest curve ends before the frame.
        let last = 1.03 * self.most as f64;
        LEFT + WIDTH * count / last
    }
}

/// Draws all engines with jobs of this kind; `None` if no case was solved.
pub fn cactus(results: &PlotData<'_>, question: QuestionKind, medium: Medium) -> Option<Picture> {
    let cases: Vec<(usize, &PlotCase<'_>)> = {
        let all = results.cases.iter().enumerate();
        all.filter(|(_, case)| case.question() == question)
            .collect()
    };
    let curves: Vec<Curve> = (0..results.engines.len())
        .map(|engine| curve(&cases, engine))
        .collect();
    let most = curves.iter().map(Vec::len).max().filter(|&most| most > 0)?;
    let labels: Vec<String> = results
        .engines
        .iter()
        .zip(&curves)
        .map(|(engine, curve)| format!("{} ({})", fit(engine, SIZE, 150.0), curve.len()))
        .collect();

    let height = (16.0 * labels.len() as f64).max(290.0);
    let bottom = TOP + height;
    let limit = time_limit(results);
    let values = curves.iter().flatten().map(|point| point.0);
    let axes = Axes {
        height,
        bottom,
        most,
        up: Log::around(values.chain(limit), results.measure.unit(), bottom, TOP),
        limit,
    };
    let total = LEFT + WIDTH + names_width(&labels);
    let title = format!(
        "{} of the n-th solved case",
        capital(results.measure.title())
    );
    let mut svg = Svg::new(total, bottom + 48.0, &title, "");
    let bold = format!(r#"{INK} font-weight="600""#);
    let heading = match question {
        QuestionKind::Properties => format!("{title}, {} cases", cases.len()),
        QuestionKind::States => format!("{title}, {} state spaces", cases.len()),
    };
    svg.text(
        (12.0, 22.0),
        Anchor::Start,
        TITLE * 0.94,
        &fit(&heading, TITLE, total - 24.0),
        &bold,
    );
    draw_axes(&mut svg, &axes, results.measure);
    for (engine, curve) in curves.iter().enumerate() {
        draw_curve(&mut svg, &axes, engine, curve, medium);
    }
    let mut names = Vec::new();
    for (engine, curve) in curves.iter().enumerate() {
        let has_run = |case: &PlotCase<'_>| case.runs.get(engine).is_some_and(Option::is_some);
        if cases.iter().any(|(_, case)| has_run(case)) {
            names.push(CurveLabel {
                engine,
                label: labels[engine].clone(),
                end: points(&axes, curve)
                    .last()
                    .unwrap_or((axes.across(0.0), bottom)),
            });
        }
    }
    // From the top. Of curves that end at a similar height, shorter ones come first.
    names.sort_by_key(|name| ((name.end.1 / 20.0) as i64, curves[name.engine].len()));
    name_curves(&mut svg, &names, LEFT + WIDTH, (TOP, bottom));
    Some(svg.finish())
}

fn curve(cases: &[(usize, &PlotCase<'_>)], engine: usize) -> Curve {
    let mut curve: Curve = cases
        .iter()
        .filter_map(|(number, case)| Some((case.solved(engine)?, *number)))
        .collect();
    curve.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    curve
}

/// Draws the grid, its labels, the limit and the frame.
fn draw_axes(svg: &mut Svg, axes: &Axes, measure: Measure) {
    let (up, bottom, unit) = (&axes.up, axes.bottom, measure.unit());
    for tick in up.ticks(unit, 20.0) {
        let y = up.at(tick.value);
        let length = if tick.is_decade { 6.0 } else { 3.0 };
        if tick.is_decade {
            svg.line((LEFT, y), (LEFT + WIDTH, y), GRID);
        }
        svg.line((LEFT - length, y), (LEFT, y), TICK);
        if let Some(label) = &tick.label {
            svg.text((LEFT - 9.0, y + 0.36 * SIZE), Anchor::End, SIZE, label, INK);
        }
    }
    for step in counts(axes.most, 6) {
        let x = axes.across(step as f64);
        svg.line((x, TOP), (x, bottom), GRID);
        svg.line((x, bottom), (x, bottom + 6.0), TICK);
        svg.text(
            (x, bottom + 19.0),
            Anchor::Middle,
            SIZE,
            &step.to_string(),
            INK,
        );
    }
    if let Some(limit) = axes.limit {
        let y = up.at(limit);
        svg.line((LEFT, y), (LEFT + WIDTH, y), GUIDE_DASHED);
        // At the left below the line, where curves are rare.
        let text = format!("limit {}", unit.show(limit));
        svg.text((LEFT + 6.0, y + 12.0), Anchor::Start, 9.5, &text, PALE);
    }
    svg.rect([LEFT, TOP, WIDTH, axes.height], FRAME);
    svg.text(
        (LEFT + WIDTH / 2.0, bottom + 38.0),
        Anchor::Middle,
        SIZE,
        "solved cases",
        INK,
    );
    svg.upward(
        (16.0, TOP + axes.height / 2.0),
        Anchor::Middle,
        SIZE,
        measure.title(),
        INK,
    );
}

fn points(axes: &Axes, curve: &Curve) -> impl Iterator<Item = (f64, f64)> {
    (1..)
        .zip(curve)
        .map(|(count, point)| (axes.across(f64::from(count)), axes.up.at(point.0)))
}

fn draw_curve(svg: &mut Svg, axes: &Axes, engine: usize, curve: &Curve, medium: Medium) {
    let mut d = String::new();
    for (i, (x, y)) in points(axes, curve).enumerate() {
        d.push_str(&format!(
            "{}{} {}",
            if i == 0 { "M" } else { "L" },
            n(x),
            n(y)
        ));
    }
    if !d.is_empty() {
        svg.path(&d, &series(engine), "");
    }
    draw_points(
        svg,
        engine,
        curve.iter().map(|p| p.1).zip(points(axes, curve)),
        axes.most,
        medium,
    );
}

/// The time limit, if times are compared and the limit is equal for all cases.
fn time_limit(results: &PlotData<'_>) -> Option<f64> {
    let mut limits = results.cases.iter().map(|case| case.about.limits.seconds);
    let first = limits
        .next()
        .filter(|limit| limit.is_finite() && *limit > 0.0)?;
    (results.measure.unit() == MeasureUnit::Seconds && limits.all(|limit| limit == first))
        .then_some(first)
}
