//! A small writer of SVG.
//!
//! Pictures are made for papers: plain attributes that every converter understands, a white
//! background, no scripts. Elements also have a `class`, by which the page changes colours in dark
//! mode. Text widths are estimated by a table that common sans-serif fonts do not exceed. The box
//! of every text is recorded, so that tests can check layouts without a renderer.

use crate::Point;
use std::fmt::Write as _;

/// Font size of ordinary text.
pub const SIZE: f64 = 11.0;
/// Font size of titles.
pub const TITLE: f64 = 13.0;

/// Margin of a remark below a picture.
const FOOTNOTE: f64 = 10.0;

/// Colours of series. A test measures the distance of any two, also for colour-blind vision.
pub const COLOURS: [&str; 8] = [
    "#4e49fb", "#f08e0a", "#70bf79", "#af1f06", "#d28eff", "#665f55", "#190069", "#290111",
];
/// Dash patterns: series beyond the colours differ by them.
pub const DASHES: [&str; 4] = ["", "6 3", "2 2", "8 3 2 3"];

/// The anchor of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// The position is at the beginning of the text.
    Start,
    /// The position is in the middle of the text.
    Middle,
    /// The position is at the end of the text.
    End,
}

/// Anchor, font size and attributes of a text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TextStyle<'a> {
    anchor: Anchor,
    size: f64,
    attributes: &'a str,
}

impl<'a> TextStyle<'a> {
    /// Creates the style of texts at an anchor.
    pub const fn new(anchor: Anchor, size: f64, attributes: &'a str) -> TextStyle<'a> {
        TextStyle {
            anchor,
            size,
            attributes,
        }
    }
}

/// A text with the area that it covers.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedLabel {
    /// The text.
    pub text: String,
    /// Left, top, right and bottom.
    pub area: [f64; 4],
}

/// A picture under construction.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    attributes: String,
    title: String,
    body: String,
    labels: Vec<PlacedLabel>,
}

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The document.
    pub text: String,
    /// The size.
    pub size: Point,
    /// The texts in it.
    pub labels: Vec<PlacedLabel>,
}

impl Picture {
    /// Describes a text that is outside the picture or overlaps another one.
    pub fn clash(&self) -> Option<String> {
        let (w, h) = self.size;
        self.labels.iter().enumerate().find_map(|(i, a)| {
            let [x0, y0, x1, y1] = a.area;
            if x0 < 0.0 || y0 < 0.0 || x1 > w || y1 > h {
                return Some(format!("outside of {w}×{h}: {a:?}"));
            }
            let meets = |b: &&PlacedLabel| {
                x1 > b.area[0] && b.area[2] > x0 && y1 > b.area[1] && b.area[3] > y0
            };
            let other = self.labels[..i].iter().find(meets)?;
            Some(format!("{a:?} overlaps {other:?}"))
        })
    }
}

impl Svg {
    /// Creates an empty picture. `title` is for screen readers, `attributes` for the root element.
    pub fn new(width: f64, height: f64, title: &str, attributes: &str) -> Svg {
        Svg {
            width,
            height,
            attributes: attributes.to_owned(),
            title: title.to_owned(),
            body: String::new(),
            labels: Vec::new(),
        }
    }

    /// Sets the size and the title once they are known.
    pub(crate) fn resize(&mut self, (width, height): Point, title: &str) {
        (self.width, self.height) = (width.ceil(), height.ceil());
        self.title = title.to_owned();
    }

    /// Adds a remark below the picture.
    pub(crate) fn footnote(&mut self, text: &str) {
        let style = TextStyle::new(Anchor::Start, SIZE, "class=\"footnote\" fill=\"#59636e\"");
        let wide = width(text, SIZE) + 2.0 * FOOTNOTE;
        self.text((FOOTNOTE, self.height + SIZE), style, text);
        self.width = self.width.max(wide.ceil());
        self.height += FOOTNOTE + SIZE;
    }

    /// Opens a group with attributes.
    pub fn open(&mut self, attributes: &str) {
        let _ = writeln!(self.body, "<g {attributes}>");
    }

    /// Closes the last group.
    pub fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// Draws a straight line.
    pub fn line(&mut self, from: Point, to: Point, attributes: &str) {
        let (x1, y1, x2, y2) = (n(from.0), n(from.1), n(to.0), n(to.1));
        let _ = writeln!(
            self.body,
            r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {attributes}/>"#
        );
    }

    /// Draws a rectangle: left, top, width, height.
    pub fn rect(&mut self, area: [f64; 4], attributes: &str) {
        let [x, y, w, h] = area.map(n);
        let _ = writeln!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" {attributes}/>"#
        );
    }

    /// Draws a circle.
    pub fn circle(&mut self, at: Point, radius: f64, attributes: &str) {
        let space = if attributes.is_empty() { "" } else { " " };
        let (x, y, r) = (n(at.0), n(at.1), n(radius));
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x}" cy="{y}" r="{r}"{space}{attributes}/>"#
        );
    }

    /// Adds a tooltip to the open group.
    pub fn hint(&mut self, text: &str) {
        let _ = writeln!(self.body, "<title>{}</title>", escape(text));
    }

    /// Writes a text inside of or on another element: its area is not recorded.
    pub fn mark(&mut self, at: Point, style: TextStyle<'_>, text: &str) {
        self.text(at, style, text);
        self.labels.pop();
    }

    /// Writes a text with a border in the background colour, legible on lines.
    pub fn halo(&mut self, at: Point, style: TextStyle<'_>, text: &str) {
        let attributes = format!(
            "stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\" {}",
            style.attributes
        );
        self.text(
            at,
            TextStyle::new(style.anchor, style.size, &attributes),
            text,
        );
    }

    /// Draws a path.
    pub fn path(&mut self, d: &str, attributes: &str) {
        let space = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(self.body, r#"<path d="{d}"{space}{attributes}/>"#);
    }

    /// Draws a path with a tooltip.
    pub fn path_with_hint(&mut self, d: &str, hint: &str) {
        let hint = escape(hint);
        let _ = writeln!(self.body, r#"<path d="{d}"><title>{hint}</title></path>"#);
    }

    /// Writes a text with its base line at `y`.
    pub fn text(&mut self, (x, y): Point, style: TextStyle<'_>, text: &str) {
        let (width, size) = (width(text, style.size), style.size);
        let left = x - style.anchor.share() * width;
        let area = [left, y - 0.8 * size, left + width, y + 0.25 * size];
        let place = format!(r#"x="{}" y="{}""#, n(x), n(y));
        self.place(&place, area, style, text);
    }

    /// Writes a text upwards, with its base line at `x`.
    pub fn upward(&mut self, (x, y): Point, style: TextStyle<'_>, text: &str) {
        let (width, size) = (width(text, style.size), style.size);
        let bottom = y + style.anchor.share() * width;
        let area = [x - 0.8 * size, bottom - width, x + 0.25 * size, bottom];
        let place = format!(r#"transform="translate({}) rotate(-90)""#, xy((x, y)));
        self.place(&place, area, style, text);
    }

    /// Writes a text at a place, given by attributes, and records the area that it covers.
    fn place(&mut self, place: &str, area: [f64; 4], style: TextStyle<'_>, text: &str) {
        self.labels.push(PlacedLabel {
            text: text.to_owned(),
            area,
        });
        let anchor = match style.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let _ = writeln!(
            self.body,
            r#"<text {place}{anchor} font-size="{}" {}>{}</text>"#,
            n(style.size),
            style.attributes,
            escape(text)
        );
    }

    /// The elements without the root, for another document.
    pub(crate) fn fragment(self) -> String {
        self.body
    }

    /// The document.
    pub fn finish(self) -> Picture {
        let (w, h) = (n(self.width), n(self.height));
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" {}>\n\
             <title>{}</title>\n\
             <rect class=\"ground\" width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n{}</svg>\n",
            self.attributes,
            escape(&self.title),
            self.body
        );
        Picture {
            text,
            size: (self.width, self.height),
            labels: self.labels,
        }
    }
}

impl Anchor {
    /// The part of a text before its position.
    pub(crate) fn share(self) -> f64 {
        match self {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        }
    }
}

/// Formats the coordinates of a point.
pub fn xy((x, y): Point) -> String {
    format!("{} {}", n(x), n(y))
}

/// Formats a coordinate, rounded to a tenth of a pixel.
pub fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Escapes text for XML and HTML, in elements and attributes; characters invalid in XML become `�`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// An upper estimate of the width of a text.
pub fn width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '·' | '"' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'A'..='Z' | '+' | '=' | '<' | '>' | '~' | '×' | '÷' => 0.84,
        c if c.is_ascii() => 0.65,
        c if (c as u32) < 0x1100 => 0.8,
        _ => 1.05,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// Cuts a text in the middle so that it is at most `most` wide; the end of a name often matters.
pub fn fit(text: &str, size: f64, most: f64) -> String {
    // Labels cannot contain line breaks or other control characters.
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if width(&text, size) <= most {
        return text;
    }
    let mut chars: Vec<char> = text.chars().collect();
    if chars.len() > 400 {
        chars.drain(200..chars.len() - 200);
    }
    let cut = |keep: usize| -> String {
        let head = keep.div_ceil(2);
        let tail = chars.len() - (keep - head);
        chars[..head]
            .iter()
            .chain(['…'].iter())
            .chain(&chars[tail..])
            .collect()
    };
    let fits = (0..chars.len())
        .rev()
        .map(cut)
        .find(|text| width(text, size) <= most);
    fits.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_in_the_middle() {
        assert_eq!(fit("slap", SIZE, 100.0), "slap");
        let cut = fit(&"x".repeat(1000), SIZE, 100.0);
        assert!(cut.contains('…') && width(&cut, SIZE) <= 100.0);
        assert!(fit("symbolic-with-the-order-noack-down", SIZE, 120.0).ends_with("down"));
        assert_eq!(fit("anything", SIZE, 0.0), "");
    }
}
