//! Formula files with definitions: `#define name expression` defines a name for the formulas of the
//! file. Formulas are the lines `#property formula`, and all other lines are comments, as in the
//! property files of DVE models; without such a line the remaining lines are formulas, `formula` or
//! `name: formula`. Such files can be used with any model format.

use std::ops::Range;

use crate::error::InputError;
use crate::fairness::Strength;

/// The content of a property file, with expressions and formulas as byte ranges.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LtlFile {
    /// Names of atoms with the expressions that define them, in the order of the file.
    pub defines: Vec<(String, Range<usize>)>,
    /// The formulas with their optional names.
    pub properties: Vec<(Option<String>, Range<usize>)>,
}

/// Returns whether this is a property file of this kind (rather than a list of formulas with `#`
/// comments).
pub fn looks_like_ltl_file(text: &[u8]) -> bool {
    text.split(|b| *b == b'\n').any(|line| {
        directive(line, b"#property").is_some() || directive(line, b"#define").is_some()
    })
}

/// The rest of a line after a keyword at its start.
fn directive<'l>(line: &'l [u8], keyword: &[u8]) -> Option<&'l [u8]> {
    let rest = line.trim_ascii_start().strip_prefix(keyword)?;
    rest.first()
        .is_none_or(u8::is_ascii_whitespace)
        .then_some(rest)
}

/// Parses a property file.
pub fn read_ltl_file(origin: &str, text: &[u8]) -> Result<LtlFile, InputError> {
    let mut file = LtlFile::default();
    let mut plain = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        let keyword = line.len() - line.trim_ascii_start().len() + 1;
        let behind = line.get(keyword..).unwrap_or_default();
        let behind = std::str::from_utf8(behind).map_or(behind.len(), comment);
        let commented = &line[..line.len().min(keyword + behind)];
        let end = start + commented.trim_ascii_end().len();
        if let Some(rest) = directive(commented, b"#property") {
            let at = end - rest.trim_ascii().len();
            if at == end {
                let message = "expected a formula after `#property`";
                return Err(InputError::at(origin, text, at..at, message));
            }
            file.properties.push((None, at..end));
        } else if let Some(rest) = directive(commented, b"#define") {
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
        } else if let Ok(line) = std::str::from_utf8(line) {
            let (name, formula) = split_name(&line[..comment(line)]);
            let blank = formula.len() - formula.trim_start().len();
            let at = start + comment(line) - formula.len() + blank;
            if !formula.trim().is_empty() {
                plain.push((name.map(str::to_owned), at..at + formula.trim().len()));
            }
        }
        start += line.len();
    }
    if file.properties.is_empty() {
        file.properties = plain;
    }
    Ok(file)
}

/// The strength and the subject of a line `fair weak WHAT` or `fair strong WHAT`; no formula has
/// two adjacent words.
pub fn assumption(line: &str) -> Option<(Strength, &str)> {
    let rest = line.trim_start().strip_prefix("fair")?;
    let (word, what) = rest
        .strip_prefix(char::is_whitespace)?
        .trim_start()
        .split_once(char::is_whitespace)?;
    let strengths = [Strength::Weak, Strength::Strong];
    let strength = strengths
        .into_iter()
        .find(|strength| strength.name() == word)?;
    Some((strength, what.trim_start()))
}

/// The position where the comment of a line starts; its length if there is none.
pub fn comment(line: &str) -> usize {
    let (mut quoted, mut escaped, mut blank) = (false, false, true);
    for (i, c) in line.char_indices() {
        match c {
            '#' if !quoted && blank => return i,
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && c == '\\' && !escaped;
        blank = c.is_whitespace();
    }
    line.len()
}

/// The parts of `name: formula`, or of a formula without a name.
pub fn split_name(line: &str) -> (Option<&str>, &str) {
    if let Some((name, formula)) = line.split_once(':') {
        let name = name.trim();
        let is_name = |c: char| c.is_alphanumeric() || "_.-".contains(c);
        if !name.is_empty() && name.chars().all(is_name) {
            return (Some(name), formula);
        }
    }
    (None, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_and_formulas_are_found() {
        let text = b"Properties of P\n#define inb (P.b)\n#define ina P.a\n\n# property: no\n  #property G (ina -> F inb) # why not \n#property F inb";
        assert!(looks_like_ltl_file(text));
        let file = read_ltl_file("p.ltl", text).unwrap();
        let defines: Vec<(&str, &[u8])> = file
            .defines
            .iter()
            .map(|(name, at)| (name.as_str(), &text[at.clone()]))
            .collect();
        assert_eq!(defines, [("inb", &b"(P.b)"[..]), ("ina", b"P.a")]);
        let at = file.properties.iter().map(|(_, at)| at.clone());
        let formulas: Vec<&[u8]> = at.map(|at| &text[at]).collect();
        assert_eq!(formulas, [&b"G (ina -> F inb)"[..], b"F inb"]);
        assert!(!looks_like_ltl_file(b"# comment\nG p # more\n"));
    }

    #[test]
    fn definitions_stand_before_plain_formulas_too() {
        let text = b"# comment\n#define x a >= 2 # two\none: G x # more\n\nF x\n";
        let file = read_ltl_file("p.ltl", text).unwrap();
        assert_eq!(&text[file.defines[0].1.clone()], b"a >= 2");
        let shown = file.properties.iter();
        let shown: Vec<(Option<&str>, &[u8])> = shown
            .map(|(name, at)| (name.as_deref(), &text[at.clone()]))
            .collect();
        assert_eq!(shown, [(Some("one"), &b"G x"[..]), (None, b"F x")]);
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
