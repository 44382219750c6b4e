//! Styles, markers and curve labels shared by all plots.

use super::results::AnswerClass;
use super::scale::spread;
use super::svg::{Anchor, COLOURS, DASHES, SIZE, Svg, fit, n, width};

/// The target of a picture, which determines how its points are identified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Medium {
    /// A separate file: points have titles.
    File,
    /// The page: points have the indices of their cases.
    Page,
}

/// Attributes of the frame around a plot.
pub const FRAME: &str = r##"class="frame" fill="none" stroke="#444" stroke-width="1""##;
/// Attributes of lines at ticks.
pub const GRID: &str = r##"class="grid" stroke="#e2e2e2" stroke-width="0.7""##;
/// Attributes of ticks.
pub const TICK: &str = r##"class="tick" stroke="#444" stroke-width="1""##;
/// Attributes of guide lines.
pub const GUIDE: &str = r##"class="guide" stroke="#888" stroke-width="1""##;
/// Attributes of secondary guide lines.
pub const GUIDE_DASHED: &str =
    r##"class="guide" stroke="#888" stroke-width="1" stroke-dasharray="4 3""##;
/// Attributes of lines from a curve to its name.
const LEADER: &str =
    r##"class="guide" fill="none" stroke="#888" stroke-width="0.8" stroke-dasharray="1 2""##;
/// Maximal width of a curve label.
const MOST: f64 = 200.0;
/// Attributes of text.
pub const INK: &str = r##"class="ink" fill="#111""##;
/// Attributes of secondary text.
pub const PALE: &str = r##"class="pale" fill="#555""##;

/// Attributes of the points of a class.
pub fn point_style(class: AnswerClass) -> &'static str {
    match class {
        AnswerClass::Holds => {
            r##"class="points holds" fill="#0072b2" fill-opacity="0.6" stroke="#0072b2" stroke-width="0.6""##
        }
        AnswerClass::Violated => {
            r##"class="points violated" fill="#d55e00" fill-opacity="0.6" stroke="#d55e00" stroke-width="0.6""##
        }
        AnswerClass::Counted => {
            r##"class="points counted" fill="#009e73" fill-opacity="0.6" stroke="#009e73" stroke-width="0.6""##
        }
        AnswerClass::Undecided => {
            r##"class="points undecided" fill="none" stroke="#555" stroke-width="1""##
        }
    }
}

/// The marker of a class: circle, triangle, square, cross.
pub fn marker(class: AnswerClass, x: f64, y: f64) -> String {
    match class {
        AnswerClass::Holds => format!(
            "M{} {}a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0z",
            n(x - 2.8),
            n(y)
        ),
        AnswerClass::Violated => format!("M{} {}l3.3 5.8h-6.6z", n(x), n(y - 3.6)),
        AnswerClass::Counted => format!("M{} {}h5v5h-5z", n(x - 2.5), n(y - 2.5)),
        AnswerClass::Undecided => format!("M{} {}l5 5m0-5l-5 5", n(x - 2.5), n(y - 2.5)),
    }
}

/// Attributes of the line of an engine.
pub fn series(index: usize) -> String {
    let colour = index % COLOURS.len();
    let dash = DASHES[index / COLOURS.len() % DASHES.len()];
    let dash = match dash {
        "" => String::new(),
        dash => format!(r#" stroke-dasharray="{dash}""#),
    };
    format!(
        r#"class="series s{colour}" fill="none" stroke="{}" stroke-width="1.7" stroke-linejoin="round"{dash}"#,
        COLOURS[colour]
    )
}

/// A curve label and the end of its curve.
pub struct CurveLabel {
    /// Index of the engine, which determines colour and dashes.
    pub engine: usize,
    /// The text.
    pub label: String,
    /// Coordinates of the end of the curve.
    pub end: (f64, f64),
}

/// Labels curves in the margin right of `x`, each with a sample of its line, from the top in the
/// given order and as close to their ends as possible; `range` is the top and the bottom of the
/// plot. A leader connects a curve with its label unless another curve ends at the same height.
pub fn name_curves(svg: &mut Svg, names: &[CurveLabel], x: f64, range: (f64, f64)) {
    let mut lowest = range.0;
    let mut wanted = Vec::new();
    for name in names {
        lowest = name.end.1.max(lowest);
        wanted.push(lowest);
    }
    let places = spread(&wanted, SIZE + 3.0, range.0 - 6.0, range.1 + 6.0);
    for (i, (name, y)) in names.iter().zip(places).enumerate() {
        let (end_x, end_y) = name.end;
        let mut others = names.iter().enumerate().filter(|(j, _)| *j != i);
        if others.all(|(_, other)| (other.end.1 - end_y).abs() > 4.0) && (y - end_y).abs() < 60.0 {
            let (from, to) = (n(end_x + 3.0), n(x + 2.0));
            let d = format!("M{from} {}H{to}L{} {}", n(end_y), n(x + 9.0), n(y));
            svg.path(&d, LEADER, "");
        }
        svg.path(
            &format!("M{} {}h20", n(x + 11.0), n(y)),
            &series(name.engine),
            "",
        );
        let at = (x + 36.0, y + 0.36 * SIZE);
        svg.text(at, Anchor::Start, SIZE, &fit(&name.label, SIZE, MOST), INK);
    }
}

/// Width of the margin that [`name_curves`] needs right of the plot.
pub fn names_width(labels: &[String]) -> f64 {
    let widest = labels
        .iter()
        .map(|label| width(label, SIZE))
        .fold(0.0, f64::max);
    36.0 + widest.min(MOST) + 8.0
}

/// Limit on the points of a curve that are drawn in files.
const FEW: usize = 60;

/// Draws the points of a curve. If the longest curve has `most` > [`FEW`] points, they would hide
/// the lines: then files have none, and the page shows only the selected point.
pub fn draw_points(
    svg: &mut Svg,
    engine: usize,
    points: impl Iterator<Item = (usize, (f64, f64))>,
    most: usize,
    medium: Medium,
) {
    if medium == Medium::File && most > FEW {
        return;
    }
    let colour = engine % COLOURS.len();
    let ink = COLOURS[colour];
    let number = match medium {
        Medium::Page => format!(r#" data-engines="{engine}""#),
        Medium::File => String::new(),
    };
    let dense = if most > FEW {
        r#" fill-opacity="0""#
    } else {
        ""
    };
    svg.open(&format!(
        r#"class="points dots s{colour}" fill="{ink}"{dense}{number}"#
    ));
    for (case, (x, y)) in points {
        let d = format!(
            "M{} {}a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0-3.8 0z",
            n(x - 1.9),
            n(y)
        );
        let number = match medium {
            Medium::Page => format!(r#"data-c="{case}""#),
            Medium::File => String::new(),
        };
        svg.path(&d, &number, "");
    }
    svg.close();
}

/// Capitalizes the first letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
