//! Styles and markers shared by all plots.

use super::results::AnswerClass;
use super::svg::{Anchor, COLOURS, DASHES, SIZE, Svg, TITLE, TextStyle, xy};

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
/// Attributes of text.
pub const INK: &str = r##"class="ink" fill="#111""##;
/// Attributes of secondary text.
pub const PALE: &str = r##"class="pale" fill="#555""##;
/// Font size of remarks on lines.
pub const SMALL: f64 = 9.5;
/// Text that starts, is centred, or ends at its position.
pub const LABEL: TextStyle<'_> = TextStyle::new(Anchor::Start, SIZE, INK);
pub const LABEL_X: TextStyle<'_> = TextStyle::new(Anchor::Middle, SIZE, INK);
pub const LABEL_Y: TextStyle<'_> = TextStyle::new(Anchor::End, SIZE, INK);

/// Writes the heading of a plot with its base line at `y`.
pub fn heading(svg: &mut Svg, y: f64, text: &str) {
    let bold = format!(r#"{INK} font-weight="600""#);
    let style = TextStyle::new(Anchor::Start, TITLE * 0.94, &bold);
    svg.text((12.0, y), style, text);
}

/// Attributes of the points of a class.
pub fn point_style(class: AnswerClass) -> String {
    let colour = match class {
        AnswerClass::Holds => "#0072b2",
        AnswerClass::Violated => "#d55e00",
        AnswerClass::Counted => "#009e73",
        AnswerClass::Undecided => {
            return r##"class="points undecided" fill="none" stroke="#555" stroke-width="1""##
                .into();
        }
    };
    format!(
        r#"class="points {}" fill="{colour}" fill-opacity="0.6" stroke="{colour}" stroke-width="0.6""#,
        class.word()
    )
}

/// The marker of a class: circle, triangle, square, cross.
pub fn marker(class: AnswerClass, x: f64, y: f64) -> String {
    match class {
        AnswerClass::Holds => {
            let start = xy((x - 2.8, y));
            format!("M{start}a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0z")
        }
        AnswerClass::Violated => format!("M{}l3.3 5.8h-6.6z", xy((x, y - 3.6))),
        AnswerClass::Counted => format!("M{}h5v5h-5z", xy((x - 2.5, y - 2.5))),
        AnswerClass::Undecided => format!("M{}l5 5m0-5l-5 5", xy((x - 2.5, y - 2.5))),
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

/// Capitalizes the first letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
