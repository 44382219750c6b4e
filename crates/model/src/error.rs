//! Errors in user input with their source locations.

use std::fmt;
use std::ops::Range;

/// A location in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line, truncated around the location to a readable length.
    pub excerpt: String,
    /// The marked characters of the excerpt, at least one.
    pub marked: Range<usize>,
}

/// An error in an input, with its location and advice.
///
/// Displayed as a short report, the message first:
///
/// ```text
/// no place or transition is called `ork_1`
///   --> formula:1:3
///    |
///  1 | G ork_1
///    |   ^^^^^
///    = help: did you mean `Fork_1`?
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InputError {
    /// Name of the file or other source.
    pub origin: String,
    /// The error message.
    pub message: String,
    /// The location, if known.
    pub place: Option<Box<Location>>,
    /// Advice to the user.
    pub help: Option<String>,
}

/// Several errors that are reported together, such as those of all formulas of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Errors(Vec<InputError>);

impl Errors {
    /// Records the errors of a result; returns its value, if any.
    pub fn note<T, E: Into<Errors>>(&mut self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(errors) => {
                self.0.extend(errors.into().0);
                None
            }
        }
    }

    /// The errors in the order in which they were recorded.
    pub fn list(&self) -> &[InputError] {
        &self.0
    }

    /// `Ok` if there are none.
    pub fn into_result(self) -> Result<(), Errors> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl From<InputError> for Errors {
    fn from(error: InputError) -> Errors {
        Errors(vec![error])
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        for (i, error) in self.0.iter().take(SHOWN).enumerate() {
            match i {
                0 => write!(f, "{error}")?,
                _ => write!(f, "\nerror: {error}")?,
            }
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nerror: {more} more like these"),
        }
    }
}

impl std::error::Error for Errors {}

/// Limit on the characters of an excerpt.
const EXCERPT: usize = 100;

impl InputError {
    /// An error without a location.
    pub fn new(origin: impl Into<String>, message: impl Into<String>) -> InputError {
        InputError {
            origin: origin.into(),
            message: message.into(),
            place: None,
            help: None,
        }
    }

    /// An error at the bytes `span` of `text`; a span beyond the text denotes its end.
    pub fn at(
        origin: impl Into<String>,
        text: &[u8],
        span: Range<usize>,
        message: impl Into<String>,
    ) -> InputError {
        InputError {
            place: Some(Box::new(Location::of(text, span))),
            ..InputError::new(origin, message)
        }
    }

    /// Adds advice to the error.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> InputError {
        self.help = Some(help.into());
        self
    }
}

impl Location {
    fn of(text: &[u8], span: Range<usize>) -> Location {
        let start = span.start.min(text.len());
        let end = span.end.clamp(start, text.len());
        let line = 1 + text[..start].iter().filter(|b| **b == b'\n').count();
        let line_start = text[..start]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |i| i + 1);
        let line_end = text[start..]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(text.len(), |i| start + i);
        let stop = end.min(line_end);
        let before = last_chars(&text[line_start..start]);
        let marked = first_chars(&text[start..stop]);
        let after = first_chars(&text[stop..line_end]);
        let column = count_chars(&text[line_start..start]) + 1;
        // At most half of the excerpt precedes the marked part, so that it remains visible.
        let skip = before.len().saturating_sub(EXCERPT / 2);
        let shown = before.len() - skip;
        let excerpt: Vec<char> = before[skip..]
            .iter()
            .chain(&marked)
            .chain(&after)
            .copied()
            .take(EXCERPT)
            .collect();
        let width = marked.len().max(1).min(EXCERPT - shown);
        Location {
            line,
            column,
            excerpt: String::from_iter(excerpt).trim_end().to_owned(),
            marked: shown..shown + width,
        }
    }
}

/// Characters one column wide each: control characters would shift the markers.
fn printable(bytes: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// The first characters, at most one excerpt. A line can be a whole file of megabytes.
fn first_chars(bytes: &[u8]) -> Vec<char> {
    let mut chars = printable(&bytes[..bytes.len().min(4 * EXCERPT)]);
    chars.truncate(EXCERPT);
    chars
}

/// The last characters, at most one excerpt.
fn last_chars(bytes: &[u8]) -> Vec<char> {
    let mut from = bytes.len().saturating_sub(4 * EXCERPT);
    while from > 0 && from < bytes.len() && is_continuation(bytes[from]) {
        from += 1;
    }
    let chars = printable(&bytes[from..]);
    chars[chars.len().saturating_sub(EXCERPT)..].to_vec()
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| !is_continuation(**b)).count()
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        let width = match &self.place {
            None => {
                write!(f, "\n  --> {}", self.origin)?;
                1
            }
            Some(place) => {
                let number = place.line.to_string();
                let width = number.len();
                write!(
                    f,
                    "\n{:width$}--> {}:{}:{}",
                    "", self.origin, place.line, place.column
                )?;
                write!(f, "\n {:width$} |", "")?;
                write!(f, "\n {number} | {}", place.excerpt)?;
                let (indent, carets) = (
                    " ".repeat(place.marked.start),
                    "^".repeat(place.marked.len()),
                );
                write!(f, "\n {:width$} | {indent}{carets}", "")?;
                width
            }
        };
        if let Some(help) = &self.help {
            write!(f, "\n {:width$} = help: {help}", "")?;
        }
        Ok(())
    }
}

impl std::error::Error for InputError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_marks_the_location() {
        let e = InputError::at(
            "formula",
            b"G ork_1",
            2..7,
            "no place or transition is called `ork_1`",
        )
        .help("did you mean `Fork_1`?");
        let want = "no place or transition is called `ork_1`\n --> formula:1:3\n   |\n 1 | G ork_1\n   |   ^^^^^\n   = help: did you mean `Fork_1`?";
        assert_eq!(e.to_string(), want);
    }

    #[test]
    fn long_lines_and_odd_spans_are_cut() {
        let text = [b"x".repeat(1000), b"!".to_vec(), b"y".repeat(1000)].concat();
        let place = Location::of(&text, 1000..1001);
        assert_eq!(place.column, 1001);
        assert!(place.excerpt.chars().count() <= EXCERPT);
        assert_eq!(place.excerpt.chars().nth(place.marked.start), Some('!'));
        Location::of(b"", 5..9);
        Location::of(b"a\n\xff\xfe", 3..99);
    }
}
