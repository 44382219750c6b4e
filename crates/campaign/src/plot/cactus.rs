//! Cactus plots: the number of cases that an engine solves within a given cost per case.
//!
//! Solved cases of an engine are sorted by cost; the n-th is drawn at x = n. A lower curve means a
//! faster engine, a longer curve more solved cases. Curves are labelled at their ends.

use super::chart::{Chart, Curve, CurveLabel, WIDTH, height, sort};
use super::marks::{GRID, Medium, capital};
use super::measure::MeasureUnit;
use super::results::{PlotCase, PlotData, QuestionKind};
use super::scale::{Log, counts};
use super::svg::{Picture, SIZE, fit, xy};

const LEFT: f64 = 78.0;
const TOP: f64 = 44.0;

/// Draws all engines with jobs of this kind; `None` if no case was solved.
pub fn cactus(results: &PlotData<'_>, question: QuestionKind, medium: Medium) -> Option<Picture> {
    let all = results.cases.iter().enumerate();
    let cases: Vec<(usize, &PlotCase<'_>)> = all
        .filter(|(_, case)| case.question() == question)
        .collect();
    let curves: Vec<Curve> = (0..results.engines.len())
        .map(|engine| curve(&cases, engine))
        .collect();
    let most = curves.iter().map(Vec::len).max().filter(|&most| most > 0)?;
    let engines = results.engines.iter().zip(&curves);
    let labels: Vec<String> = engines
        .map(|(engine, curve)| format!("{} ({})", fit(engine, SIZE, 150.0), curve.len()))
        .collect();

    let (measure, unit) = (results.measure, results.measure.unit());
    let height = height(labels.len());
    let bottom = TOP + height;
    let limit = time_limit(results);
    let values = curves.iter().flatten().map(|point| point.0);
    let up = Log::around(values.chain(limit), unit, bottom, TOP);
    // A margin, so that the longest curve ends before the frame.
    let across = |count: usize| LEFT + WIDTH * count as f64 / (1.03 * most as f64);

    let title = format!("{} of the n-th solved case", capital(measure.title()));
    let mut chart = Chart::new((LEFT, TOP), height, &labels, &title);
    let heading = match question {
        QuestionKind::Properties => format!("{title}, {} cases", cases.len()),
        QuestionKind::States => format!("{title}, {} state spaces", cases.len()),
    };
    chart.heading(22.0, &heading);
    for tick in up.ticks(unit, 20.0) {
        let line = tick.is_decade.then_some(GRID);
        chart.tick_y(up.at(tick.value), line, tick.label.as_deref());
    }
    for step in counts(most, 6) {
        chart.tick_x(across(step), Some(GRID), &step.to_string());
    }
    if let Some(limit) = limit {
        chart.guide(up.at(limit), &format!("limit {}", unit.show(limit)));
    }
    chart.frame("solved cases", measure.title());

    let mut names = Vec::new();
    for (engine, (curve, label)) in curves.iter().zip(labels).enumerate() {
        let values = (1..).zip(curve);
        let points: Vec<(usize, (f64, f64))> = values
            .map(|(count, (value, case))| (*case, (across(count), up.at(*value))))
            .collect();
        let mut path = String::new();
        for (_, point) in &points {
            path.push(if path.is_empty() { 'M' } else { 'L' });
            path.push_str(&xy(*point));
        }
        let end = points.last().map_or((across(0), bottom), |(_, end)| *end);
        chart.curve(engine, &path, points.into_iter(), most, medium);
        let has_run = |case: &PlotCase<'_>| case.runs.get(engine).is_some_and(Option::is_some);
        if cases.iter().any(|(_, case)| has_run(case)) {
            names.push(CurveLabel { engine, label, end });
        }
    }
    // From the top. Of curves that end at a similar height, shorter ones come first.
    names.sort_by_key(|name| ((name.end.1 / 20.0) as i64, curves[name.engine].len()));
    Some(chart.finish(&names))
}

fn curve(cases: &[(usize, &PlotCase<'_>)], engine: usize) -> Curve {
    let mut curve: Curve = cases
        .iter()
        .filter_map(|(number, case)| Some((case.solved(engine)?, *number)))
        .collect();
    sort(&mut curve);
    curve
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
