//! Log-log scatter plots of one engine against another.
//!
//! A point is a case. Right of the diagonal the engine of the vertical axis is better, left of it
//! that of the horizontal axis. Failed runs are drawn in one band per reason, at the top for the
//! vertical engine and at the right for the horizontal one. Within a band, points are shifted from
//! its middle depending on their index (jitter), so that equal points stay distinguishable. Cases
//! without a run of both engines are omitted.

use super::marks::{
    FRAME, GRID, GUIDE, GUIDE_DASHED, INK, LABEL, LABEL_X, LABEL_Y, Medium, PALE, SMALL, TICK,
    heading, marker, point_style,
};
use super::measure::MeasureUnit;
use super::results::{AnswerClass, FailureKind, PlotCase, PlotData, RepeatedRun, RunEnd};
use super::scale::Log;
use super::svg::{Anchor, Picture, SIZE, Svg, TITLE, TextStyle, fit, width};
use lariat::internals::ltl::Random;

/// Side of the square of solved cases.
const SIDE: f64 = 330.0;
/// Gap between the square and the bands.
const GAP: f64 = 24.0;
/// Width of a band.
const BAND: f64 = 17.0;
/// Left margin, for the title of the axis and its labels.
const LEFT: f64 = 84.0;
/// Bottom margin, for the labels, the names of the bands and the title of the axis.
const BELOW: f64 = 70.0;

/// A case in the plot.
struct Point<'a> {
    number: usize,
    case: &'a PlotCase<'a>,
    x: &'a RepeatedRun<'a>,
    y: &'a RepeatedRun<'a>,
}

/// Returns the pairs of engines to plot: all pairs of up to four engines. Of more engines, the best
/// is compared with every other: the first if the user named engines (`named`), otherwise the one
/// that solves most cases, at the lowest cost.
pub fn pairs(results: &PlotData<'_>, named: bool) -> Vec<(usize, usize)> {
    let engines = results.engines.len();
    if engines <= 4 {
        let pairs = (0..engines).flat_map(|y| (0..y).map(move |x| (x, y)));
        return pairs.collect();
    }
    let costs = |engine: usize| {
        results
            .cases
            .iter()
            .filter_map(move |case| case.solved(engine))
    };
    let cost = |engine: usize| costs(engine).sum::<f64>();
    let is_better = |&a: &usize, &b: &usize| {
        let solved = results.solved_by(b).cmp(&results.solved_by(a));
        solved.then(cost(a).total_cmp(&cost(b)))
    };
    let best = if named {
        0
    } else {
        (0..engines).min_by(is_better).unwrap_or(0)
    };
    let others = (0..engines).filter(|&engine| engine != best);
    others.map(|engine| (best, engine)).collect()
}

/// Plots the engine `x` against the engine `y`; `None` if they have no case in common.
pub fn scatter(results: &PlotData<'_>, x: usize, y: usize, medium: Medium) -> Option<Picture> {
    let points: Vec<Point<'_>> = results
        .cases
        .iter()
        .enumerate()
        .filter_map(|(number, case)| {
            let (x, y) = (case.runs.get(x)?.as_ref()?, case.runs.get(y)?.as_ref()?);
            Some(Point { number, case, x, y })
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let (name_x, name_y) = (results.engines[x].as_str(), results.engines[y].as_str());
    let keys = legend(&points, name_x, name_y);
    let frame = Frame::new(results, &points, &keys);
    let title = |width: f64| {
        let (x, y) = (fit(name_x, TITLE, width), fit(name_y, TITLE, width));
        format!("{y} against {x}: {}", results.measure.title())
    };
    let engines = match medium {
        Medium::Page => format!(r#"data-engines="{x},{y}""#),
        Medium::File => String::new(),
    };
    let (total, height) = (frame.total, frame.bottom + BELOW);
    let mut svg = Svg::new(total, height, &title(f64::INFINITY), &engines);
    let space = (total - 24.0 - width(&title(0.0), TITLE)) / 2.0;
    heading(&mut svg, 20.0, &title(space));
    draw_legend(&mut svg, &keys, total);
    draw_axes(&mut svg, &frame, results.measure.unit());
    draw_bands(&mut svg, &frame);

    let text = |engine: &str| format!("{engine}: {}", results.measure.title());
    let axis = |engine: &str| fit(&text(engine), SIZE, SIDE);
    let below = (LEFT + SIDE / 2.0, frame.bottom + 44.0);
    svg.text(below, LABEL_X, &axis(name_x));
    let beside = (16.0, frame.bottom - SIDE / 2.0);
    svg.upward(beside, LABEL_X, &axis(name_y));

    for class in AnswerClass::ALL {
        let mut members = points.iter().filter(|p| p.case.class == class).peekable();
        if members.peek().is_none() {
            continue;
        }
        svg.open(&point_style(class));
        for point in members {
            let (px, py) = frame.at(point);
            let d = marker(class, px, py);
            match medium {
                Medium::Page => svg.path(&d, &format!(r#"data-c="{}""#, point.number)),
                Medium::File => {
                    let result = |run: &RepeatedRun<'_>| match run.end {
                        RunEnd::Solved(value) => results.measure.unit().show(value),
                        RunEnd::Failed(failure) => failure.word().to_owned(),
                    };
                    let (name, a, b) = (point.case.name(), result(point.x), result(point.y));
                    let hint = format!("{name}: {name_x} {a}, {name_y} {b}");
                    svg.path_with_hint(&d, &hint);
                }
            }
        }
        svg.close();
    }
    Some(svg.finish())
}

/// Layout of the plot.
struct Frame {
    across: Log,
    /// The vertical axis, with the range of `across`.
    up: Log,
    /// Bands at the right, from the square outwards.
    right: Vec<FailureKind>,
    /// Bands at the top, from the square outwards.
    above: Vec<FailureKind>,
    /// Upper end of the outermost band.
    top: f64,
    /// Lower end of the square.
    bottom: f64,
    total: f64,
}

impl Frame {
    fn new(
        results: &PlotData<'_>,
        points: &[Point<'_>],
        keys: &[(Option<AnswerClass>, String)],
    ) -> Frame {
        let right = bands(points.iter().map(|p| p.x));
        let above = bands(points.iter().map(|p| p.y));
        let total = LEFT + SIDE + GAP + BAND * right.len() as f64 + 12.0;
        let key_lines = key_places(keys, total)
            .last()
            .map_or(0, |(line, _)| line + 1);
        let top = 32.0 + 16.0 * key_lines as f64;
        let bottom = top + BAND * above.len() as f64 + GAP + SIDE;
        let values = points.iter().flat_map(|p| [p.x.solved(), p.y.solved()]);
        let unit = results.measure.unit();
        let across = Log::around(values.flatten(), unit, LEFT, LEFT + SIDE);
        let (from, to) = (bottom, bottom - SIDE);
        let up = Log { from, to, ..across };
        Frame {
            across,
            up,
            right,
            above,
            top,
            bottom,
            total,
        }
    }

    fn at(&self, point: &Point<'_>) -> (f64, f64) {
        let shift = |salt: u64| jitter(point.number, salt) * (BAND - 8.0);
        let x = match point.x.end {
            RunEnd::Solved(value) => self.across.at(value),
            RunEnd::Failed(failure) => self.across.to + middle(&self.right, failure) + shift(0),
        };
        let y = match point.y.end {
            RunEnd::Solved(value) => self.up.at(value),
            RunEnd::Failed(failure) => self.up.to - middle(&self.above, failure) + shift(1),
        };
        (x, y)
    }
}

/// Distance of the middle of a band from the square.
fn middle(bands: &[FailureKind], failure: FailureKind) -> f64 {
    let index = bands.iter().position(|&band| band == failure).unwrap_or(0);
    GAP + BAND * (index as f64 + 0.5)
}

/// Draws the square: grid, labelled ticks, the diagonal and the lines of ratios 10 and 1/10.
fn draw_axes(svg: &mut Svg, frame: &Frame, unit: MeasureUnit) {
    let Frame { across, up, .. } = frame;
    let (right, top, bottom) = (across.to, up.to, frame.bottom);
    for tick in across.ticks(unit, 46.0) {
        let (x, y) = (across.at(tick.value), up.at(tick.value));
        let length = if tick.is_decade { 6.0 } else { 3.0 };
        if tick.is_decade {
            svg.line((x, top), (x, bottom), GRID);
            svg.line((LEFT, y), (right, y), GRID);
        }
        svg.line((x, bottom), (x, bottom + length), TICK);
        svg.line((LEFT - length, y), (LEFT, y), TICK);
        if let Some(label) = &tick.label {
            svg.text((x, bottom + 19.0), LABEL_X, label);
            svg.text((LEFT - 9.0, y + 0.36 * SIZE), LABEL_Y, label);
        }
    }
    svg.line((LEFT, bottom), (right, top), GUIDE);
    if across.hi / across.lo > 10.5 {
        let (start, end) = (across.lo * 10.0, across.hi / 10.0);
        svg.line((LEFT, up.at(start)), (across.at(end), top), GUIDE_DASHED);
        let (from, to) = ((across.at(start), bottom), (right, up.at(end)));
        svg.line(from, to, GUIDE_DASHED);
        // Their labels are in the gap, which contains no points.
        let style = |anchor| TextStyle::new(anchor, SMALL, PALE);
        svg.text((across.at(end), top - 6.0), style(Anchor::Middle), "×10");
        svg.text((to.0 + 2.0, to.1 + 3.5), style(Anchor::Start), "÷10");
    }
    svg.rect([LEFT, top, SIDE, SIDE], FRAME);
}

/// Draws the bands with their names. Points where two bands cross are failures of both engines.
fn draw_bands(svg: &mut Svg, frame: &Frame) {
    let style = TextStyle::new(Anchor::End, 10.0, INK);
    for &band in &frame.above {
        let y = frame.up.to - middle(&frame.above, band);
        let area = [LEFT, y - BAND / 2.0, frame.total - 12.0 - LEFT, BAND];
        svg.rect(area, band_style(band));
        svg.text((LEFT - 9.0, y + 3.4), style, band.word());
    }
    for &band in &frame.right {
        let x = frame.across.to + middle(&frame.right, band);
        let area = [x - BAND / 2.0, frame.top, BAND, frame.bottom - frame.top];
        svg.rect(area, band_style(band));
        svg.upward((x + 3.4, frame.bottom + 7.0), style, band.word());
    }
}

/// Returns the reasons of failures that occur among the runs.
fn bands<'a>(runs: impl Iterator<Item = &'a RepeatedRun<'a>> + Clone) -> Vec<FailureKind> {
    let occurs = |band: &FailureKind| runs.clone().any(|run| run.end == RunEnd::Failed(*band));
    FailureKind::ALL.into_iter().filter(occurs).collect()
}

/// Attributes of a band. Bands are translucent because they cross.
fn band_style(band: FailureKind) -> &'static str {
    match band {
        FailureKind::Wrong => {
            r##"class="band wrong" fill="#e33" fill-opacity="0.2" stroke="#fff" stroke-width="1""##
        }
        _ => r##"class="band" fill="#888" fill-opacity="0.13" stroke="#fff" stroke-width="1""##,
    }
}

/// Returns a pseudo-random number between −½ and ½, a function of its arguments.
fn jitter(number: usize, salt: u64) -> f64 {
    let bits = Random::new((number as u64).wrapping_mul(2).wrapping_add(salt)).bits();
    (bits >> 32) as f64 / 4_294_967_296.0 - 0.5
}

/// Entries of the legend: counts per marker, then counts of cases solved by both, one or neither.
fn legend(points: &[Point<'_>], name_x: &str, name_y: &str) -> Vec<(Option<AnswerClass>, String)> {
    let mut keys = Vec::new();
    for class in AnswerClass::ALL {
        match points.iter().filter(|p| p.case.class == class).count() {
            0 => {}
            count => keys.push((Some(class), format!("{} {count}", class.word()))),
        }
    }
    let count = |x: bool, y: bool| {
        let is = |p: &&Point<'_>| p.x.solved().is_some() == x && p.y.solved().is_some() == y;
        points.iter().filter(is).count()
    };
    let only = |name: &str| format!("only {}", fit(name, SIZE, 120.0));
    for (count, words) in [
        (count(true, true), "solved by both".to_owned()),
        (count(true, false), only(name_x)),
        (count(false, true), only(name_y)),
        (count(false, false), "neither".to_owned()),
    ] {
        if count > 0 {
            keys.push((None, format!("{words} {count}")));
        }
    }
    keys
}

/// Returns the line and the left end of each entry of the legend.
fn key_places(keys: &[(Option<AnswerClass>, String)], total: f64) -> Vec<(usize, f64)> {
    let (mut line, mut x) = (0, 12.0);
    let mut places = Vec::new();
    let mut markers = true;
    for (class, text) in keys {
        let space = width(text, SIZE) + if class.is_some() { 12.0 } else { 0.0 };
        let is_other = markers && class.is_none();
        if is_other || (x + space > total - 8.0 && x > 12.0) {
            (line, x) = (line + 1, 12.0);
        }
        markers = class.is_some();
        places.push((line, x));
        x += space + 14.0;
    }
    places
}

fn draw_legend(svg: &mut Svg, keys: &[(Option<AnswerClass>, String)], total: f64) {
    for ((class, text), (line, x)) in keys.iter().zip(key_places(keys, total)) {
        let y = 38.0 + 16.0 * line as f64;
        let mut left = x;
        if let Some(class) = class {
            svg.open(&point_style(*class).replace("points", "key"));
            svg.path(&marker(*class, x + 4.0, y - 4.0), "");
            svg.close();
            left += 12.0;
        }
        svg.text((left, y), LABEL, text);
    }
}
