//! Property files of DVE models: `#define name expression` and `#property formula`, everything
//! else is comment.

use std::ops::Range;

use crate::error::InputError;

/// What a property file says; expressions and formulas as the places where they stand, in bytes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LtlFile {
    /// Names of atoms with the expressions that they stand for, in the order of the file.
    pub defines: Vec<(String, Range<usize>)>,
    /// The formulas.
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

/// Takes a property file apart.
pub fn read_ltl_file(origin: &str, text: &[u8]) -> Result<LtlFile, InputError> {
    let mut file = LtlFile::default();
    let mut start = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        let end = start + line.trim_ascii_end().len();
        if let Some(rest) = directive(line, b"#property") {
            let at = end - rest.trim_ascii().len();
            if at == end {
                let message = "expected a formula after `#property`";
                return Err(InputError::at(origin, text, at..at, message));
            }
            file.properties.push(at..end);
        } else if let Some(rest) = directive(line, b"#define") {
            let rest = rest.trim_ascii();
            let at = end - rest.len();
            let len = rest
                .iter()
                .position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))
                .unwrap_or(rest.len());
            let name = String::from_utf8_lossy(&rest[..len]).into_owned();
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                let message = "expected a name and an expression after `#define`";
                return Err(InputError::at(origin, text, at..at + len.max(1), message));
            }
            let expression = rest[len..].trim_ascii().len();
            if expression == 0 {
                let message = format!("expected an expression that `{name}` stands for");
                return Err(InputError::at(origin, text, end..end, message));
            }
            file.defines.push((name, end - expression..end));
        }
        start += line.len();
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_and_formulas_are_found() {
        let text = b"Properties of P\n#define inb (P.b)\n#define ina P.a\n\n# property: no\n  #property G (ina -> F inb)  \n#property F inb";
        assert!(looks_like_ltl_file(text));
        let file = read_ltl_file("p.ltl", text).unwrap();
        let defines: Vec<(&str, &[u8])> = file
            .defines
            .iter()
            .map(|(name, at)| (name.as_str(), &text[at.clone()]))
            .collect();
        assert_eq!(defines, [("inb", &b"(P.b)"[..]), ("ina", b"P.a")]);
        let formulas: Vec<&[u8]> = file.properties.iter().map(|r| &text[r.clone()]).collect();
        assert_eq!(formulas, [&b"G (ina -> F inb)"[..], b"F inb"]);
        assert!(!looks_like_ltl_file(b"# comment\nG p # more\n"));
    }

    #[test]
    fn incomplete_lines_are_errors() {
        for text in [
            "#define",
            "#define 1 2",
            "#define x",
            "#define (x)",
            "#property  ",
        ] {
            assert!(read_ltl_file("p.ltl", text.as_bytes()).is_err(), "{text}");
        }
    }
}
