//! Errors about operators of other logics.

use crate::parse::ParseError;
use std::ops::Range;

/// The error about a word before an operand that is a prefix operator elsewhere.
pub(crate) fn word(word: &str, span: Range<usize>) -> Option<ParseError> {
    let error = |message: String, help: &str| Some(ParseError::new(span, message).help(help));
    match word {
        "AG" | "AF" | "AX" | "EG" | "EF" | "EX" | "A" | "E" => error(
            format!("`{word}` is an operator of branching time"),
            "`EF p`, `AG p`, `AG EF p` and `EF AG p` are accepted for a whole formula and a state predicate p",
        ),
        "Y" | "Z" | "H" | "O" | "once" | "historically" | "previously" | "yesterday" => error(
            format!("`{word}` is an operator of the past"),
            "formulas are about the future only: instead of `G (q -> O p)` write `!q W p`",
        ),
        _ => None,
    }
}

/// The error about a word after an operand that is a binary operator elsewhere.
pub(crate) fn infix(word: &str, span: Range<usize>) -> Option<ParseError> {
    let past = ["S", "since", "T", "triggered"];
    past.contains(&word).then(|| {
        ParseError::new(span, format!("`{word}` is an operator of the past"))
            .help("formulas are about the future only: U R W M are the binary operators")
    })
}

/// The error about a sign at `at` that belongs to bounded operators or to PSL.
pub(crate) fn sign(text: &str, at: usize) -> Option<ParseError> {
    let (before, rest) = text.split_at_checked(at)?;
    let end = |closing: char| rest.find(closing).map_or(rest.len(), |end| end + 1);
    if rest.starts_with('{') {
        let message = "`{` begins a regular expression of PSL, which is not supported";
        return Some(ParseError::new(at..at + end('}'), message).help("expected LTL"));
    }
    let before = before.trim_end();
    let operator = before.chars().next_back()?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let word = &before[before.trim_end_matches(is_part).len()..];
    let is_operator = match word {
        "" => before.ends_with(['>', ']']),
        word => word.chars().all(|c| "GFXURWMV".contains(c)),
    };
    let inside = rest.strip_prefix('[')?;
    let is_bound = inside
        .trim_start()
        .starts_with(|c: char| c.is_ascii_digit() || "<>=*+-".contains(c));
    (is_operator && is_bound).then(|| {
        let span = at..at + end(']');
        let message = format!(
            "bounded operators such as `{operator}{}` are not supported",
            &text[span.clone()]
        );
        ParseError::new(span, message)
            .help("write the steps with X: `F[0,2] p` is `p | X p | X X p`")
    })
}
