//! Plots with one curve per engine: axes, curves, and names of curves at their ends.

use super::marks::{FRAME, GUIDE_DASHED, LABEL, LABEL_X, LABEL_Y, Medium, PALE, SMALL, TICK};
use super::marks::{heading, series};
use super::scale::spread;
use super::svg::{Anchor, COLOURS, Picture, SIZE, Svg, TITLE, TextStyle, fit, n, width, xy};

/// Width of the frame.
pub const WIDTH: f64 = 360.0;
/// Maximal width of a curve label.
const MOST: f64 = 200.0;
/// Attributes of lines from a curve to its name.
const LEADER: &str =
    r##"class="guide" fill="none" stroke="#888" stroke-width="0.8" stroke-dasharray="1 2""##;
/// Limit on the points of a curve that are drawn in files.
const FEW: usize = 60;

/// Values of an engine's cases in increasing order, with the indices of the cases.
pub type Curve = Vec<(f64, usize)>;

/// Sorts the values of a curve, equal ones by their cases.
pub fn sort(curve: &mut Curve) {
    curve.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

/// Height of the frame that has space for the labels of all engines.
pub fn height(engines: usize) -> f64 {
    (16.0 * engines as f64).max(290.0)
}

/// A curve label and the end of its curve.
pub struct CurveLabel {
    /// Index of the engine, which determines colour and dashes.
    pub engine: usize,
    pub label: String,
    /// Coordinates of the end of the curve.
    pub end: (f64, f64),
}

/// A plot under construction.
pub struct Chart {
    svg: Svg,
    /// Width of the picture.
    total: f64,
    left: f64,
    top: f64,
    bottom: f64,
}

impl Chart {
    /// Starts a plot whose frame has its upper left corner at `(left, top)`.
    pub fn new((left, top): (f64, f64), height: f64, labels: &[String], title: &str) -> Chart {
        let widths = labels.iter().map(|label| width(label, SIZE));
        let names = 36.0 + widths.fold(0.0, f64::max).min(MOST) + 8.0;
        let total = left + WIDTH + names;
        let bottom = top + height;
        Chart {
            svg: Svg::new(total, bottom + 48.0, title, ""),
            total,
            left,
            top,
            bottom,
        }
    }

    /// Writes the heading with its base line at `y`.
    pub fn heading(&mut self, y: f64, text: &str) {
        heading(&mut self.svg, y, &fit(text, TITLE, self.total - 24.0));
    }

    /// Writes the line below the heading.
    pub fn subtitle(&mut self, text: &str) {
        let style = TextStyle::new(Anchor::Start, SIZE, PALE);
        self.svg.text((12.0, 37.0), style, text);
    }

    /// Draws a labelled tick of the horizontal axis, with a line through the plot if wanted.
    pub fn tick_x(&mut self, x: f64, line: Option<&str>, label: &str) {
        let (top, bottom) = (self.top, self.bottom);
        if let Some(line) = line {
            self.svg.line((x, top), (x, bottom), line);
        }
        self.svg.line((x, bottom), (x, bottom + 6.0), TICK);
        self.svg.text((x, bottom + 19.0), LABEL_X, label);
    }

    /// Draws a tick of the vertical axis, which is short without a line through the plot.
    pub fn tick_y(&mut self, y: f64, line: Option<&str>, label: Option<&str>) {
        let left = self.left;
        if let Some(line) = line {
            self.svg.line((left, y), (left + WIDTH, y), line);
        }
        let length = if line.is_some() { 6.0 } else { 3.0 };
        self.svg.line((left - length, y), (left, y), TICK);
        if let Some(label) = label {
            self.svg.text((left - 9.0, y + 0.36 * SIZE), LABEL_Y, label);
        }
    }

    /// Draws a horizontal guide line with a text at the left below it, where curves are rare.
    pub fn guide(&mut self, y: f64, text: &str) {
        let left = self.left;
        self.svg.line((left, y), (left + WIDTH, y), GUIDE_DASHED);
        let style = TextStyle::new(Anchor::Start, SMALL, PALE);
        self.svg.text((left + 6.0, y + 12.0), style, text);
    }

    /// Draws the frame and the names of the axes.
    pub fn frame(&mut self, below: &str, beside: &str) {
        let height = self.bottom - self.top;
        self.svg.rect([self.left, self.top, WIDTH, height], FRAME);
        let middle = (self.left + WIDTH / 2.0, self.bottom + 38.0);
        self.svg.text(middle, LABEL_X, below);
        let middle = (16.0, self.top + height / 2.0);
        self.svg.upward(middle, LABEL_X, beside);
    }

    /// Draws the path of a curve and its points. If the longest curve has `most` > [`FEW`] points,
    /// they would hide the lines: then files have none, and the page shows only the selected point.
    pub fn curve(
        &mut self,
        engine: usize,
        path: &str,
        points: impl Iterator<Item = (usize, (f64, f64))>,
        most: usize,
        medium: Medium,
    ) {
        let svg = &mut self.svg;
        if !path.is_empty() {
            svg.path(path, &series(engine));
        }
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
            let start = xy((x - 1.9, y));
            let number = match medium {
                Medium::Page => format!(r#"data-c="{case}""#),
                Medium::File => String::new(),
            };
            svg.path(
                &format!("M{start}a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0-3.8 0z"),
                &number,
            );
        }
        svg.close();
    }

    /// Labels curves right of the frame, each with a sample of its line, from the top in the given
    /// order and as close to their ends as possible. A leader connects a curve with its label
    /// unless another curve ends at the same height.
    pub fn finish(mut self, names: &[CurveLabel]) -> Picture {
        let (svg, x) = (&mut self.svg, self.left + WIDTH);
        let mut lowest = self.top;
        let mut wanted = Vec::new();
        for name in names {
            lowest = name.end.1.max(lowest);
            wanted.push(lowest);
        }
        let places = spread(&wanted, SIZE + 3.0, self.top - 6.0, self.bottom + 6.0);
        for (i, (name, y)) in names.iter().zip(places).enumerate() {
            let (end_x, end_y) = name.end;
            let mut others = names.iter().enumerate().filter(|(j, _)| *j != i);
            let is_apart = others.all(|(_, other)| (other.end.1 - end_y).abs() > 4.0);
            if is_apart && (y - end_y).abs() < 60.0 {
                let (from, to) = (xy((end_x + 3.0, end_y)), xy((x + 9.0, y)));
                svg.path(&format!("M{from}H{}L{to}", n(x + 2.0)), LEADER);
            }
            let sample = format!("M{}h20", xy((x + 11.0, y)));
            svg.path(&sample, &series(name.engine));
            let at = (x + 36.0, y + 0.36 * SIZE);
            svg.text(at, LABEL, &fit(&name.label, SIZE, MOST));
        }
        self.svg.finish()
    }
}
