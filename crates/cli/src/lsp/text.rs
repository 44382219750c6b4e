//! Positions in texts, and file names in URIs.
//!
//! The protocol counts lines from 0 and UTF-16 units within a line. Readers count lines and
//! characters from 1. Everything else uses bytes.

use lariat::internals::ir::Location;
use serde_json::{Value as Json, json};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The start of a line, from 0; the end of the text if there are fewer lines.
fn line_start(text: &str, line: usize) -> usize {
    match line.checked_sub(1) {
        None => 0,
        Some(before) => {
            { text.match_indices('\n').nth(before) }.map_or(text.len(), |(at, _)| at + 1)
        }
    }
}

/// The bytes of the line that contains an offset, without the line break.
pub(super) fn line_at(text: &str, offset: usize) -> Range<usize> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    start..end
}

/// The offset of a position of the protocol; beyond a line, its end.
pub(super) fn offset(text: &str, position: &Json) -> Option<usize> {
    let number = |key: &str| usize::try_from(position[key].as_u64()?).ok();
    let start = line_start(text, number("line")?);
    let line = &text[line_at(text, start)];
    let (mut units, column) = (0, number("character")?);
    for (at, c) in line.char_indices() {
        if units >= column {
            return Some(start + at);
        }
        units += c.len_utf16();
    }
    Some(start + line.len())
}

/// A range of bytes as the protocol has it.
pub(super) fn range(text: &str, bytes: Range<usize>) -> Json {
    let position = |offset: usize| {
        let start = line_at(text, offset).start;
        let line = text[..start].matches('\n').count();
        let character: usize = text[start..offset].chars().map(char::len_utf16).sum();
        json!({"line": line, "character": character})
    };
    json!({"start": position(bytes.start), "end": position(bytes.end)})
}

/// The bytes of a location that a reader reports.
pub(super) fn bytes(text: &str, location: &Location) -> Range<usize> {
    let start = line_start(text, location.line.saturating_sub(1));
    let line = &text[line_at(text, start)];
    let at = |column: usize| {
        let found = line.char_indices().nth(column);
        start + found.map_or(line.len(), |(at, _)| at)
    };
    let column = location.column.saturating_sub(1);
    at(column)..at(column.saturating_add(location.marked.len()))
}

/// The nearest range within the text, for one that was computed from another text.
pub(super) fn nearest(text: &str, bytes: Range<usize>) -> Range<usize> {
    let boundary = |at: usize| {
        let at = at.min(text.len());
        (0..=at)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0)
    };
    boundary(bytes.start)..boundary(bytes.end)
}

/// The path of a `file:` URI.
pub(super) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let encoded = &rest[rest.find('/')?..];
    let mut decoded = Vec::new();
    let mut parts = encoded.split('%');
    decoded.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let byte = part.get(..2)?;
        decoded.push(u8::from_str_radix(byte, 16).ok()?);
        decoded.extend_from_slice(&part.as_bytes()[2..]);
    }
    let decoded = String::from_utf8(decoded).ok()?;
    // `/C:/net.pnml` on Windows.
    let is_drive = cfg!(windows) && decoded.get(2..3) == Some(":");
    Some(PathBuf::from(if is_drive {
        &decoded[1..]
    } else {
        &decoded
    }))
}

/// The `file:` URI of a path.
pub(super) fn uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    let path = path.to_string_lossy();
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'_' | b'.' | b'~' | b':' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat::InputError;

    #[test]
    fn positions_count_utf_16_units() {
        let text = "α𝄞b\nx\r\n\n";
        let at = |line: usize, character: usize| {
            offset(text, &json!({"line": line, "character": character}))
        };
        assert_eq!(at(0, 0), Some(0));
        assert_eq!(at(0, 1), Some(2));
        assert_eq!(at(0, 3), Some(6));
        assert_eq!(at(0, 99), Some(7));
        assert_eq!(at(1, 1), Some(9));
        assert_eq!(at(99, 0), Some(text.len()));
        assert_eq!(offset(text, &Json::Null), None);
        let expected =
            json!({"start": {"line": 0, "character": 3}, "end": {"line": 1, "character": 1}});
        assert_eq!(range(text, 6..9), expected);
    }

    #[test]
    fn locations_of_readers_are_found() {
        let text = "first\nα βγ δ";
        let from = text.find('β').expect("it is there");
        let error = InputError::at("x", text.as_bytes(), from..from + 4, "wrong");
        let place = error.place.expect("a location");
        assert_eq!(bytes(text, &place), from..from + 4);
        assert_eq!(bytes("", &place), 0..0);
    }

    #[test]
    fn paths_and_uris_correspond() {
        let name = Path::new("/tmp/a b/ü%.pnml");
        let uri = uri(name);
        assert_eq!(uri, "file:///tmp/a%20b/%C3%BC%25.pnml");
        assert_eq!(path(&uri).as_deref(), Some(name));
        assert_eq!(path("file:///a%2"), None);
        assert_eq!(path("file:///a%é"), None);
        assert_eq!(path("untitled:1"), None);
    }
}
