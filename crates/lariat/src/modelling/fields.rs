//! The parts of a state, from its `Debug` text.
//!
//! ```text
//! Chain { nodes: [Up, Down], term: 3, log: {1: "a"} }
//!     nodes[0] = Up    nodes[1] = Down    term = 3    log[1] = "a"
//! ```
//!
//! Structs, tuples, lists and maps are divided down to [`DEPTH`]; sets, and values of other shapes,
//! are one part. The text need not be that of a derived `Debug`: whatever is not recognised is one
//! part.

/// Depth to which values are divided.
const DEPTH: usize = 3;
/// Limit on the elements of a list or a map that is divided.
const ELEMENTS: usize = 64;

/// A part of a state: its path, which is empty for an undivided state, and its text.
pub(super) type Field = (String, String);

/// Divides the `Debug` text of a state.
pub(super) fn fields(text: &str) -> Vec<Field> {
    let mut all = Vec::new();
    divide("", text.trim(), DEPTH, &mut all);
    all
}

fn divide(path: &str, text: &str, depth: usize, all: &mut Vec<Field>) {
    match parts(text).filter(|parts| depth > 0 && (1..=ELEMENTS).contains(&parts.len())) {
        Some(parts) => {
            for (name, part) in parts {
                let path = match name.strip_prefix('.') {
                    Some(field) if path.is_empty() => field.to_owned(),
                    _ => format!("{path}{name}"),
                };
                divide(&path, part, depth - 1, all);
            }
        }
        None => all.push((path.to_owned(), text.to_owned())),
    }
}

/// The named parts of a struct, tuple, list or map; `None` for other values.
fn parts(text: &str) -> Option<Vec<(String, &str)>> {
    let open = text.find(['{', '[', '('])?;
    let name = text[..open].trim_end();
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let kind = text[open..].chars().next()?;
    let close = match kind {
        '{' => '}',
        '[' => ']',
        _ => ')',
    };
    let inner = text[open + 1..].strip_suffix(close)?;
    if !is_name(name) {
        return None;
    }
    let items = split(inner, ',')?;
    let numbered = |open: &str, close: &str| {
        let name = |i: usize| format!("{open}{i}{close}");
        let items = (0..).map(name).zip(items.iter().map(|item| item.trim()));
        items.collect::<Vec<_>>()
    };
    match (kind, name) {
        ('[', "") => Some(numbered("[", "]")),
        ('(', "") => Some(numbered(".", "")),
        // `Some(3)` is a value, not a part.
        ('(', _) if items.len() > 1 => Some(numbered(".", "")),
        ('{', _) => items
            .iter()
            .map(|item| {
                let sides = split(item, ':')?;
                let [key, value] = sides[..] else {
                    return None;
                };
                let key = key.trim();
                let key = match name {
                    "" => format!("[{key}]"),
                    _ => format!(".{key}"),
                };
                Some((key, value.trim()))
            })
            .collect(),
        _ => None,
    }
}

/// Splits at a separator outside of brackets and quotes; a trailing separator is ignored. `None` if
/// brackets or quotes do not match.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut all, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let mut letters = text.char_indices();
    let mut quote = None;
    while let Some((at, c)) = letters.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.checked_sub(1)?,
            // `::` in a path is no separator of a key.
            (None, ':') if separator == ':' && text[at + 1..].starts_with(':') => {
                letters.next();
            }
            (None, c) if c == separator && depth == 0 => {
                all.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if depth > 0 || quote.is_some() {
        return None;
    }
    if !text[start..].trim().is_empty() {
        all.push(&text[start..]);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[derive(PartialEq, Debug)]
    struct Chain {
        nodes: Vec<Option<u8>>,
        pair: (i32, char),
        text: String,
        log: BTreeMap<u8, &'static str>,
        sent: BTreeSet<u8>,
        none: (),
    }

    fn shown(value: &impl std::fmt::Debug) -> Vec<String> {
        let fields = fields(&format!("{value:?}"));
        fields.iter().map(|(k, v)| format!("{k}={v}")).collect()
    }

    #[test]
    fn states_are_divided_by_their_debug_text() {
        let chain = Chain {
            nodes: vec![Some(1), None],
            pair: (-1, ','),
            text: "a, \"b: {".to_owned(),
            log: [(3, "x"), (4, "y")].into(),
            sent: [1, 2].into(),
            none: (),
        };
        let parts = [
            "nodes[0]=Some(1)",
            "nodes[1]=None",
            "pair.0=-1",
            "pair.1=','",
            r#"text="a, \"b: {""#,
            r#"log[3]="x""#,
            r#"log[4]="y""#,
            "sent={1, 2}",
            "none=()",
        ];
        assert_eq!(shown(&chain), parts);
        assert_eq!(shown(&7), ["=7"]);
        assert_eq!(shown(&(1, 2)), ["0=1", "1=2"]);
        assert_eq!(shown(&[[1], [2]]), ["[0][0]=1", "[1][0]=2"]);
    }

    #[test]
    fn other_texts_are_one_part() {
        for text in [
            "",
            "x {",
            "}{",
            "\"",
            "a, b",
            "⟨1, 2⟩",
            "A { b }",
            "f(",
            ")(",
            "[1, 2)",
        ] {
            assert_eq!(fields(text), [(String::new(), text.to_owned())], "{text}");
        }
    }
}
