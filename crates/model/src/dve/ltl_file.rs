//! Property files of DVE models: `#define name expression` and `#property formula`, everything
//! else is comment.

use std::ops::Range;

use lariat_ltl::AtomError;

use super::scope::Scope;
use crate::error::InputError;
use crate::predicate::Predicate;

/// What a property file says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LtlFile {
    /// Names of atoms with what they mean, in the order of the file.
    pub defines: Vec<(String, Predicate)>,
    /// The formulas, not parsed: where each stands in the text, in bytes.
    pub properties: Vec<Range<usize>>,
}

/// Is this a property file of this kind (and not a list of formulas in which `#` is a comment)?
pub fn looks_like_ltl_file(text: &[u8]) -> bool {
    text.split(|b| *b == b'\n').any(|line| {
        directive(line, b"#property").is_some() || directive(line, b"#define").is_some()
    })
}

/// What follows a keyword at the start of a line.
fn directive<'l>(line: &'l [u8], keyword: &[u8]) -> Option<&'l [u8]> {
    let rest = line.trim_ascii_start().strip_prefix(keyword)?;
    rest.first()
        .is_none_or(u8::is_ascii_whitespace)
        .then_some(rest)
}

/// Reads a property file; the expressions are over the names of a model.
pub fn read_ltl_file(origin: &str, text: &[u8], scope: &Scope) -> Result<LtlFile, InputError> {
    let mut file = LtlFile::default();
    let mut start = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        let end = start + line.trim_ascii_end().len();
        if let Some(rest) = directive(line, b"#property") {
            let formula = rest.trim_ascii();
            let at = end.saturating_sub(formula.len());
            if formula.is_empty() {
                return Err(InputError::at(
                    origin,
                    text,
                    at..at,
                    "expected a formula after `#property`",
                ));
            }
            file.properties.push(at..end);
        } else if let Some(rest) = directive(line, b"#define") {
            let rest = rest.trim_ascii();
            let at = end.saturating_sub(rest.len());
            let len = rest
                .iter()
                .position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))
                .unwrap_or(rest.len());
            let name = String::from_utf8_lossy(&rest[..len]).into_owned();
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                let message = "expected a name and an expression after `#define`";
                return Err(InputError::at(origin, text, at..at + len.max(1), message));
            }
            if file.defines.iter().any(|(known, _)| *known == name) {
                let message = format!("`{name}` is defined already");
                return Err(InputError::at(origin, text, at..at + len, message));
            }
            let at = at + len;
            let report = |e: AtomError| {
                let span = e.span.map_or(at..end, |s| s.start + at..s.end + at);
                InputError {
                    help: e.help,
                    ..InputError::at(origin, text, span, e.message)
                }
            };
            let Ok(expression) = std::str::from_utf8(&rest[len..]) else {
                let message = "the expression is not valid UTF-8";
                return Err(InputError::at(origin, text, at..end, message));
            };
            let (_, predicate) = scope.atom(expression).map_err(report)?;
            file.defines.push((name, predicate));
        }
        start += line.len();
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &[u8] = b"process P { state a, b; init a; trans a -> b {}; } system async;";

    #[test]
    fn definitions_and_formulas_are_found() {
        let scope = crate::dve::read("m", MODEL).unwrap().scope;
        let text = b"Properties of P\n#define inb (P.b)\n#define ina P.a\n\n# property: no\n  #property G (ina -> F inb)  \n#property F inb";
        assert!(looks_like_ltl_file(text));
        let file = read_ltl_file("p.ltl", text, &scope).unwrap();
        let names: Vec<&str> = file.defines.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["inb", "ina"]);
        let formulas: Vec<&[u8]> = file.properties.iter().map(|r| &text[r.clone()]).collect();
        assert_eq!(formulas, [&b"G (ina -> F inb)"[..], b"F inb"]);
        assert!(!looks_like_ltl_file(b"# comment\nG p # more\n"));
    }

    #[test]
    fn errors_have_their_place() {
        let scope = crate::dve::read("m", MODEL).unwrap().scope;
        let read = |text: &str| {
            let error = read_ltl_file("p.ltl", text.as_bytes(), &scope).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            read("comment\n#define x (P.c == 1)"),
            "process `P` has no state `c`\n --> p.ltl:2:14\n   |\n 2 | #define x (P.c == 1)\n   |              ^\n   = help: did you mean `a`?"
        );
        for text in [
            "#define",
            "#define 1 2",
            "#define x",
            "#define x 1\n#define x 1",
            "#property",
            "#define x \u{fc}",
        ] {
            read(text);
        }
    }
}
